// States of list and status that follow from catalogs and rights, against the embedded cluster with the demo.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { clusterRoleBindings, clusterRoles } from "@purser/kubernetes/apis/resources";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import { runPurser } from "../testing/run-purser.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  await cluster.settled();
  const wanted = ["install", "ballast-cache@0.4.0", "--as-extension", "-n", "demo-cache", "--yes"];
  const installed = await cluster.purser(wanted);
  assert.equal(installed.exitCode, 0, installed.errors);
});
after(() => cluster.stop());

const states = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim().split(/ +/))
    .filter(([first]) => first === "-" || first === "demo-logbook")
    .map((row) => [row[1], row[5]]);

test("a pinned version below the head is an Update, and --updates lists what can be upgraded", async () => {
  const all = await cluster.purser(["list", "-A"]);
  assert.deepEqual(states(all.text), [
    ["ballast-cache", "Update"],
    ["logbook-db", "Approve"],
  ]);
  assert.match(all.text, /ballast-cache +v1 +0\.4\.0 +0\.4\.1 +Update +\S+ +0\.4\.1 can be installed/);
  assert.match(all.text, /^2 installations: 1 ready, 1 needs you\. purser status sub\/demo-logbook\/logbook-db$/m);
  const only = await cluster.purser(["list", "-A", "--state", "Update", "-o", "name"]);
  assert.equal(only.text, "ext/ballast-cache");
  assert.equal((await cluster.purser(["list", "-A", "--updates", "-o", "name"])).text.split("\n").length, 2);
  const status = await cluster.purser(["status", "ballast-cache"]);
  assert.match(status.text, /^ext\/ballast-cache {2}0\.4\.0 {2}Update for /);
  assert.match(status.text, /^Next: purser plan ext\/ballast-cache$/m);
  const plan = await cluster.purser(["upgrade", "ext/ballast-cache", "--to", "0.4.1", "--yes"]);
  assert.equal(plan.exitCode, 0);
  assert.equal((await cluster.purser(["list", "-A", "--updates", "-o", "name"])).text, "sub/demo-logbook/logbook-db");
});

test("a user who may not list ClusterServiceVersions sees Subscriptions as Unknown, with the reason", async () => {
  const metadata = { name: "sees-subscriptions" };
  const rules = [
    {
      apiGroups: ["operators.coreos.com", "olm.operatorframework.io", ""],
      resources: ["subscriptions", "clusterextensions", "namespaces"],
      verbs: ["get", "list"],
    },
  ];
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules };
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ana" }],
  };
  assert.ok((await cluster.client.write({ verb: "create", type: clusterRoles, object: role }, never)).ok);
  assert.ok((await cluster.client.write({ verb: "create", type: clusterRoleBindings, object: binding }, never)).ok);
  await cluster.settled();
  const { exitCode, text } = await cluster.purser(["list", "-A", "--as", "ana"]);
  assert.equal(exitCode, 0);
  assert.match(text, /logbook-db +v0 +- +\S+ +Unknown +- +you may not list ClusterServiceVersions/);
  assert.match(text, /ballast-cache +v1 +0\.4\.1 +- +Ready/);
});

test("status --watch prints again what changed, until it is interrupted", async () => {
  const stop = new AbortController();
  const directory = dirname(cluster.cacheDirectory);
  const env = { KUBECONFIG: join(directory, "kubeconfig"), PURSER_CACHE_DIR: cluster.cacheDirectory, HOME: directory };
  const printed: string[] = [];
  const watching = runPurser(["status", "ballast-cache", "--watch"], {
    env,
    signal: stop.signal,
    onShow: (text) => void printed.push(text),
  });
  const seen = async (what: string) => {
    for (let tries = 0; tries < 6000 && !printed.some((text) => text.includes(what)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(
      printed.some((text) => text.includes(what)),
      printed.join("\n"),
    );
  };
  await seen("  Ready for ");
  const patch = { metadata: { annotations: {} }, spec: { source: { catalog: { version: "9.9.9" } } } };
  const key = { name: "ballast-cache" };
  await cluster.client.write({ verb: "patch", type: clusterExtensions, key, patchType: "merge", patch }, never);
  await seen("  Blocked for ");
  stop.abort(new Error("interrupted"));
  await assert.rejects(watching, /interrupted/);
  assert.match(printed.join("\n"), /^Next: purser explain ext\/ballast-cache$/m);
});
