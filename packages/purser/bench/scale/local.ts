// `node packages/purser/bench/scale/local.ts [--namespaces 10000] [--operators 5]`: memory of the built `purser up` with operators of
// all namespaces, whose permissions are lifted, and one group of a hundred namespaces, which get Roles and labels.
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterRoles, namespaces } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../../src/apis/olm-resources.ts";
import {
  buildPackage,
  memoryOf,
  processorMsOf,
  scratchDirectory,
  startCluster,
} from "../../../../bench/built-purser.ts";
import { inParallel } from "../in-parallel.ts";
import { writeOperators } from "./operators.ts";

const { values: given } = parseArgs({
  options: { namespaces: { type: "string", default: "10000" }, operators: { type: "string", default: "5" } },
});
const sizes = { namespaces: Number(given.namespaces), operators: Number(given.operators) };
const grouped = Math.min(100, sizes.namespaces);
const never = new AbortController().signal;

async function create<Type extends KubeObject>(client: KubeClient, type: ResourceType<Type>, object: object) {
  const created = await client.write({ verb: "create", type, object: object as Type }, never);
  if (!created.ok) throw new Error(created.problem.status.message);
}

const subscribe = (client: KubeClient, namespace: string, name: string, source: string): Promise<void> =>
  create(client, subscriptions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name, namespace },
    spec: { name, channel: "stable", source, sourceNamespace: "olm" },
  });

buildPackage();
const scratch = scratchDirectory();
// The last one is of the group of a hundred namespaces.
const { args, packages } = writeOperators(scratch, sizes.operators + 1, 1);
const cluster = await startCluster(join(scratch, "cache"), ["--data", join(scratch, "data"), ...args]);
const access = loadKubeconfig({ path: cluster.kubeconfig, env: {} });
if (!access.ok) throw new Error(JSON.stringify(access.problem));
const client = createClient(httpTransport(access.value), { userAgent: "bench" });
const show = (what: string): void => {
  const { residentMB = 0, peakMB = 0 } = memoryOf(cluster.pid) ?? {};
  const figures = `RSS ${residentMB.toFixed(0)} MB, highest ${peakMB.toFixed(0)} MB`;
  console.log(`${what}: ${figures}, load ${loadavg()[0]?.toFixed(1)}`);
};
show(`started, sizes ${JSON.stringify(sizes)}`);

const names = Array.from({ length: sizes.namespaces }, (_, index) => `scale-${String(index).padStart(5, "0")}`);
const labelled = new Set(names.slice(0, grouped));
await inParallel(names, 8, (name) => {
  const labels = labelled.has(name) ? { team: "scale" } : {};
  return create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
});
show("all namespaces");
const [own = ""] = names;
await create(client, operatorGroups, {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { name: "team", namespace: own },
  spec: { selector: { matchLabels: { team: "scale" } } },
});
for (const [index, { name, catalog }] of packages.entries())
  await subscribe(client, index < sizes.operators ? "operators" : own, name, catalog);
for (let done = -1; done < packages.length; await sleep(1000)) {
  const csvs = await client.list(clusterServiceVersions);
  done = csvs.filter(
    ({ metadata, status }) => metadata.labels?.["olm.copiedFrom"] === undefined && status?.phase === "Succeeded",
  ).length;
}
show("all operators Succeeded");
for (let used = -1; ;) {
  await sleep(5000);
  const now = processorMsOf(cluster.pid) ?? 0;
  if (now - used < 250) break;
  used = now;
}
show("at rest");
const lifted = (await client.list(clusterRoles)).filter(({ metadata }) => metadata.labels?.["olm.owner"] !== undefined);
const group = await client.get(operatorGroups, { namespace: own, name: "team" });
console.log(
  `${lifted.length} ClusterRoles of operators, the group has ${group?.status?.namespaces?.length} namespaces`,
);
for (let round = 0; round < 3; round++) {
  await sleep(20_000);
  show("later");
}
await cluster.stop();
process.exit(0);
