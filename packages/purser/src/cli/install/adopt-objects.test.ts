// adopt of objects that no CSV installs, on the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kindOf } from "@purser/kubernetes/apis/resource-type";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { deployments, pods, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const namespace = "demo-cache";
const bundles = join(import.meta.dirname, "../../../demo/default/bundles/ballast-cache");
const deployment = { namespace, name: "ballast-cache-controller" };
const objects = `${namespace}/ballast-cache-controller`;

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  const gone = await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  assert.equal(gone.exitCode, 0, gone.errors);
});
after(() => cluster.stop());

/** What `purser bundle render` prints for the version. */
async function rendered(version: string): Promise<readonly KubeObject[]> {
  const { text } = await cluster.purser(["bundle", "render", join(bundles, version), "-n", namespace]);
  return [...documentsOf(text)].map((one) => {
    assert.ok(one.ok);
    return one.value.value as unknown as KubeObject;
  });
}

/** Applies objects as `kubectl apply --server-side` does. */
async function applied(all: readonly KubeObject[]): Promise<void> {
  const discovery = createDiscovery(cluster.client);
  for (const object of all) {
    const type = await discovery.typeOf(kindOf(object), never);
    assert.ok(type !== undefined, object.kind);
    written(await cluster.client.write({ verb: "apply", type, object, fieldManager: "kubectl", force: true }, never));
  }
  await cluster.settled();
}

/** Marks an object as one that Helm installed. */
async function labelled(team: string): Promise<void> {
  const annotations = { "meta.helm.sh/release-name": "ballast", "meta.helm.sh/release-namespace": "tools" };
  const patch = { metadata: { annotations, labels: { team } } };
  const key = deployment;
  written(await cluster.client.write({ verb: "patch", type: serviceAccounts, key, patchType: "merge", patch }, never));
}

const adopt = (...args: readonly string[]) => cluster.purser(["adopt", ...args]);
const podsNow = async (): Promise<readonly (string | undefined)[]> =>
  (await cluster.client.list(pods, { namespace })).map(({ metadata }) => metadata.uid);

test("adopting plain objects needs a package, and objects that are those of a version", async () => {
  await assert.rejects(
    adopt(objects),
    (error) =>
      error instanceof UsageError &&
      error.hints.includes("purser adopt demo-cache/ballast-cache-controller --package PACKAGE"),
  );
  await assert.rejects(adopt(objects, "--package", "ballast-cache", "--approval", "Manual"), /--approval is not for/);
  const absent = await adopt(objects, "--package", "ballast-cache", "--version", "0.4.0", "--yes");
  assert.equal(absent.exitCode, 6);
  assert.deepEqual(absent.errors.split("\n"), [
    "failed The objects of demo-cache/ballast-cache-controller are not those of ballast-cache.v0.4.0  PackageNotFound",
    "  why   ballast-cache.v0.4.0 brings Deployment ballast-cache-controller; demo-cache/ballast-cache-controller is none of its objects that exist",
    "  do    purser show ballast-cache --versions      see its versions, and name one with --version",
  ]);
  const near = await adopt(objects, "--package", "ballast-cach", "--yes");
  assert.match(
    near.errors,
    /do {4}purser adopt demo-cache\/ballast-cache-controller --package ballast-cache {6}a package/,
  );
  const channel = await adopt(objects, "--package", "ballast-cache", "--channel", "nosuch", "--yes");
  assert.match(channel.errors, /has no version in channel nosuch {2}ChannelNotFound/);
});

