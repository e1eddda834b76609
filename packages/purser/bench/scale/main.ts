// `node packages/purser/bench/scale/main.ts --kubeconfig FILE [--namespaces 1000] [--operators 200] [--copies 5000] [--catalogs 50]
// [--soak MINUTES] [--keep]`: a large cluster under the built package, on a control plane that is already there.
import { appendFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { clusterServiceVersions, olmConfigs, operatorGroups, subscriptions } from "../../src/apis/olm-resources.ts";
import { freePort } from "../../src/image/testing/free-port.ts";
import { buildPackage, scratchDirectory } from "../../../../bench/built-purser.ts";
import { inParallel } from "../in-parallel.ts";
import { startMeasured } from "./measured-process.ts";
import { writeOperators } from "./operators.ts";
import { slopePerHour } from "./slope.ts";

const { values: given } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    namespaces: { type: "string", default: "1000" },
    operators: { type: "string", default: "200" },
    copies: { type: "string", default: "5000" },
    catalogs: { type: "string", default: "50" },
    soak: { type: "string", default: "0" },
    out: { type: "string", default: "" },
  },
});
const { kubeconfig = "" } = given;
const access = loadKubeconfig({ path: kubeconfig, env: {} });
if (!access.ok) {
  console.error("which cluster? --kubeconfig FILE");
  process.exit(2);
}
const sizes = {
  namespaces: Number(given.namespaces),
  operators: Number(given.operators),
  copies: Number(given.copies),
  catalogs: Number(given.catalogs),
};
/** Operators of all namespaces, of which each namespace gets copies. */
const global = Math.ceil(sizes.copies / sizes.namespaces);
const never = new AbortController().signal;
const client = createClient(httpTransport(access.value), { userAgent: "bench" });
const say = (line: string): void => {
  console.log(line);
  if (given.out !== "") appendFileSync(given.out, `${line}\n`);
};
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

async function ensure<Type extends KubeObject>(type: ResourceType<Type>, object: object): Promise<void> {
  const created = await client.write({ verb: "create", type, object: object as Type }, never);
  if (!created.ok && created.problem.kind !== "alreadyExists") throw new Error(created.problem.status.message);
}

buildPackage();
const scratch = scratchDirectory();
const cache = join(scratch, "cache");
const { args, packages } = writeOperators(scratch, sizes.operators, sizes.catalogs);
const run = ["--kubeconfig", kubeconfig, "--install-crds", ...args];
const port = await freePort();
const log = new Map<string, number>();
const onLine = (text: string): void => {
  const message = /"level":"(?:warn|error)","message":"([^"]*)"/.exec(text)?.[1];
  if (message !== undefined) log.set(message, (log.get(message) ?? 0) + 1);
};
const start = (): ReturnType<typeof startMeasured> => startMeasured(run, port, cache, onLine);
const metric = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
const counts = async (
  url: string,
): Promise<{ requests: number; waits: number; slow: number; ms: number; series: number }> => {
  const before = performance.now();
  const text = await (await fetch(url)).text();
  return {
    ms: performance.now() - before,
    series: text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length,
    requests: metric(text, /^purser_api_requests_total\{.*\} (\S+)$/gm),
    waits: metric(text, /^purser_queue_wait_seconds_count\{.*\} (\S+)$/gm),
    slow:
      metric(text, /^purser_queue_wait_seconds_count\{.*\} (\S+)$/gm) -
      metric(text, /^purser_queue_wait_seconds_bucket\{le="1",.*\} (\S+)$/gm),
  };
};

say(`sizes ${JSON.stringify(sizes)}, load ${loadavg()[0]?.toFixed(1)}`);
let began = performance.now();
let purser = await start();
say(`Ready with ${sizes.catalogs} new catalogs: ${(purser.readyMs / 1000).toFixed(1)} s`);
await ensure(olmConfigs, {
  apiVersion: "operators.coreos.com/v1",
  kind: "OLMConfig",
  metadata: { name: "cluster" },
  spec: { features: { disableCopiedCSVs: true } },
});
const copying = { spec: { features: { disableCopiedCSVs: false } } };
await client.write(
  { verb: "patch", type: olmConfigs, key: { name: "cluster" }, patchType: "merge", patch: copying },
  never,
);
const names = Array.from({ length: sizes.namespaces }, (_, index) => `scale-${String(index).padStart(4, "0")}`);
began = performance.now();
await inParallel(names, 8, (name) => ensure(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } }));
say(`${names.length} namespaces: ${seconds(began)} s`);

