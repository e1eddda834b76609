import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Counters } from "@purser/kubernetes/kube/counters";
import type { Log } from "@purser/kubernetes/kube/log";
import { unreadTypes } from "../endpoints/doors/unread-types.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { ApiFamily } from "../apis/api-family.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import { AccessReviews } from "../endpoints/callers/access-reviews.ts";
import { TokenReviews } from "../endpoints/callers/token-reviews.ts";
import type { ExplainPort } from "../endpoints/explain/explain-port.ts";
import type { ServerCertificates } from "../registry-api/http/tls-server.ts";
import { type CertificateFiles, followCertificates, readCertificates } from "./certificate-files.ts";
import { type MeasuredObjects, stateSamples, syncLabels } from "../metrics/state-samples.ts";
import type { Engine } from "./start-engine.ts";

/** Where an instance answers for its health, its metrics and its inner state. */
export interface DoorServing {
  readonly host: string;
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly files?: CertificateFiles;
  /** Serves debug pages without TLS. */
  readonly debug: boolean;
}

export interface DoorProblem {
  readonly kind: "metricsAddress";
  readonly address: string;
  readonly message: string;
}

export interface DoorsOptions {
  readonly engine: Engine;
  /** The objects of the others are neither read nor counted. */
  readonly families: readonly ApiFamily[];
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Counters;
  readonly explain: ExplainPort;
}

/** Opens the doors; the result closes them. */
export async function openDoors(
  { host, port, files, debug }: DoorServing,
  options: DoorsOptions,
): Promise<Result<() => Promise<void>, DoorProblem>> {
  const { engine, client, clock, log, metrics } = options;
  const refused = (message: string): Result<never, DoorProblem> =>
    failed({ kind: "metricsAddress", address: `${host}:${port}`, message });
  let certificates: ServerCertificates | undefined;
  try {
    certificates = files === undefined ? undefined : await readCertificates(files);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  // Loaded only here: without doors nobody needs the metrics library.
  const [{ MetricsPage }, { listenAtDoor }] = await Promise.all([
    import("../endpoints/doors/metrics-page.ts"),
    import("../endpoints/doors/door-listener.ts"),
  ]);
  const page = new MetricsPage(metrics);
  const stopping = new AbortController();
  let hasSynced = false;
  void engine.synced().then(() => (hasSynced = true));
  /** Once ready, a process stays so: it serves what it has while the rights of its ServiceAccount are repaired. */
  let wasReady = false;
  const cachesProblem = (): { readonly problem?: string } => {
    const unfollowed = wasReady ? [] : engine.cache.unfollowed();
    wasReady ||= hasSynced && unfollowed.length === 0;
    return wasReady ? {} : { problem: unreadTypes(unfollowed) };
  };
  const endCounting = countUpgrades(options);
  const listening = await listenAtDoor(
    {
      inside: {
        checks: () => [{ name: "caches", ...cachesProblem() }],
        explain: options.explain,
        queues: () => ({ leading: engine.leading(), queues: engine.queues() }),
        async metrics() {
          const leading = { name: "purser_leading", labels: {}, value: engine.leading() ? 1 : 0 };
          // Sums over processes stay right, because only one of them shows the cluster's objects.
          if (!hasSynced || leading.value === 0) return page.text([leading]);
          const objects = await measuredObjects(engine, options.families);
          dropOldSeries(metrics, objects);
          return page.text([leading, ...stateSamples(objects)]);
        },
      },
      access:
        files === undefined
          ? { kind: "open", debug }
          : { kind: "reviewed", tokens: new TokenReviews(client, clock), reviews: new AccessReviews(client, clock) },
      ...(certificates === undefined ? {} : { certificates }),
      clock,
      log,
    },
    { host, port },
  );
  if (!listening.ok) {
    stopping.abort(new Error("the metrics address cannot be opened"));
    endCounting();
    return refused(listening.problem.message);
  }
  const renewing =
    files === undefined
      ? Promise.resolve()
      : followCertificates(
          files,
          certificates,
          listening.value,
          { address: "metrics address", clock, log },
          stopping.signal,
        );
  return done(async () => {
    stopping.abort(new Error("the metrics address is closed"));
    endCounting();
    await Promise.all([renewing, listening.value.stop()]);
  });
}

/** From the controllers' caches: no request is sent. */
async function measuredObjects({ cache }: Engine, families: readonly ApiFamily[]): Promise<MeasuredObjects> {
  const [servesV0, servesV1] = [families.includes("v0"), families.includes("v1")];
  const [subs, csvs, plans, sources, extensions, catalogs] = await Promise.all([
    servesV0 ? cache.list(subscriptions) : [],
    servesV0 ? cache.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }) : [],
    servesV0 ? cache.list(installPlans) : [],
    servesV0 ? cache.list(catalogSources) : [],
    servesV1 ? cache.list(clusterExtensions) : [],
    servesV1 ? cache.list(clusterCatalogs) : [],
  ]);
  return {
    subscriptions: subs,
    csvs,
    installPlans: plans,
    catalogSources: sources,
    extensions,
    clusterCatalogs: catalogs,
  };
}

const snapshots = "catalog_source_snapshots_total";
const syncs = "subscription_sync_total";

/** Counters of objects that are gone, or whose labels changed; CatalogSources without a count begin at 0. */
function dropOldSeries(metrics: Counters, { subscriptions: subs, catalogSources: sources }: MeasuredObjects): void {
  const live = new Map<string, ReadonlySet<string>>([
    [syncs, new Set(subs.map((subscription) => JSON.stringify(syncLabels(subscription))))],
    [snapshots, new Set(sources.map((source) => JSON.stringify(sourceLabels(source))))],
  ]);
  for (const { name, labels } of metrics.snapshot())
    if (live.get(name)?.has(JSON.stringify(labels)) === false) metrics.remove(name, labels);
  for (const source of sources) metrics.add(snapshots, sourceLabels(source), 0);
}

function sourceLabels({ metadata }: MeasuredObjects["catalogSources"][number]): Readonly<Record<string, string>> {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** Counts CSVs that begin to be replaced while this process leads; the result ends it. */
function countUpgrades({ engine, families, metrics }: DoorsOptions): () => void {
  if (!families.includes("v0")) return () => undefined;
  const lease = engine.cache.acquire(
    { type: clusterServiceVersions, scope: { labelSelector: `!${copiedFromLabel}` } },
    ({ before, after }) => {
      const begins =
        before !== undefined && before.status?.phase !== "Replacing" && after?.status?.phase === "Replacing";
      if (begins && engine.leading()) metrics.add("csv_upgrade_count");
    },
  );
  return () => lease.release();
}