test("objects that were applied by hand become a ClusterExtension of their version, and no pod is replaced", async () => {
  await applied(await rendered("0.4.0"));
  const before = await podsNow();
  const { metadata, spec } = (await cluster.client.get(deployments, deployment)) ?? assert.fail();
  const shown = await adopt(objects, "--package", "ballast-cache", "--dry-run");
  assert.deepEqual([shown.exitCode, shown.errors], [0, ""]);
  assert.deepEqual(
    shown.text
      .replaceAll(/sha256:\w+/g, "sha256:...")
      .split("\n")
      .slice(0, 6),
    [
      "Would take over 7 objects of demo-cache/ballast-cache-controller as ext/ballast-cache, ballast-cache 0.4.0",
      "  no pod is replaced; nothing is deleted",
      "Changes of ext/ballast-cache: install 0.4.0    sha256:...",
      "  objects     7 changed",
      "  permissions unchanged",
      "  images      unchanged",
    ],
  );
  assert.equal(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);
  assert.doesNotMatch(shown.text, /restart/);
  const { creates, objects: taken } = shown.data as unknown as { creates: KubeObject; objects: readonly unknown[] };
  assert.deepEqual([creates.kind, taken.length], ["ClusterExtension", 7]);
  const no = await cluster.purser(["adopt", objects, "--package", "ballast-cache"], "n");
  assert.deepEqual([no.exitCode, no.text], [1, "Nothing was written."]);
  assert.equal(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);

  const late = await cluster.purser(["adopt", objects, "--package", "ballast-cache"], async () => {
    await labelled("late");
    return "y";
  });
  assert.equal(late.exitCode, 7);
  assert.match(
    late.errors,
    /Nothing was written: the plan changed from sha256:\w+ to sha256:\w+; changed: live ServiceAccount demo-cache\/ballast-cache-controller$/m,
  );
  const misnamed = await adopt(objects, "--package", "ballast-cache", "--name", "Not_A_Name", "--yes");
  assert.match(misnamed.errors, /failed Cannot create ClusterExtension Not_A_Name: /);
  const marked = await cluster.client.get(serviceAccounts, deployment);
  assert.equal(marked?.metadata.annotations?.["purser.dev/kept-for"], undefined, "a mark stayed behind");
  const helped = await adopt(objects, "--package", "ballast-cache", "--yes");
  assert.deepEqual(
    [helped.exitCode, helped.text],
    [0, "ok took over 7 objects of demo-cache/ballast-cache-controller as ext/ballast-cache, ballast-cache 0.4.0"],
    helped.errors,
  );
  assert.match(
    helped.errors,
    /attention Helm release tools\/ballast still lists them, and helm uninstall would delete them; forget the release afterwards: kubectl delete secret -n tools -l owner=helm,name=ballast\n/,
  );
  await cluster.settled();
  const after = (await cluster.client.get(deployments, deployment)) ?? assert.fail();
  assert.deepEqual([after.metadata.uid, after.spec], [metadata.uid, spec]);
  assert.deepEqual(await podsNow(), before);
  assert.equal(after.metadata.ownerReferences?.[0]?.kind, "ClusterObjectSet");
  const again = await adopt(objects, "--package", "ballast-cache", "--yes");
  assert.match(again.errors, /ballast-cache is already installed as ext\/ballast-cache \(0\.4\.0\)/);
});

test("what was adopted is upgraded, and its objects belong to its ClusterExtension", async () => {
  const listed = await cluster.purser(["list", "-A"]);
  assert.match(listed.text, /^- +ballast-cache +v1 +0\.4\.0 /m);
  const set = await cluster.purser(["upgrade", "ext/ballast-cache", "--to", "0.4.1", "--yes"]);
  assert.equal(set.exitCode, 0, set.errors);
  assert.match(set.text, /0\.4\.1 is ready as ext\/ballast-cache/);
  const gone = await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  assert.equal(gone.exitCode, 0, gone.errors);
  assert.equal(await cluster.client.get(deployments, deployment), undefined);
});

test("objects whose pods would be replaced are adopted with --replace only", async () => {
  const all = await rendered("0.4.0");
  await applied(all);
  const patch = { spec: { template: { spec: { priorityClassName: null, serviceAccountName: "default" } } } };
  const key = deployment;
  written(await cluster.client.write({ verb: "patch", type: deployments, key, patchType: "merge", patch }, never));
  await cluster.settled();
  const refused = await adopt(objects, "--package", "ballast-cache", "--version", "0.4.0", "--yes");
  assert.deepEqual(refused.errors.split("\n"), [
    "failed No pod may be replaced, and ballast-cache 0.4.0 would replace those of Deployment demo-cache/ballast-cache-controller  PackageConflict",
    "  why   compared with 0.4.0",
    "  do    purser adopt demo-cache/ballast-cache-controller --package ballast-cache --version 0.4.0 --replace --dry-run --full      see the fields that differ",
    "  or    purser adopt demo-cache/ballast-cache-controller --package ballast-cache --version 0.4.0 --replace      replace the pods",
    "  or    purser install ballast-cache@0.4.0 -n demo-cache --as-subscription      the same through OLM v0, which always replaces them",
  ]);
  const seen = await adopt(objects, "--package", "ballast-cache", "--version", "0.4.0", "--replace", "--dry-run");
  assert.match(seen.text, /\n {2}pods are replaced: Deployment ballast-cache-controller\n/);
  assert.match(seen.text, /\n {2}restart +Deployment demo-cache\/ballast-cache-controller: 1 replica, which restarts/);
  const done = await adopt(objects, "--package", "ballast-cache", "--version", "0.4.0", "--replace", "--yes");
  assert.equal(done.exitCode, 0, done.errors);
  await cluster.settled();
  const { spec } = (await cluster.client.get(deployments, deployment)) ?? assert.fail();
  assert.equal(spec?.template.spec?.serviceAccountName, "ballast-cache-controller");
});

test("objects that another installation owns are not adopted", async () => {
  const owned = await adopt("demo-logbook/logbook-db-controller", "--package", "logbook-db", "--yes");
  assert.match(owned.errors, /logbook-db is already installed as sub\/demo-logbook\/logbook-db/);
});
