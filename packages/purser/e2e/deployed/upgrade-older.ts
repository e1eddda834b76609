// `node packages/purser/e2e/deployed/upgrade-older.ts --kubeconfig FILE --older PURSER_JS [--installations 50]`: what an older package
// installed goes on unchanged when the manifests of this one are applied. PURSER_JS is `packages/purser/dist/purser.js` of the older
// sources, which ran as `purser run --install-crds`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaced,
  namespaces,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import { written as accepted } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  operators,
  subscriptions,
} from "../../src/apis/olm-resources.ts";
import { defaultValues, withValues } from "../../src/deploy/values.ts";
import { installationsOf } from "../../src/installation/installation.ts";
import { writeOperators } from "../../bench/scale/operators.ts";
import { eventually } from "../eventually.ts";
import { connectWith } from "../surroundings.ts";
import { deploy } from "./deployment.ts";
import { canMount } from "./pod-runner.ts";

const { values: given } = parseArgs({
  options: {
    kubeconfig: { type: "string", default: process.env["PURSER_E2E_KUBECONFIG"] ?? "" },
    older: { type: "string", default: process.env["PURSER_E2E_OLDER"] ?? "" },
    installations: { type: "string", default: "50" },
    /** Seconds in which nothing may be written afterwards. */
    rest: { type: "string", default: "120" },
  },
});
const kubectl = findKubectl(process.env);
if (given.kubeconfig === "" || given.older === "" || kubectl === undefined || !canMount()) {
  console.error("needs --kubeconfig FILE, --older PURSER_JS, kubectl, and root for unshare --mount");
  process.exit(2);
}
const never = new AbortController().signal;
const scratch = mkdtempSync(join(tmpdir(), "purser-upgrade-"));
const cluster = connectWith(given.kubeconfig);
const { client } = cluster;
const count = Number(given.installations);
const { args, packages } = writeOperators(scratch, count, 2);

const replicaSets = namespaced("apps", "v1", "ReplicaSet", "replicasets");
const pods = namespaced("", "v1", "Pod", "pods");
/** What an upgrade of Purser must not change: of each object the uid and what only a change of its spec changes. */
const watched: readonly ResourceType[] = [
  deployments,
  replicaSets,
  pods,
  serviceAccounts,
  services,
  clusterRoles,
  customResourceDefinitions,
  clusterServiceVersions,
  subscriptions,
  clusterExtensions,
];

async function facts(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const type of watched)
    for (const object of await client.list<KubeObject>(type)) {
      const { namespace = "", name = "", uid = "", generation = 0 } = object.metadata;
      if (!namespace.startsWith("up-") && !/^(op-|things\.op-)/.test(name)) continue;
      const { template } = (asJson(object)["spec"] ?? {}) as { readonly template?: unknown };
      const rules = asJson(object)["rules"];
      found.set(
        `${type.kind} ${namespace}/${name}`,
        JSON.stringify({
          uid,
          generation,
          ...(template === undefined ? {} : { template }),
          ...(rules === undefined ? {} : { rules }),
        }),
      );
    }
  return found;
}

/** What every write changes, of the same objects and of those that Purser keeps beside them. */
async function versions(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const type of [
    ...watched,
    catalogSources,
    clusterCatalogs,
    clusterObjectSets,
    installPlans,
    operatorGroups,
    operators,
  ])
    for (const { metadata } of await client.list<KubeObject>(type))
      found.set(
        `${type.kind} ${metadata.namespace ?? ""}/${metadata.name}`,
        JSON.stringify([metadata.resourceVersion, metadata.managedFields]),
      );
  return found;
}

const differences = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));

/** Undefined when every installation is ready. */
async function unready(): Promise<string | undefined> {
  const [subs, csvs, extensions] = await Promise.all([
    client.list(subscriptions),
    client.list(clusterServiceVersions),
    client.list(clusterExtensions),
  ]);
  const all = installationsOf({ subscriptions: subs, csvs, installPlans: [], extensions });
  const late = all.filter(({ state }) => state !== "Ready");
  if (all.length < count) return `${all.length} of ${count} installations`;
  return late.length === 0
    ? undefined
    : late.map(({ reference, state, why }) => `${reference} ${state} ${why}`).join("; ");
}

async function create<Type extends KubeObject>(type: ResourceType<Type>, object: object): Promise<void> {
  accepted(await client.write({ verb: "create", type, object: object as Type }, never));
}

async function install({ name, catalog }: (typeof packages)[number], index: number): Promise<void> {
  const namespace = `up-${String(index).padStart(2, "0")}`;
  await create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  if (index % 2 === 0) {
    await create(operatorGroups, {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { namespace, name: "own" },
      spec: { targetNamespaces: [namespace] },
    });
    await create(subscriptions, {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { namespace, name },
      spec: { name, channel: "stable", source: catalog, sourceNamespace: "olm" },
    });
    return;
  }
  await create(clusterExtensions, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: {
      namespace,
      serviceAccount: { name: "default" },
      source: {
        sourceType: "Catalog",
        catalog: {
          packageName: name,
          selector: { matchLabels: { "olm.operatorframework.io/metadata.name": catalog } },
        },
      },
    },
  });
}

const say = (line: string): void =>
  console.log(`${(systemClock.monotonic() / 1000).toFixed(0).padStart(4)} s  ${line}`);
let failure = "";
const older = spawn(
  process.execPath,
  [given.older, "run", "--kubeconfig", given.kubeconfig, "--install-crds", "--no-package-api", ...args],
  { env: { ...process.env, PURSER_CACHE_DIR: join(scratch, "cache-older") }, stdio: ["ignore", "pipe", "pipe"] },
);
let olderOutput = "";
for (const stream of [older.stdout, older.stderr])
  stream.on("data", (piece: Buffer) => (olderOutput += piece.toString()));
try {
  await eventually("the older package runs", () =>
    Promise.resolve(olderOutput.includes("Ready") ? undefined : olderOutput.slice(-2000)),
  );
  for (const [index, one] of packages.entries()) await install(one, index);
  await eventually("everything is installed by the older package", unready);
  const ended = new Promise((resolve) => older.once("exit", resolve));
  older.kill("SIGTERM");
  await ended;
  const before = await facts();
  say(`${count} installations of the older package are ready: ${before.size} objects are compared`);
  const values = withValues(defaultValues, { extraArgs: args });
  const deployed = await deploy({
    kubectl,
    kubeconfig: given.kubeconfig,
    client,
    url: cluster.url,
    values,
    configMaps: [],
    directory: join(scratch, "pods"),
    takesFields: true,
  });
  try {
    await deployed.start();
    await deployed.start();
    await eventually("everything is ready with the manifests", unready);
    // Whatever a pass would change, it does within its first round.
    await systemClock.sleep(30_000, never);
    failure = (await unready()) ?? "";
    const after = await facts();
    const changed = differences(before, after);
    for (const key of changed)
      say(`changed: ${key}\n  ${before.get(key) ?? "absent"}\n  ${after.get(key) ?? "absent"}`);
    if (changed.length > 0) failure = `${changed.length} objects changed`;
    say(failure === "" ? "no object changed" : failure);
    const resting = await versions();
    await systemClock.sleep(Number(given.rest) * 1000, never);
    const written = differences(resting, await versions());
    say(`${written.length} of ${resting.size} objects were written in ${given.rest} s at rest: ${written.join(", ")}`);
    if (written.length > 0) failure ||= "objects were written at rest";
  } finally {
    await deployed.remove();
  }
} finally {
  older.kill("SIGKILL");
  cluster.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failure === "" ? 0 : 1;
