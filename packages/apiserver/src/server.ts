import { statusOf } from "@purser/kubernetes/apis/status";
import type { ApiRequest, ApiResponse, Transport, UserInfo } from "@purser/kubernetes/kube/transport";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { FrontProxy } from "./aggregation/front-proxy.ts";
import { RemoteGroups } from "./aggregation/remote-groups.ts";
import { RemoteOpenApi } from "./aggregation/remote-openapi.ts";
import { AdmissionChain } from "./admission/chain.ts";
import { authenticate } from "./authentication/authenticator.ts";
import { ServiceAccountTokens } from "./authentication/service-account-tokens.ts";
import { mastersGroup } from "./authorization/attributes.ts";
import { RbacAuthorizer } from "./authorization/rbac-authorizer.ts";
import { Reviews } from "./authorization/reviews.ts";
import { bootstrap } from "./bootstrap.ts";
import type { BuiltInControllers } from "./controllers/start-controllers.ts";
import { startBuiltInControllers } from "./controllers/start-controllers.ts";
import { Definitions, definitionTable } from "./custom-resources/definitions.ts";
import { expireEvents } from "./event-expiry.ts";
import type { Handled } from "./handler.ts";
import { handle } from "./handler.ts";
import type { HandlerParts } from "./handler-parts.ts";
import { builtInKinds } from "./kinds/catalogue.ts";
import type { ServerIdentity } from "./listener/identity.ts";
import { adminKubeconfig, adminName, forgetIdentity, serverIdentity } from "./listener/identity.ts";
import type { OpenListener } from "./listener/listener.ts";
import { openListener } from "./listener/listener.ts";
import { UnreadAnswers } from "./listener/unread-answers.ts";
import type { Machinery } from "./machinery.ts";
import { protobufDecoders } from "./protobuf/kubernetes-protobuf.ts";
import type { ServedKind } from "./registry/served-kind.ts";
import { WatchBacklog } from "./resource/watches/watch-backlog.ts";
import { tableOf } from "./registry/served-kind.ts";
import type { ApiServerOptions, ForkOptions } from "./server-options.ts";
import { optionProblem } from "./server-options.ts";
import { FormerStates } from "./storage/former-states.ts";
import { memoryStorage } from "./storage/object-store.ts";
import { turns } from "./turns.ts";
import { toProcess, toWire } from "./wire.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

export interface Listener {
  readonly port: number;
  /** `https://127.0.0.1:7443`. */
  readonly url: string;
  close(): Promise<void>;
}

/** PEM texts under the names that Node's `https` and `tls` take. */
export interface ClientCredentials {
  /** Certificate of the authority that issued the server's certificate and the client's. */
  readonly ca: string;
  /** The client's certificate and its private key. */
  readonly cert: string;
  readonly key: string;
}

export interface ApiServer {
  /** In process, without authentication: acts as `user`, by default `purser-admin` of `system:masters`. */
  transport(user?: UserInfo): Transport;
  /** @throws the socket's error, such as `EADDRINUSE` */
  listen(options: ListenOptions): Promise<Listener>;
  /** A kubeconfig with one context `purser` for the server at `url`, with {@link adminCredentials}. */
  adminKubeconfig(url: string): string;
  /** Of `purser-admin` in `system:masters`. Another server, a fork too, does not accept them. */
  adminCredentials(): ClientCredentials;
  /**
   * Drops former states that are older than five minutes; to be called repeatedly while the server is idle.
   * @returns about how many bytes of memory were freed
   */
  forgetOld(): number;
  /** Resolves when the built-in controllers are idle or only wait for the clock. */
  settled(): Promise<void>;
  /**
   * Another server that begins with everything stored here, in memory, and with keys and certificates of its own: later
   * changes of one are not seen by the other. Revisions continue from the current one.
   */
  fork(changes?: ForkOptions): Promise<ApiServer>;
  /** Ends watches cleanly, closes listeners and storage. */
  stop(): Promise<void>;
}

