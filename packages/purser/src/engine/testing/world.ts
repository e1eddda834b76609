import type { CatalogArgument } from "../catalog-argument.ts";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterExtensions, installPlans, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { SubscriptionSpec } from "../../apis/v0/subscription.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { ClusterExtensionSpec } from "../../apis/v1/cluster-extension.ts";
import { createApiServer } from "@purser/apiserver";
import type { CertificateProvider } from "../../bundle/render/certificate-need.ts";
import type { Compat } from "../../compat.ts";
import { improved } from "../../compat.ts";
import type { OpenContent } from "../../content/content.ts";
import { createContent } from "../../content/create-content.ts";
import type { FeatureGates } from "../../feature-gates.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createClient } from "@purser/kubernetes/kube/client";
import { Counters } from "@purser/kubernetes/kube/counters";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Log } from "@purser/kubernetes/kube/log";
import type { ApiRequest, ApiResponse, Transport } from "@purser/kubernetes/kube/transport";
import { ensureNamespace, registerCatalog } from "../catalog-objects.ts";
import type { PullingOptions } from "../image-access.ts";
import { assembleLifecycle, type Lifecycle, type LifecycleOptions } from "../lifecycle.ts";
import type { CrdSet } from "../../apis/crd-set.ts";
import { applyOwnCrds } from "../own-manifests.ts";
import { everyFamily } from "../../apis/api-family.ts";
import { globalNamespace, systemNamespace } from "../../apis/own-namespaces.ts";
import { packageDirectory } from "../package-directory.ts";
import type { Engine } from "../start-engine.ts";
import { settled } from "./settling.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";

export interface WorldOptions {
  /** Replaces the content of the scratch directories; stopped with the engine. */
  readonly content?: OpenContent;
  /** Stands before the content of the scratch directories. */
  readonly wrapContent?: (content: OpenContent) => OpenContent;
  /** The engine's clock; by default the machine's. */
  readonly clock?: Clock;
  readonly compat?: Compat;
  readonly gates?: FeatureGates;
  readonly crdSet?: CrdSet;
  readonly systemNamespace?: string;
  readonly webhookCertificates?: CertificateProvider | "auto";
  readonly clusterOperators?: LifecycleOptions["clusterOperators"];
  /** Flags of `purser run`. */
  readonly flags?: Pick<LifecycleOptions, "watchedNamespaces" | "protectedNamespaces" | "installPlanRetryMs">;
  /** The demo catalog is this image and its bundles are images; no directory stands in for them. */
  readonly image?: { readonly reference: string; readonly pulling: PullingOptions };
  /** The user of the engine's requests, who may do what RBAC grants; by default the administrator. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] };
  /** Called before the engine starts. */
  readonly prepare?: (client: KubeClient) => Promise<void>;
  readonly log?: Log;
  /** Where spans are sent; by default none are made. */
  readonly traces?: LifecycleOptions["traces"];
}

