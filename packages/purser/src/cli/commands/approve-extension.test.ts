// approve of a ClusterExtension against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, deployments, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterExtensions, clusterUpdatePolicies } from "../../apis/olm-resources.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import type { Ran } from "../testing/run-purser.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  await cluster.purser(["uninstall", "ext/ballast-cache", "--yes"]);
  const policy = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "prod" },
    spec: { selector: { packages: ["ballast-cache"] }, approval: { patch: "Manual" } },
  };
  const made = await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object: policy }, never);
  assert.ok(made.ok);
  const place = ["--as-extension", "-n", "demo-cache", "--yes"];
  const installed = await cluster.purser(["install", "ballast-cache@0.4.0", ...place]);
  assert.equal(installed.exitCode, 0, installed.errors);
  const patch = { spec: { source: { catalog: { version: null } } } };
  const key = { name: "ballast-cache" };
  await cluster.client.write({ verb: "patch", type: clusterExtensions, key, patchType: "merge", patch }, never);
});
after(() => cluster.stop());

const approve = (...args: readonly string[]): Promise<Ran> => cluster.purser(["approve", "ext/ballast-cache", ...args]);
const annotation = async (): Promise<string | undefined> =>
  (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.metadata.annotations?.[
    "purser.dev/approved-plan"
  ];

test("an upgrade that waits for approval is shown as Approve, and upgrade and explain name the command", async () => {
  const list = await cluster.eventually(["list", "-A"], /ballast-cache .*Approve/);
  assert.match(list.text, /ballast-cache .*Approve.*ballast-cache\.v0\.4\.1 is held back by ClusterUpdatePolicy prod/);
  const refused = await cluster.purser(["upgrade", "ext/ballast-cache", "--yes"]);
  assert.equal(refused.exitCode, 4);
  assert.match(refused.errors, /ApprovalRequired\n[^]*do {4}purser approve ext\/ballast-cache/);
  const effective = await cluster.purser(["policy", "effective", "ext/ballast-cache"]);
  assert.deepEqual(effective.text.split("\n"), [
    "ClusterUpdatePolicy prod decides for ext/ballast-cache: approval of patch upgrades",
    "  held      0.4.1: ClusterUpdatePolicy prod: patch upgrades need approval",
    "  allowed   no newer version",
  ]);
});

test("a dry run shows what the upgrade changes with its digest, and writes nothing", async () => {
  const dry = await approve("--dry-run");
  assert.deepEqual([dry.exitCode, dry.errors], [0, ""]);
  assert.match(dry.text, /^Changes of ext\/ballast-cache: 0\.4\.0 -> 0\.4\.1 {4}sha256:[0-9a-f]{64}\n/);
  assert.deepEqual(dry.text.split("\n").slice(-2), [
    "Policy: ClusterUpdatePolicy prod (approval of patch upgrades)",
    "  ClusterUpdatePolicy prod: patch upgrades need approval",
  ]);
  assert.equal(await annotation(), undefined);
});

const changedTo = (type: ResourceType, key: ObjectKey, patch: JsonObject) => async (): Promise<void> => {
  written(await cluster.client.write({ verb: "patch", type, key, patchType: "merge", patch }, never));
};
const account = { namespace: "demo-cache", name: "ballast-cache-controller" };
const crd = { name: "caches.ballast.demo.purser.dev" };
const caches: ResourceType = {
  group: "ballast.demo.purser.dev",
  version: "v1",
  kind: "Cache",
  plural: "caches",
  namespaced: true,
};
const env = { deploymentConfig: { env: [{ name: "A", value: "1" }] } };

/** What a plan of a ClusterExtension is made from, and that the cluster can change. */
const inputs: readonly (readonly [what: string, change: () => Promise<void>, input: string])[] = [
  [
    "a live object",
    changedTo(serviceAccounts, account, { metadata: { labels: { team: "blue" } } }),
    "live ServiceAccount demo-cache/ballast-cache-controller",
  ],
  [
    "a live Deployment",
    changedTo(deployments, account, { spec: { template: { metadata: { annotations: { edited: "by hand" } } } } }),
    "live Deployment demo-cache/ballast-cache-controller apps",
  ],
  [
    "a live CRD",
    changedTo(customResourceDefinitions, crd, { metadata: { labels: { team: "blue" } } }),
    "live CustomResourceDefinition caches.ballast.demo.purser.dev apiextensions.k8s.io",
  ],
  [
    "the first stored object",
    async () => {
      const object = { apiVersion: "ballast.demo.purser.dev/v1", kind: "Cache", metadata: { ...account, name: "one" } };
      written(await cluster.client.write({ verb: "create", type: caches, object }, never));
    },
    "stored caches.ballast.demo.purser.dev",
  ],
  [
    "the last stored object",
    async () => {
      const key = { ...account, name: "one" };
      written(await cluster.client.write({ verb: "delete", type: caches, key }, never));
    },
    "stored caches.ballast.demo.purser.dev",
  ],
  [
    "the configuration",
    changedTo(
      clusterExtensions,
      { name: "ballast-cache" },
      { spec: { config: { configType: "Inline", inline: env } } },
    ),
    "options",
  ],
  [
    "the configuration, back again",
    changedTo(clusterExtensions, { name: "ballast-cache" }, { spec: { config: null } }),
    "options",
  ],
];

for (const [what, change, input] of inputs)
  test(`a plan is stale after a change of ${what}: nothing is approved, and both digests are shown`, async () => {
    const { digest } = (await approve("--dry-run")).data as { readonly digest: string };
    await change();
    await cluster.settled();
    const stale = await approve("--digest", digest, "--yes");
    assert.equal(stale.exitCode, 7, stale.errors);
    const [, seen, now] =
      /Nothing was approved: the plan changed from (sha256:\w+) to (sha256:\w+)\n/.exec(stale.errors) ?? [];
    assert.equal(seen, digest);
    const next = (await approve("--dry-run")).data as { readonly digest: string };
    assert.deepEqual([next.digest, next.digest === digest], [now, false]);
    const named = [...stale.errors.matchAll(/^ {2}why {3}(.*) changed$/gm)].map(([, name]) => name);
    assert.ok(named.includes(input), stale.errors);
    // The controller refuses an approval by the former digest as well.
    const former = { "purser.dev/approved-plan": `ballast-cache.v0.4.1@${digest}` };
    await changedTo(clusterExtensions, { name: "ballast-cache" }, { metadata: { annotations: former } })();
    await cluster.settled();
    const extension = await cluster.client.get(clusterExtensions, { name: "ballast-cache" });
    assert.equal(extension?.status?.install?.bundle.name, "ballast-cache.v0.4.0");
    const condition = findCondition(extension?.status?.conditions, "PlanStale");
    assert.deepEqual(
      [condition?.status, condition?.message.includes(digest), condition?.message.includes(now ?? "none")],
      ["True", true, true],
      JSON.stringify(extension?.status?.conditions),
    );
    const none = { "purser.dev/approved-plan": null };
    await changedTo(clusterExtensions, { name: "ballast-cache" }, { metadata: { annotations: none } })();
    await cluster.settled();
    assert.equal(await annotation(), undefined);
  });

test("what is approved by its digest is installed, and then nothing waits", async () => {
  const { digest } = (await approve("--dry-run")).data as { readonly digest: string };
  const done = await cluster.purser(["approve", digest.slice("sha256:".length, "sha256:".length + 8), "--yes"]);
  assert.deepEqual(
    [done.exitCode, done.text],
    [0, "ok approved ballast-cache.v0.4.1; purser status ext/ballast-cache"],
  );
  assert.equal(await annotation(), `ballast-cache.v0.4.1@${digest}`);
  await cluster.eventually(["list", "-A"], /ballast-cache +v1 +0\.4\.1 .*Ready/);
  await cluster.settled();
  const history = (await cluster.purser(["history", "ext/ballast-cache"])).data as unknown as {
    readonly items: readonly { readonly approvedBy?: string; readonly plan?: string; readonly outcome: string }[];
  };
  const [current, former] = history.items;
  assert.deepEqual(
    [current?.outcome, current?.plan, former?.outcome, former?.approvedBy],
    ["current", digest, "replaced", undefined],
  );
  assert.match(current?.approvedBy ?? "", /^purser-admin, by purser-cli at \d{4}-\d\d-\d\dT/);
  const again = await approve("--yes");
  assert.deepEqual([again.exitCode, again.text], [0, "Nothing is pending approval in ext/ballast-cache (Ready)"]);
});

test("a rollback pins the former version, and the check of upgrade edges holds again afterwards", async () => {
  await cluster.client.write({ verb: "delete", type: clusterUpdatePolicies, key: { name: "prod" } }, never);
  const done = await cluster.purser(["rollback", "ext/ballast-cache", "--accept-loss", "--yes"]);
  assert.equal(done.exitCode, 0, done.errors);
  assert.match(done.text, /ext\/ballast-cache is at 0\.4\.0 again and stays there/);
  const catalog = (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.spec?.source.catalog;
  assert.deepEqual(
    [catalog?.version, catalog?.upgradeConstraintPolicy ?? "CatalogProvided"],
    ["0.4.0", "CatalogProvided"],
  );
});

test("a rollback is refused where a policy allows none", async () => {
  const policy = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "forward" },
    spec: { rollback: "Never" },
  };
  await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object: policy }, never);
  const refused = await cluster.purser(["rollback", "ext/ballast-cache", "--accept-loss", "--yes"]);
  assert.equal(refused.exitCode, 4, refused.errors);
  assert.match(refused.errors, /ext\/ballast-cache stays at 0\.4\.0: ClusterUpdatePolicy forward allows no rollback/);
});