began = performance.now();
const processorBefore = purser.processorMs();
const placed = packages.map((wanted, index) => ({
  ...wanted,
  namespace: index < global ? "operators" : (names[index] ?? ""),
}));
await inParallel(placed, 4, async ({ name, catalog, namespace }) => {
  const apiVersion = "operators.coreos.com/v1";
  const group = {
    apiVersion,
    kind: "OperatorGroup",
    metadata: { name: "own", namespace },
    spec: { targetNamespaces: [namespace] },
  };
  if (namespace !== "operators") await ensure(operatorGroups, group);
  const spec = { name, channel: "stable", source: catalog, sourceNamespace: "olm" };
  await ensure(subscriptions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace },
    spec,
  });
});
for (let last = -1; ; await sleep(2000)) {
  const csvs = await client.list(clusterServiceVersions);
  const copies = csvs.filter(({ metadata }) => metadata.labels?.["olm.copiedFrom"] !== undefined).length;
  const done = csvs.filter(
    ({ metadata, status }) => metadata.labels?.["olm.copiedFrom"] === undefined && status?.phase === "Succeeded",
  ).length;
  if (done + copies !== last) say(`  ${seconds(began)} s: ${done} Succeeded, ${copies} copies`);
  last = done + copies;
  if (done >= sizes.operators && copies >= global * (sizes.namespaces - 1)) break;
  if (performance.now() - began > 2_400_000) {
    say("gave up after 40 minutes");
    break;
  }
}
say(
  `all installed: ${seconds(began)} s, processor ${((purser.processorMs() - processorBefore) / 1000).toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)}`,
);
const installed = await counts(purser.metricsUrl);
say(`requests ${installed.requests}, keys that waited over 1 s: ${installed.slow} of ${installed.waits}`);
await sleep(20_000);
const held = await purser.memory();
say(`memory after a collection: heap ${held.heapMB.toFixed(0)} MB, RSS ${held.rssMB.toFixed(0)} MB`);
const scrapes = [];
for (let index = 0; index < 10; index++) scrapes.push(await counts(purser.metricsUrl));
say(`/metrics: ${scrapes[0]?.series} series, ${scrapes.map(({ ms }) => ms.toFixed(0)).join(" ")} ms`);
await purser.stop();
began = performance.now();
purser = await start();
for (let last = -1; ; await sleep(1000)) {
  const { waits } = await counts(purser.metricsUrl);
  if (waits === last) break;
  last = waits;
}
say(
  `restart: Ready after ${(purser.readyMs / 1000).toFixed(1)} s, queues at rest after ${seconds(began)} s, processor ${(purser.processorMs() / 1000).toFixed(1)} s`,
);
const restarted = await counts(purser.metricsUrl);
say(`requests of the restart: ${restarted.requests}`);
const first = await purser.memory();
say(`memory after the restart: heap ${first.heapMB.toFixed(0)} MB, RSS ${first.rssMB.toFixed(0)} MB`);

const minutes = Number(given.soak);
const ends = performance.now() + minutes * 60_000;
const samples: { hours: number; heapMB: number; rssMB: number }[] = [];
const beganSoak = performance.now();
for (let round = 0; performance.now() < ends; round++) {
  // A tenant comes and goes, as in a cluster where people work.
  const { name, catalog } = placed.at(-1 - (round % 20)) ?? placed[0] ?? { name: "", catalog: "" };
  const namespace = placed.find((other) => other.name === name)?.namespace ?? "";
  await client.write(
    { verb: "delete", type: clusterServiceVersions, key: { namespace, name: `${name}.v1.0.0` } },
    never,
  );
  await client.write({ verb: "delete", type: subscriptions, key: { namespace, name } }, never);
  await sleep(8000);
  const spec = { name, channel: "stable", source: catalog, sourceNamespace: "olm" };
  await ensure(subscriptions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace },
    spec,
  });
  await sleep(12_000);
  if (round % 3 !== 0) continue;
  const hours = (performance.now() - beganSoak) / 3_600_000;
  const memory = await purser.memory();
  samples.push({ hours, ...memory });
  say(
    `  soak ${(hours * 60).toFixed(1)} min: heap ${memory.heapMB.toFixed(1)} MB, RSS ${memory.rssMB.toFixed(0)} MB, load ${loadavg()[0]?.toFixed(1)}`,
  );
}
if (samples.length > 3) {
  // The first minutes warm caches and compiled code up.
  const settled = samples.slice(Math.floor(samples.length / 4));
  const after = await counts(purser.metricsUrl);
  say(
    `soak of ${minutes} min: heap ${slopePerHour(settled.map(({ hours, heapMB }) => [hours, heapMB])).toFixed(2)} MB/h, RSS ${slopePerHour(settled.map(({ hours, rssMB }) => [hours, rssMB])).toFixed(1)} MB/h`,
  );
  say(
    `requests per second: ${((after.requests - restarted.requests) / (minutes * 60)).toFixed(1)}; keys that waited over 1 s: ${after.slow - restarted.slow} of ${after.waits - restarted.waits}`,
  );
}
await purser.stop();
say(`warnings and errors: ${JSON.stringify(Object.fromEntries(log))}`);
process.exit(0);
