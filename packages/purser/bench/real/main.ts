import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { leases, namespaces } from "@purser/kubernetes/apis/resources";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { keyOf, type ObjectKey } from "@purser/kubernetes/apis/object";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { written } from "@purser/kubernetes/kube/refusal";
import { kubectlOf, memoryOf } from "../../../../bench/built-purser.ts";
import type { Figure } from "../../../../bench/figure.ts";
import { clusterServiceVersions, olmConfigs, subscriptions } from "../../src/apis/olm-resources.ts";
import { freePort } from "../../src/image/testing/free-port.ts";
import { inParallel } from "../in-parallel.ts";
import { realPackages, writeRealPackages } from "../real-packages.ts";
import { type MeasuredProcess, startMeasured } from "../scale/measured-process.ts";
import { writeOperators } from "../scale/operators.ts";
import { bareDeployments, create, createTenant, type Reached, subscribe, until } from "./cluster.ts";
import { asManifest, type LiveObject, liveObjects, nameOf } from "./live-objects.ts";

export interface RealInput {
  readonly scratch: string;
  readonly kubeconfig: string;
  /** Directories of the data beside the repository. */
  readonly catalog: string;
  readonly bundles: string;
}

const warmRuns = 5;
const burstSize = 20;
const copies = 105;
const idleSeconds = 60;

/** OLM v0's work on a control plane of Kubernetes that nobody has used before, each figure when it is measured. */
export async function* realFigures(input: RealInput): AsyncGenerator<Figure> {
  const running: MeasuredProcess[] = [];
  try {
    yield* figuresOf(input, running);
  } finally {
    for (const purser of running) await purser.stop();
  }
}

