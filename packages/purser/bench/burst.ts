import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../src/apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { written } from "@purser/kubernetes/kube/refusal";
import { processorMsOf, startCluster } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { realPackages, writeRealPackages } from "./real-packages.ts";

/** Thirteen packages installed at once from bundle directories: until all have their plan or are installed, and how long others wait. */
export async function burstFigures(scratch: string, bundles: string, runs: number): Promise<readonly Figure[]> {
  const catalog = writeRealPackages(join(scratch, "burst"), bundles);
  const args = ["--ephemeral", "--catalog", `burst=${catalog}`, "--bundles", bundles];
  const cache = join(scratch, "burst-cache");
  const plans: Burst[] = [];
  const extensions: Burst[] = [];
  for (let run = 0; run < runs; run++) {
    plans.push(await onCluster(cache, args, installPlansOfAll));
    extensions.push(await onCluster(cache, args, extensionsOfAll));
  }
  const title = `${realPackages.length} packages at once`;
  return [
    { name: `${title}, Subscriptions to the last InstallPlan`, unit: "ms", runs: first(plans), goal: 1500 },
    { name: `${title}, Subscriptions until all CSVs are \`Succeeded\``, unit: "ms", runs: last(plans) },
    { name: "processor time until then, all threads", unit: "ms", runs: processor(plans) },
    { name: "longest wait of a GET meanwhile", unit: "ms", runs: waits(plans), goal: 50 },
    {
      name: `${title}, ClusterExtensions to the last ClusterObjectSet`,
      unit: "ms",
      runs: first(extensions),
      goal: 1500,
    },
    { name: `${title}, ClusterExtensions until all are \`Installed\``, unit: "ms", runs: last(extensions) },
    { name: "processor time until then, all threads", unit: "ms", runs: processor(extensions) },
    { name: "longest wait of a GET meanwhile", unit: "ms", runs: waits(extensions), goal: 50 },
  ];
}

/** When all had decided what to do, and when all had done it. */
interface Reached {
  readonly firstMs: number;
  readonly lastMs: number;
}

interface Burst extends Reached {
  readonly longestWaitMs: number;
  /** Undefined when the system does not report it. */
  readonly processorMs: number | undefined;
}

const first = (bursts: readonly Burst[]): readonly number[] => bursts.map(({ firstMs }) => firstMs);
const last = (bursts: readonly Burst[]): readonly number[] => bursts.map(({ lastMs }) => lastMs);
const processor = (bursts: readonly Burst[]): readonly number[] =>
  bursts.flatMap(({ processorMs }) => (processorMs === undefined ? [] : [processorMs]));
const waits = (bursts: readonly Burst[]): readonly number[] => bursts.map(({ longestWaitMs }) => longestWaitMs);

async function onCluster(
  cache: string,
  args: readonly string[],
  install: (client: KubeClient, signal: AbortSignal) => Promise<Reached>,
): Promise<Burst> {
  const cluster = await startCluster(cache, args);
  const access = loadKubeconfig({ path: cluster.kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${readFileSync(cluster.kubeconfig, "utf8")}`);
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  const signal = AbortSignal.timeout(300_000);
  await createOperatorGroup(client, signal);
  // Catalogs are read at the start; the measurement begins when their content is available.
  await new Promise((done) => setTimeout(done, 3000));
  const probe = await probing(cluster.kubeconfig);
  const before = processorMsOf(cluster.pid) ?? 0;
  const reached = await install(client, signal);
  const used = processorMsOf(cluster.pid);
  const longestWaitMs = await probe.stop();
  transport.close();
  await cluster.stop();
  return { ...reached, longestWaitMs, processorMs: used === undefined ? undefined : used - before };
}

/** Another client, in a thread of its own: the one that installs parses InstallPlans of a megabyte meanwhile. */
async function probing(kubeconfig: string): Promise<{ readonly stop: () => Promise<number> }> {
  const worker = new Worker(new URL("./burst-probe.ts", import.meta.url), { workerData: kubeconfig });
  await once(worker, "message");
  return {
    async stop() {
      worker.postMessage("stop");
      const [longest] = await once(worker, "message");
      return Number(longest);
    },
  };
}

async function createOperatorGroup(client: KubeClient, signal: AbortSignal): Promise<void> {
  await create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "burst" } }, signal);
  const metadata = { name: "all", namespace: "burst" };
  const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata, spec: {} };
  await create(client, operatorGroups, group, signal);
}

async function installPlansOfAll(client: KubeClient, signal: AbortSignal): Promise<Reached> {
  const started = performance.now();
  const planned = until(client, installPlans, signal, ({ spec }) => namesOf(spec));
  const succeeded = until(client, clusterServiceVersions, signal, ({ metadata, status }) =>
    (status as { readonly phase?: string } | undefined)?.phase === "Succeeded" && metadata.namespace === "burst"
      ? [metadata.name ?? ""]
      : [],
  );
  for (const name of realPackages) {
    const spec = { name, channel: "all", source: "burst", sourceNamespace: "olm" };
    const metadata = { name, namespace: "burst" };
    const subscription = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", metadata, spec };
    await create(client, subscriptions, subscription, signal);
  }
  return reachedAt(started, planned, succeeded);
}

async function reachedAt(started: number, decided: Promise<void>, done: Promise<void>): Promise<Reached> {
  const [firstMs, lastMs] = await Promise.all(
    [decided, done].map((stage) => stage.then(() => performance.now() - started)),
  );
  return { firstMs: firstMs ?? 0, lastMs: lastMs ?? 0 };
}

function namesOf(spec: unknown): readonly string[] {
  return (spec as { readonly clusterServiceVersionNames?: readonly string[] }).clusterServiceVersionNames ?? [];
}

interface ShownCondition {
  readonly type: string;
  readonly status: string;
}

async function extensionsOfAll(client: KubeClient, signal: AbortSignal): Promise<Reached> {
  const started = performance.now();
  // The status that a roll-out has begun is held back where Installed follows soon; the revision is created as it begins.
  const moved = until(client, clusterObjectSets, signal, ({ metadata }) => {
    const owner = metadata.labels?.["olm.operatorframework.io/owner-name"];
    return owner === undefined ? [] : [owner];
  });
  const installed = until(client, clusterExtensions, signal, ({ metadata, status }) => {
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly ShownCondition[] };
    return conditions.some((shown) => shown.type === "Installed" && shown.status === "True")
      ? [metadata.name ?? ""]
      : [];
  });
  for (const name of realPackages) {
    const extension = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name },
      spec: {
        namespace: "burst",
        serviceAccount: { name: "default" },
        source: { sourceType: "Catalog", catalog: { packageName: name } },
      },
    };
    await create(client, clusterExtensions, extension, signal);
  }
  return reachedAt(started, moved, installed);
}

/** Until the objects of the type stand for as many names as there are realPackages. */
async function until<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  signal: AbortSignal,
  names: (object: Type & { readonly spec?: unknown; readonly status?: unknown }) => readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  for await (const event of client.watch(type, {}, {}, signal)) {
    if (event.type === "BOOKMARK") continue;
    for (const name of names(event.object as Type)) seen.add(name);
    if (seen.size >= realPackages.length) return;
  }
}

async function create(client: KubeClient, type: ResourceType, object: object, signal: AbortSignal): Promise<void> {
  written(await client.write({ verb: "create", type, object: object as KubeObject }, signal));
}