/** A write request of the engine with the status of its response. */
export interface EngineWrite {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

const never = new AbortController().signal;
const catalogName = "demo";
/** Longer than any wait on a busy machine; a wait that is shorter would make a test depend on its speed. */
const patienceMs = 300_000;

type Server = Awaited<ReturnType<typeof createApiServer>>;

/** By switches, definitions and namespace of the lifecycle manager: a server without controllers that holds what every world begins with. */
const preparedServers = new Map<Compat, Map<string, Promise<Server>>>();

/** A server with our definitions and namespaces. To write them takes longer than all else, so it is done once per process. */
async function preparedServer(compat: Compat, crdSet: CrdSet | undefined, own: string): Promise<Server> {
  const ofCompat = preparedServers.get(compat) ?? new Map<string, Promise<Server>>();
  preparedServers.set(compat, ofCompat);
  const key = `${crdSet ?? ""} ${own}`;
  const prepared = ofCompat.get(key) ?? prepareServer(compat, crdSet, own);
  ofCompat.set(key, prepared);
  return (await prepared).fork({ controllers: true });
}

async function prepareServer(compat: Compat, crdSet: CrdSet | undefined, own: string): Promise<Server> {
  const server = await createApiServer();
  const client = createClient(server.transport());
  await applyOwnCrds(client, systemClock, never, compat, everyFamily, crdSet);
  for (const name of [globalNamespace, own]) await ensureNamespace(client, name, never);
  await server.settled();
  // Nothing runs in it, so that no test file leaves anything behind.
  const kept = await server.fork({ controllers: false });
  await server.stop();
  return kept;
}

/** An embedded cluster in memory and the engine, with the demo catalog in a scratch directory. */
export class World {
  readonly client: KubeClient;
  /** Scratch copies: change them to change what the catalog and the bundles hold. */
  readonly catalogDirectory: string;
  readonly bundlesDirectory: string;
  readonly engineWrites: EngineWrite[] = [];
  /** Reads that the engine sent to the server, as `GET path`, without watches and without the metadata that `settled` asks for; writes that are dry runs. */
  readonly engineReads: string[] = [];
  /** Requests of the engine that were answered with 403, as `METHOD PATH`, with `?watch=true` for a watch. */
  readonly engineRefusals: string[] = [];
  /**
   * Called before and after every write of the engine, which waits for a promise that it returns; an error that it throws is
   * the error of the engine's request.
   */
  disturb: ((request: ApiRequest, moment: "before" | "after") => Promise<void> | void) | undefined;
  /** Called for every request of the engine, watches included: what it returns is the answer, what it throws breaks the connection. */
  intercept: ((request: ApiRequest) => ApiResponse | undefined) | undefined;
  metrics = new Counters();
  readonly #directory: string;
  readonly #server: Server;
  readonly #options: WorldOptions;
  #lifecycle: Lifecycle | undefined;

  private constructor(directory: string, server: Server, options: WorldOptions) {
    this.#directory = directory;
    this.#server = server;
    this.#options = options;
    this.catalogDirectory = join(directory, "catalog");
    this.bundlesDirectory = join(directory, "bundles");
    this.client = createClient(server.transport());
  }