async function* figuresOf(
  { scratch, kubeconfig, catalog, bundles }: RealInput,
  running: MeasuredProcess[],
): AsyncGenerator<Figure> {
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${kubeconfig}`);
  const client = createClient(httpTransport(access.value), { userAgent: "bench" });
  const made = writeOperators(scratch, warmRuns + burstSize + 1, 1);
  const burst = writeRealPackages(join(scratch, "burst"), bundles);
  const catalogs = ["--catalog", `community=${catalog}`, "--catalog", `burst=${burst}`, "--bundles", bundles];
  const args = ["--kubeconfig", kubeconfig, "--install-crds", ...made.args, ...catalogs];
  const purser = await startMeasured(args, await freePort(), join(scratch, "cache"), () => undefined);
  running.push(purser);
  await sleep(5000);
  const wanted = made.packages.map(({ name, catalog: source }) => ({
    namespace: `real-${name}`,
    packageName: name,
    catalog: source,
    channel: "stable",
  }));
  await inParallel(wanted, 8, ({ namespace }) =>
    createTenant(client, namespace, namespace === wanted.at(-1)?.namespace ? "all" : "own"),
  );
  await sleep(3000);
  const warm: Reached[] = [];
  for (const one of wanted.slice(0, warmRuns)) {
    warm.push(await subscribe(client, [one]));
    await sleep(2000);
  }
  yield { name: "Subscription to InstallPlan", unit: "ms", runs: warm.map(({ planMs }) => planMs), goal: 50 };
  const succeeded = warm.map(({ succeededMs }) => succeededMs);
  yield { name: "Subscription to CSV `Succeeded`", unit: "ms", runs: succeeded, goal: 300 };

  const beforeBurst = await requestsOf(purser);
  const many = await subscribe(client, wanted.slice(warmRuns, warmRuns + burstSize));
  const title = `${burstSize} Subscriptions in ${burstSize} namespaces`;
  yield { name: `${title}, last InstallPlan`, unit: "ms", runs: [many.planMs] };
  yield { name: "the same, last `Succeeded`", unit: "ms", runs: [many.succeededMs], goal: 3000 };
  await sleep(5000);
  yield { name: "requests until 5 s later", unit: "", runs: [(await requestsOf(purser)) - beforeBurst] };
  const bare = await bareDeployments(client, "default", burstSize);
  yield {
    name: `${burstSize} Deployments that only this bench creates, until all are available`,
    unit: "ms",
    runs: [bare],
  };
  yield { name: "last `Succeeded` over that", unit: "x", runs: [many.succeededMs / bare], goal: 1.5 };
  await sleep(5000);

  const idle = await idleRequests(client, purser);
  yield { name: `requests beside the lease in ${idleSeconds} idle seconds`, unit: "", runs: [idle], goal: 1 };
  const resident = memoryOf(purser.pid)?.residentMB;
  yield {
    name: `resident memory with ${warmRuns + burstSize} operators and the v4.20 catalog`,
    unit: "MB",
    runs: resident === undefined ? [] : [resident],
    goal: 150,
  };

  const copied = await switchCopiesOn(client, purser, wanted.slice(-1));
  yield { name: `${copies} copies switched on, last copy`, unit: "ms", runs: [copied.ms], goal: 1500 };
  yield { name: "requests until 5 s later", unit: "", runs: [copied.requests], goal: 251 };
  yield* installRealPackages(client, purser, scratch, kubeconfig);
}

async function requestsOf(purser: MeasuredProcess): Promise<number> {
  const text = await (await fetch(purser.metricsUrl)).text();
  return [...text.matchAll(/^purser_api_requests_total\{.*\} (\S+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** From right after one renewal of the lease until right after another. Watches that the API server ends meanwhile begin again, which counts. */
async function idleRequests(client: KubeClient, purser: MeasuredProcess): Promise<number> {
  const stop = new AbortController();
  let renewals = 0;
  const follow = async (): Promise<void> => {
    for await (const { type, object } of client.watch(leases, { namespace: "kube-system" }, {}, stop.signal))
      if (type === "MODIFIED" && object.metadata.name?.startsWith("purser") === true) renewals++;
  };
  const following = follow().catch(() => undefined);
  const afterRenewal = async (): Promise<{ readonly renewed: number; readonly sent: number }> => {
    const seen = renewals;
    while (renewals === seen) await sleep(20);
    await sleep(500);
    return { renewed: renewals, sent: await requestsOf(purser) };
  };
  const before = await afterRenewal();
  await sleep(idleSeconds * 1000);
  const after = await afterRenewal();
  stop.abort();
  await following;
  return after.sent - before.sent - (after.renewed - before.renewed);
}

type Global = Parameters<typeof subscribe>[1][number];

async function switchCopiesOn(
  client: KubeClient,
  purser: MeasuredProcess,
  global: readonly Global[],
): Promise<{ readonly ms: number; readonly requests: number }> {
  const existing = await client.list(namespaces);
  const missing = copies + 1 - existing.length;
  await inParallel(
    Array.from({ length: Math.max(0, missing) }, (_, index) => `copies-${index}`),
    8,
    (name) => create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
  );
  await subscribe(client, global);
  await sleep(5000);
  const before = await requestsOf(purser);
  const stop = new AbortController();
  const all = until(client, clusterServiceVersions, stop.signal, copies, ({ metadata, status }) =>
    metadata.labels?.["olm.copiedFrom"] !== undefined &&
    (status as { phase?: string } | undefined)?.phase === "Succeeded"
      ? [metadata.namespace ?? ""]
      : [],
  );
  await all.begun;
  const started = performance.now();
  await copying(client, true);
  const ms = (await all.reached) - started;
  await sleep(5000);
  stop.abort();
  const requests = (await requestsOf(purser)) - before;
  await copying(client, false);
  await sleep(5000);
  return { ms, requests };
}

/** Subscriptions and CSVs first, while Purser runs: the finalizer of a CSV is its own. */
async function removeAll(client: KubeClient, all: readonly Global[], made: readonly LiveObject[]): Promise<void> {
  const remove = async (type: ResourceType, key: ObjectKey): Promise<void> => {
    await client.write({ verb: "delete", type, key }, AbortSignal.timeout(60_000));
  };
  for (const { namespace, packageName: name } of all) await remove(subscriptions, { namespace, name });
  const ofCsvs = made.filter(({ type }) => type === clusterServiceVersions);
  for (const { type, object } of ofCsvs) await remove(type, keyOf(object));
  await sleep(5000);
  for (const { type, object } of made.toReversed()) await remove(type, keyOf(object));
  const names = new Set(made.map(({ type, object }) => nameOf(type, object)));
  const left = async (): Promise<number> =>
    (await liveObjects(client, new Set())).filter(({ type, object }) => names.has(nameOf(type, object))).length;
  for (let waited = 0; (await left()) > 0; waited++) {
    if (waited > 60) throw new Error(`${await left()} objects of the packages are still there`);
    await sleep(1000);
  }
}

async function copying(client: KubeClient, isOn: boolean): Promise<void> {
  const patch = { spec: { features: { disableCopiedCSVs: !isOn } } };
  const key = { name: "cluster" };
  const signal = AbortSignal.timeout(10_000);
  written(await client.write({ verb: "patch", type: olmConfigs, key, patchType: "merge", patch }, signal));
}

async function* installRealPackages(
  client: KubeClient,
  purser: MeasuredProcess,
  scratch: string,
  kubeconfig: string,
): AsyncGenerator<Figure> {
  await createTenant(client, "burst", "all");
  const before = new Set((await liveObjects(client, new Set())).map(({ type, object }) => nameOf(type, object)));
  const requestsBefore = await requestsOf(purser);
  const processorBefore = purser.processorMs();
  const all = realPackages.map((packageName) => ({
    namespace: "burst",
    packageName,
    catalog: "burst",
    channel: "all",
  }));
  const reached = await subscribe(client, all);
  const title = `${all.length} real packages`;
  yield { name: `${title}, last InstallPlan`, unit: "ms", runs: [reached.planMs] };
  yield { name: "the same, last `Succeeded`", unit: "ms", runs: [reached.succeededMs] };
  const processor = purser.processorMs() - processorBefore;
  yield { name: "processor time of Purser until then", unit: "ms", runs: [processor] };
  await sleep(10_000);
  yield { name: "requests until 10 s later", unit: "", runs: [(await requestsOf(purser)) - requestsBefore] };
  const made = await liveObjects(client, before);
  const file = join(scratch, "real-packages.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: made.map(asManifest) }));
  await removeAll(client, all, made);
  await purser.stop();
  await sleep(5000);
  const began = performance.now();
  const kubectl = kubectlOf(process.env) ?? "kubectl";
  const { status, stderr } = spawnSync(kubectl, ["--kubeconfig", kubeconfig, "create", "-f", file], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`kubectl create failed: ${stderr}`);
  const kubectlMs = performance.now() - began;
  yield { name: `\`kubectl create\` of the same ${made.length} objects`, unit: "ms", runs: [kubectlMs] };
  yield {
    name: "last `Succeeded` over `kubectl create`",
    unit: "x",
    runs: [reached.succeededMs / kubectlMs],
    goal: 1.5,
  };
}