/** A small request, as {@link turns} counts it. */
const workOfRequest = 8 * 1024;

const usualUnreadLimit = 64 * 1024 * 1024;

/** Timeout of an aggregated API server's discovery. */
const probeMs = 5000;

const admin: UserInfo = { name: adminName, groups: [mastersGroup, "system:authenticated"] };

function servedBuiltIns(): readonly ServedKind[] {
  return builtInKinds.map((kind) => ({ ...kind, table: tableOf(kind.storedAs) }));
}

/** Options with a value for each port. */
type ServerWorld = ApiServerOptions & Required<Pick<ApiServerOptions, "clock" | "entropy" | "storage">>;

/**
 * Starts a server without sockets, for callers of this process: objects are served when this resolves, `listen` opens
 * sockets. `startApiServer` is the same with a data directory and a socket.
 * @throws for an unknown option, so that no option is ignored silently
 */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const problem = optionProblem(options);
  if (problem !== undefined) throw new Error(problem);
  const { clock = systemClock, entropy = systemEntropy, storage = memoryStorage() } = options;
  const identity = await serverIdentity(storage, clock, entropy);
  const server = new EmbeddedServer({ ...options, clock, entropy, storage }, identity);
  await server.start();
  return server;
}

class EmbeddedServer implements ApiServer {
  readonly #options: ServerWorld;
  readonly #identity: ServerIdentity;
  readonly #stopping = new AbortController();
  readonly #machinery: Machinery;
  readonly #parts: HandlerParts;
  readonly #tokens: ServiceAccountTokens;
  readonly #listeners = new Set<OpenListener>();
  readonly #unread: UnreadAnswers;
  readonly #former: FormerStates;
  #controllers: BuiltInControllers | undefined;
  #address = "127.0.0.1:443";

