import type { OwnerReference } from "@purser/kubernetes/apis/object";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { serviceHosts } from "@purser/kubernetes/certificate/service-certificate";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Content } from "../../content/content.ts";
import { packageApiController, withdrawPackageApi } from "../../controllers/package-api/package-api-controller.ts";
import {
  type PackageApiAddress,
  packageApiService,
  packageServiceName,
  type ServiceAddress,
} from "../../controllers/package-api/plan/plan-package-api.ts";
import type { ExplainPort } from "../../endpoints/explain/explain-port.ts";
import { TokenReviews } from "../../endpoints/callers/token-reviews.ts";
import { AccessReviews } from "../../endpoints/callers/access-reviews.ts";
import { listenForPackages } from "../../endpoints/package-api/package-listener.ts";
import {
  packageAuthority,
  type RenewedCertificate,
  renewAfterMs,
  servingCertificate,
} from "../../endpoints/package-api/serving-certificate.ts";
import { type HeldLease, isTakenOver } from "./taken-over.ts";

const defaultPackagePort = 7445;

/** Where the cluster's API server reaches the package API of this process. */
export interface PackageServing {
  /** Name or IPv4 address; the process listens there. */
  readonly host: string;
  /** Default: 7445, or a free port when that is taken. */
  readonly port?: number;
  /** Leads to every replica; absent: a Service is made that leads to the process that leads. */
  readonly service?: ServiceAddress;
}

export interface PackageServingProblem {
  readonly kind: "packageAddress";
  readonly address: string;
  readonly message: string;
}

export interface PackageApiOptions {
  readonly client: KubeClient;
  readonly content: Content;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly globalNamespace: string;
  /** What `/explain` and `/tenancy` answer from; undefined while the process starts. */
  readonly explain: () => ExplainPort | undefined;
  /** The object with which the APIService is deleted. */
  readonly owner?: OwnerReference;
  /** The certificate that all replicas share; needed with a Service that leads to every replica. */
  readonly shared?: RenewedCertificate;
  /** The Lease of the leader; absent: there are no other replicas. */
  readonly lease?: HeldLease;
}

/** A running package API. */
export interface PackageApi {
  /** What registers it, in the process that leads. */
  readonly controllers: readonly Controller[];
  /** Withdraws the registration and ends; call it when the controllers have stopped. */
  stop(): Promise<void>;
}

/**
 * Serves `packages.operators.coreos.com` over TLS; requests come when the controllers run. With `none` it is not served,
 * and the registration of an earlier process of Purser is removed.
 */
export async function servePackages(
  serving: PackageServing | "none" | undefined,
  options: PackageApiOptions,
): Promise<Result<PackageApi, PackageServingProblem>> {
  if (serving !== undefined && serving !== "none") return startPackageApi(serving, options);
  if (serving === "none") await withdrawInTime(options, undefined);
  return done({ controllers: [], stop: () => Promise.resolve() });
}

async function startPackageApi(
  { host, port, service }: PackageServing,
  options: PackageApiOptions,
): Promise<Result<PackageApi, PackageServingProblem>> {
  const { client, content, clock, globalNamespace, log, lease, shared, explain } = options;
  const certificate = service === undefined || shared === undefined ? await ownCertificate(host, options) : shared;
  const reviews = new AccessReviews(client, clock);
  const tokens = new TokenReviews(client, clock);
  const answering = { reader: client, content, clock, globalNamespace, reviews, client, log, explain, tokens };
  const listenAt = (at: number): ReturnType<typeof listenForPackages> =>
    listenForPackages(answering, certificate.current(), { host, port: at });
  const first = await listenAt(port ?? defaultPackagePort);
  const isFree = !first.ok && first.problem.taken && port === undefined;
  const listening = isFree ? await listenAt(0) : first;
  if (!listening.ok)
    return failed({
      kind: "packageAddress",
      address: `${host}:${port ?? defaultPackagePort}`,
      message: listening.problem.message,
    });
  const listener = listening.value;
  const stopping = new AbortController();
  const renewing = (async () => {
    for await (const renewed of certificate.changes(stopping.signal)) listener.renew(renewed);
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  const address = (): PackageApiAddress => {
    const { authorityPem } = certificate.current();
    if (service === undefined)
      return {
        kind: "process",
        host,
        port: listener.port,
        authorityPem: authorityPem ?? "",
        namespace: globalNamespace,
      };
    return {
      kind: "service",
      service,
      namespace: globalNamespace,
      ...(options.owner === undefined ? {} : { owner: options.owner }),
      ...(authorityPem === undefined ? {} : { authorityPem }),
    };
  };
  return done({
    controllers: [
      packageApiController(address, service === undefined ? undefined : (until) => certificate.changes(until)),
    ],
    async stop() {
      const asked = clock.monotonic();
      // Answers until it is known whether another replica goes on.
      const goesOn = service !== undefined && lease !== undefined && (await isTakenOver(lease, options));
      if (!goesOn) await withdrawInTime(options, service === undefined ? address().authorityPem : undefined);
      stopping.abort(new Error("the package API stops"));
      await renewing;
      if (service === undefined) return listener.stop();
      // The Service leads new connections here until it has noticed that the pod ends.
      const left = noticeMs - (clock.monotonic() - asked);
      if (goesOn && left > 0) await clock.sleep(left, new AbortController().signal);
      await listener.stop(endingMs);
    },
  });
}

/** Of an authority that lives as long as the process. */
async function ownCertificate(
  host: string,
  { clock, entropy, globalNamespace }: PackageApiOptions,
): Promise<RenewedCertificate> {
  const hosts = [...serviceHosts(packageServiceName, globalNamespace), host];
  const authority = await packageAuthority(clock.now(), entropy);
  let current = await servingCertificate(authority, hosts, clock.now(), entropy);
  return {
    current: () => current,
    async *changes(signal) {
      for (;;) {
        await clock.sleep(renewAfterMs, signal);
        current = await servingCertificate(authority, hosts, clock.now(), entropy);
        yield current;
      }
    },
  };
}

/** How long a Service may take to notice that a pod ends. */
const noticeMs = 3_000;

/** A pod has half a minute to end. */
const endingMs = 10_000;

/** An API server that does not answer must not keep the process from ending. */
const withdrawMs = 5000;

async function withdrawInTime(
  { client, clock, log }: PackageApiOptions,
  authorityPem: string | undefined,
): Promise<void> {
  const ended = new AbortController();
  const late = new AbortController();
  const timer = clock.sleep(withdrawMs, ended.signal).then(
    () => late.abort(new Error("the API server does not answer")),
    () => undefined,
  );
  try {
    await withdrawPackageApi(client, authorityPem, late.signal);
  } catch (error) {
    log("error", "the APIService of the package API could not be removed: until it is, no namespace can be deleted", {
      error: String(error),
      do: `kubectl delete apiservice ${packageApiService}`,
    });
  } finally {
    ended.abort();
    await timer;
  }
}