test("where installations need approval, install writes the extension, and it and what it requires are approved in any order", async () => {
  await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  const policy = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "careful" },
    spec: { approval: { install: "Manual" }, dependencies: "Install" },
  };
  await cluster.client.write({ verb: "delete", type: clusterUpdatePolicies, key: { name: "forward" } }, never);
  const made = await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object: policy }, never);
  assert.ok(made.ok);

  const line = ["install", "semaphore-gateway", "--as-extension", "-n", "signals", "--create-namespace", "--yes"];
  const installed = await cluster.purser(line);
  assert.deepEqual(
    [installed.exitCode, installed.text],
    [
      4,
      "waiting ClusterExtension semaphore-gateway waits: semaphore-gateway.v1.1.0 and semaphore-gateway.v1.0.0 held back (ClusterUpdatePolicy careful: installations need approval). purser approve ext/semaphore-gateway",
    ],
    installed.errors,
  );
  assert.match(installed.errors, /\nChanges of ext\/semaphore-gateway: install 1\.1\.0 /);
  assert.match(
    installed.errors,
    /\nPolicy: ClusterUpdatePolicy careful \(.*\)\n {2}ClusterUpdatePolicy careful: installations need approval/,
  );

  const first = await cluster.purser(["approve", "ext/semaphore-gateway", "--yes"]);
  assert.deepEqual(
    [first.exitCode, first.text],
    [0, "ok approved semaphore-gateway.v1.1.0; purser status ext/semaphore-gateway"],
    first.errors,
  );
  assert.match(
    first.errors,
    /\nattention semaphore-gateway\.v1\.1\.0 requires API Cache \(ballast\.demo\.purser\.dev\/v1\), and the cluster has none yet/,
  );
  await cluster.eventually(["list", "-A"], /ballast-cache .*Approve/);
  const pending = await cluster.purser(["approve"]);
  assert.equal(pending.exitCode, 0);
  assert.match(pending.text, /^NAMESPACE +NAME .*\n.*ballast-cache .*Approve[^]*logbook-db .*Approve/);
  assert.match(pending.text, /\n2 pending\. purser approve ext\/ballast-cache$/);
  const names = async (...args: readonly string[]): Promise<string> =>
    (await cluster.purser(["approve", "-o", "name", ...args])).text.trim();
  assert.deepEqual(
    [await names(), await names("-n", "signals")],
    ["ext/ballast-cache\nsub/demo-logbook/logbook-db", "ext/ballast-cache"],
  );
  await assert.rejects(cluster.purser(["approve", "--yes"]), /--yes approves one installation, and none is named/);
  const second = await cluster.purser(["approve", "ext/ballast-cache", "--yes"]);
  assert.equal(second.exitCode, 0, second.errors);
  await cluster.eventually(["list", "-A"], /ballast-cache .*Ready[^]*semaphore-gateway .*Ready/);
  assert.equal((await cluster.purser(["approve", "-n", "signals"])).text, "Nothing is pending approval");
  assert.equal(await names("-n", "signals"), "");
});