  constructor(options: ServerWorld, identity: ServerIdentity) {
    const { clock, entropy, storage } = options;
    const { unreadLimit = usualUnreadLimit } = options;
    this.#options = options;
    this.#identity = identity;
    this.#unread = new UnreadAnswers(unreadLimit);
    this.#former = new FormerStates(storage, clock);
    const authorizer = new RbacAuthorizer(storage);
    const definitions = new Definitions(storage, clock, servedBuiltIns());
    storage.takenBack((table, name) => {
      if (table === definitionTable) definitions.changed(name);
    });
    this.#machinery = {
      clock,
      entropy,
      storage,
      admission: new AdmissionChain(() => this.#machinery, authorizer, {
        podSecurity: options.podSecurity ?? "enforce",
        enforceOwnerPermissions: options.enforceOwnerPermissions ?? false,
      }),
      rootAuthority: identity.authority.certificatePem,
      stopping: this.#stopping.signal,
      backlog: new WatchBacklog(unreadLimit),
      registry: () => definitions.registry(),
      definitionChanged: (name) => definitions.changed(name),
    };
    this.#tokens = new ServiceAccountTokens(storage, clock, entropy);
    const frontProxy = new FrontProxy(storage, clock, entropy, identity.authority);
    this.#parts = {
      machinery: this.#machinery,
      frontProxy,
      remoteGroups: new RemoteGroups(storage),
      remoteOpenApi: new RemoteOpenApi(clock, frontProxy),
      authorizer,
      reviews: new Reviews(this.#machinery, authorizer, this.#tokens),
      protobuf: protobufDecoders(),
      publicKeys: () => this.#tokens.publicKeys(),
      serverAddress: () => this.#address,
    };
  }

  async start(): Promise<void> {
    const { clock, entropy, storage, simulation, report } = this.#options;
    bootstrap(this.#machinery);
    await storage.durable();
    expireEvents(storage, clock, this.#stopping.signal);
    if (this.#options.controllers === false) return;
    this.#controllers = startBuiltInControllers({
      storage,
      clock,
      entropy,
      transport: (user) => this.transport(user),
      rootAuthority: this.#machinery.rootAuthority,
      issueToken: (subject, secretName) => this.#tokens.issueLegacy(subject, secretName),
      probe: (service) => this.#probe(service),
      ...(simulation === undefined ? {} : { simulation }),
      ...(report === undefined ? {} : { report }),
    });
  }

  /** Checks an aggregated API server by reading its discovery. */
  async #probe(service: APIService): Promise<Result<undefined, string>> {
    const { group = "", version = "" } = service.spec ?? {};
    const timer = new AbortController();
    const signal = AbortSignal.any([timer.signal, this.#stopping.signal]);
    const expired = this.#options.clock.sleep(probeMs, signal).then(
      () => timer.abort(),
      () => undefined,
    );
    const answer = await this.#parts.frontProxy.probe(service, `/apis/${group}/${version}`, signal);
    timer.abort();
    await expired;
    if (!answer.ok) return answer;
    this.#parts.remoteGroups.note(service.metadata.name ?? "", answer.value.text);
    return done(undefined);
  }

  transport(user: UserInfo = admin): Transport {
    return async (request, signal) => {
      // No socket stands between such requests: without this, one after the other would be answered in one turn.
      await turns.before(workOfRequest);
      return await toProcess(await this.#handle(request, user, signal), request);
    };
  }

  async listen({ host, port }: ListenOptions): Promise<Listener> {
    const { entropy, clock } = this.#options;
    const opened = await openListener(
      this.#identity,
      { host, port, clock, uuid: () => entropy.uuid(), unread: this.#unread },
      async (request, certificate, signal): Promise<ApiResponse> => {
        const tokens = this.#options.tokens ?? new Map<string, UserInfo>();
        const authorization = request.headers?.["authorization"];
        const who = await authenticate(this.#tokens, tokens, { certificate, authorization, now: clock.now() });
        if (who.kind === "refused")
          return toWire({ result: failed(statusOf("Unauthorized", "Unauthorized")), warnings: [] }, request);
        const handled = await this.#handle(request, who.user, signal);
        const warnings = who.warning === undefined ? handled.warnings : [who.warning, ...handled.warnings];
        return toWire({ ...handled, warnings }, request);
      },
    );
    this.#listeners.add(opened);
    this.#address = `${host}:${opened.port}`;
    return {
      port: opened.port,
      url: `https://${host.includes(":") ? `[${host}]` : host}:${opened.port}`,
      close: async () => {
        this.#listeners.delete(opened);
        await opened.close();
      },
    };
  }

  /** A bug in the pipeline is that request's problem only. */
  async #handle(request: ApiRequest, user: UserInfo, signal: AbortSignal): Promise<Handled> {
    try {
      return await handle(this.#parts, request, user, signal);
    } catch (problem) {
      if (signal.aborted) throw problem;
      const message = problem instanceof Error ? problem.message : String(problem);
      return { result: failed(statusOf("InternalError", `Internal error occurred: ${message}`)), warnings: [] };
    }
  }

  adminKubeconfig(url: string): string {
    return adminKubeconfig(this.#identity, url);
  }

  adminCredentials(): ClientCredentials {
    const { authority, admin } = this.#identity;
    return { ca: authority.certificatePem, cert: admin.certificatePem, key: admin.privateKeyPem };
  }

  forgetOld(): number {
    return this.#former.forgetOld();
  }

  async settled(): Promise<void> {
    await this.#controllers?.settled();
  }

  async fork(changes: ForkOptions = {}): Promise<ApiServer> {
    // What is not durable may be taken back yet.
    await this.#options.storage.durable();
    const storage = this.#options.storage.fork();
    forgetIdentity(storage);
    return createApiServer({ ...this.#options, ...changes, storage });
  }

  async stop(): Promise<void> {
    await this.#controllers?.stop();
    this.#stopping.abort(new Error("the server stops"));
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
    await this.#options.storage.close();
  }
}