  get engine(): Engine {
    invariant(this.#lifecycle !== undefined, "the engine runs");
    return this.#lifecycle.engine;
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), "purser-world-"));
    const demo = join(packageDirectory(), "demo", "default");
    await cp(join(demo, "catalog"), join(directory, "catalog"), { recursive: true });
    await cp(join(demo, "bundles"), join(directory, "bundles"), { recursive: true });
    const { compat = improved, crdSet, systemNamespace: own = systemNamespace } = options;
    const server = await preparedServer(compat, crdSet, own);
    const client = createClient(server.transport());
    const world = new World(directory, server, options);
    await options.prepare?.(client);
    await world.#start();
    const { image } = options;
    const registered = { namespace: globalNamespace, name: catalogName };
    const place = image === undefined ? { path: world.catalogDirectory } : { image: image.reference };
    await registerCatalog(client, { ...registered, ...place }, everyFamily, never);
    if (options.user === undefined) await world.engine.synced();
    return world;
  }

  async #start(): Promise<void> {
    const {
      image,
      wrapContent,
      clock = systemClock,
      clusterOperators,
      flags,
      gates,
      systemNamespace: own,
    } = this.#options;
    const content = wrapContent === undefined ? this.#options.content : wrapContent(this.openDirectories());
    const client = createClient(this.#watched(this.#server.transport(this.#options.user)), { userAgent: "purser" });
    const started = await assembleLifecycle({
      client,
      identities: userIdentities({ client, asUser: (user) => this.#watched(this.#server.transport(user)) }),
      ...this.#directories(),
      ...(content === undefined ? {} : { content }),
      ...(image === undefined ? {} : { pulling: image.pulling }),
      clock,
      entropy: systemEntropy,
      log: this.#options.log ?? (() => {}),
      metrics: this.metrics,
      compat: this.#options.compat ?? improved,
      webhookCertificates: this.#options.webhookCertificates ?? "auto",
      ...(clusterOperators === undefined ? {} : { clusterOperators }),
      ...(gates === undefined ? {} : { gates }),
      ...(own === undefined ? {} : { systemNamespace: own }),
      ...(this.#options.traces === undefined ? {} : { traces: this.#options.traces }),
      ...flags,
    });
    invariant(started.ok, "no catalogs are served over HTTP");
    this.#lifecycle = started.value;
  }

  /** Opens the content of the scratch directories; the caller has to stop it. */
  openDirectories(): OpenContent {
    const { cacheDirectory: cacheDir, ...directories } = this.#directories();
    return createContent({ ...directories, cacheDir, clock: systemClock });
  }

  #directories(): Pick<LifecycleOptions, "bundleDirectories" | "cacheDirectory"> & {
    readonly catalogs: readonly CatalogArgument[];
  } {
    if (this.#options.image !== undefined)
      return { catalogs: [], bundleDirectories: [], cacheDirectory: join(this.#directory, "cache") };
    return {
      catalogs: [{ namespace: globalNamespace, name: catalogName, path: this.catalogDirectory }],
      bundleDirectories: [this.bundlesDirectory],
      cacheDirectory: join(this.#directory, "cache"),
    };
  }

  #watched(plain: Transport): Transport {
    const transport: Transport = async (request, signal) => {
      const response = await plain(request, signal);
      const query = request.query?.get("watch") === "true" ? "?watch=true" : "";
      if (response.status === 403) this.engineRefusals.push(`${request.method} ${request.path}${query}`);
      return response;
    };
    return async (request, signal) => {
      const answer = this.intercept?.(request);
      if (answer !== undefined) return answer;
      if (request.method === "GET") {
        const asksMetadata = request.headers?.["accept"]?.includes("PartialObjectMetadata") === true;
        if (request.query?.get("watch") !== "true" && !asksMetadata) this.engineReads.push(`GET ${request.path}`);
        return transport(request, signal);
      }
      if (request.query?.get("dryRun") === "All") {
        this.engineReads.push(`${request.method} ${request.path} as a dry run`);
        return transport(request, signal);
      }
      await this.disturb?.(request, "before");
      const response = await transport(request, signal);
      this.engineWrites.push({ method: request.method, path: request.path, status: response.status });
      await this.disturb?.(request, "after");
      return response;
    };
  }

  /** A client whose requests are those of a user, who may do what RBAC grants. */
  clientOf(user: string): KubeClient {
    return createClient(this.#server.transport({ name: user, groups: ["system:authenticated"] }));
  }

  /** Simulates a restart of the process: only the cluster's objects are kept. `between` runs after the engine has stopped. */
  async restartEngine(between: () => unknown = () => {}): Promise<void> {
    await this.#lifecycle?.stop();
    await between();
    this.metrics = new Counters();
    await this.#start();
    await this.engine.synced();
  }

  async stop(): Promise<void> {
    await this.#lifecycle?.stop();
    await this.#server.stop();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async create<Type extends KubeObject>(type: ResourceType<Type>, object: Type): Promise<void> {
    written(await this.client.write({ verb: "create", type, object }, never));
  }

  async merge(type: ResourceType, key: ObjectKey, patch: JsonValue): Promise<void> {
    written(await this.client.write({ verb: "patch", type, key, patchType: "merge", patch }, never));
  }

  /** Merges into the status, as the controller of an object from outside does. */
  async mergeStatus(type: ResourceType, key: ObjectKey, status: JsonValue): Promise<void> {
    const patch = { status };
    written(
      await this.client.write({ verb: "patch", type, key, patchType: "merge", patch, subresource: "status" }, never),
    );
  }

  async remove(type: ResourceType, key: ObjectKey): Promise<void> {
    written(await this.client.write({ verb: "delete", type, key }, never));
  }

  async namespace(name: string): Promise<void> {
    await ensureNamespace(this.client, name, never);
  }

  /** A namespace with one OperatorGroup; without `spec` it targets itself. */
  async tenant(namespace: string, spec: OperatorGroup["spec"] = { targetNamespaces: [namespace] }): Promise<void> {
    await this.namespace(namespace);
    await this.group(namespace, "group", spec);
  }

  async group(namespace: string, name: string, spec: OperatorGroup["spec"]): Promise<void> {
    const group: OperatorGroup = {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { namespace, name },
      ...(spec === undefined ? {} : { spec }),
    };
    await this.create(operatorGroups, group);
  }

  /** A Subscription of the package's own name to the demo catalog. */
  async subscribe(namespace: string, name: string, spec: Partial<SubscriptionSpec> = {}): Promise<void> {
    await this.create(subscriptions, {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { namespace, name },
      spec: { name, source: catalogName, sourceNamespace: globalNamespace, channel: "stable", ...spec },
    });
  }

  /** A ClusterExtension of the package's own name into a namespace of that name. */
  async extend(name: string, version?: string, spec: Partial<ClusterExtensionSpec> = {}): Promise<void> {
    await this.namespace(spec.namespace ?? name);
    await this.create(clusterExtensions, {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name },
      spec: {
        namespace: name,
        source: {
          sourceType: "Catalog",
          catalog: { packageName: name, ...(version === undefined ? {} : { version }) },
        },
        ...spec,
      },
    });
  }

  /** Approves the InstallPlan in the namespace that is pending approval and contains this CSV. */
  async approve(namespace: string, csv: string): Promise<void> {
    const plan = await this.until(`a plan in ${namespace} that brings ${csv} and waits`, async () => {
      const plans: readonly InstallPlan[] = await this.client.list(installPlans, { namespace });
      return plans.find(
        ({ spec, status }) => spec.clusterServiceVersionNames.includes(csv) && status?.phase === "RequiresApproval",
      );
    });
    await this.merge(installPlans, { namespace, name: plan.metadata.name ?? "" }, { spec: { approved: true } });
  }

  /** Polls until `look` returns neither undefined nor false. @throws with `what` and the last value of `seen` */
  async until<Answer>(
    what: string,
    look: () => Promise<Answer | undefined | false>,
    { seen }: { readonly seen?: () => Promise<unknown> } = {},
  ): Promise<Answer> {
    const deadline = systemClock.monotonic() + patienceMs;
    for (;;) {
      const answer = await look();
      if (answer !== undefined && answer !== false) return answer;
      if (systemClock.monotonic() > deadline) {
        const last = seen === undefined ? "" : `; last seen: ${JSON.stringify(await seen())}`;
        throw new Error(`after ${patienceMs} ms there was not ${what}${last}`);
      }
      await systemClock.sleep(15, never);
    }
  }

  /** Waits until the object satisfies the condition; the error of a timeout shows its status. */
  async reaches<Type extends KubeObject>(
    type: ResourceType<Type>,
    key: ObjectKey,
    what: string,
    wanted: (object: Type) => boolean,
  ): Promise<Type> {
    const get = (): Promise<Type | undefined> => this.client.get(type, key);
    return this.until(
      `${type.kind} ${key.namespace === undefined ? "" : `${key.namespace}/`}${key.name} ${what}`,
      async () => {
        const object = await get();
        return object !== undefined && wanted(object) ? object : undefined;
      },
      {
        seen: async () =>
          ((await get()) as { readonly status?: unknown } | undefined)?.status ?? "no such object or no status",
      },
    );
  }

  /** Waits until the object does not exist. */
  async vanishes(type: ResourceType, key: ObjectKey): Promise<void> {
    await this.until(`${type.kind} ${key.name} gone`, async () => (await this.client.get(type, key)) === undefined);
  }

  /** Waits until engine and API server are idle. */
  async settled(): Promise<void> {
    await settled({ server: this.#server, engine: this.engine, client: this.client });
  }

  /** Passes of all controllers since the engine started, by controller. */
  passes(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { name, labels, value } of this.metrics.snapshot())
      if (name === "reconciles_total") {
        const controller = String(labels["controller"]);
        counts[controller] = (counts[controller] ?? 0) + value;
      }
    return counts;
  }

  async pause(ms: number): Promise<void> {
    await systemClock.sleep(ms, never);
  }
}