test("a second rejection of an extension's version is added to the first, and the versions are no longer offered", async () => {
  await cluster.purser(["uninstall", "ext/semaphore-gateway", "--mode", "everything", "--yes"]);
  await cluster.purser(["install", "semaphore-gateway", "--as-extension", "-n", "signals", "--yes"]);
  const reject = (...args: readonly string[]): Promise<Ran> =>
    cluster.purser(["reject", "ext/semaphore-gateway", ...args, "--yes"]);
  const spec = async () => (await cluster.client.get(clusterUpdatePolicies, { name: "hold-semaphore-gateway" }))?.spec;
  assert.equal((await reject("--reason", "breaks routes")).exitCode, 0);
  const selector = { names: ["semaphore-gateway"], kinds: ["ClusterExtension"] };
  assert.deepEqual(await spec(), { selector, versions: { denied: ["1.1.0"] }, reason: "breaks routes" });
  // The rejection does not take the place of the policy that asks for approvals.
  await cluster.settled();
  const offered = await cluster.purser(["approve", "ext/semaphore-gateway", "--dry-run"]);
  assert.match(offered.text, /install 1\.0\.0/, (await cluster.purser(["status", "ext/semaphore-gateway"])).text);
  const second = await reject("--reason", "too old", "--until", "2099-12-31");
  assert.deepEqual(
    [second.exitCode, second.text],
    [0, "ok ext/semaphore-gateway is held; purser unhold ext/semaphore-gateway"],
  );
  assert.deepEqual(await spec(), {
    selector,
    versions: { denied: ["1.1.0", "1.0.0"] },
    reason: "too old",
    until: "2099-12-31T00:00:00Z",
  });
  await cluster.settled();
  const third = await reject("--reason", "again");
  assert.match(third.text, /^No version of ext\/semaphore-gateway is pending approval \(/);
});
