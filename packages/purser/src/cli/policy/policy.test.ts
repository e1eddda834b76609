// hold, unhold and policy against the embedded cluster with the demo, over HTTP as a user runs them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions, clusterUpdatePolicies, updatePolicies } from "../../apis/olm-resources.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import type { Ran } from "../testing/run-purser.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

async function eventually(args: readonly string[], pattern: RegExp): Promise<Ran> {
  for (let tries = 0; ; tries++) {
    const ran = await cluster.purser(args);
    if (pattern.test(ran.text)) return ran;
    if (tries > 200) assert.fail(`${args.join(" ")}:\n${ran.text}\n${ran.errors}`);
    await systemClock.sleep(50, never);
  }
}

test("a dry run of hold shows the policy, and refuses what is no time and no version", async () => {
  const dry = await cluster.purser(["hold", "logbook-db", "--until", "2030-12-31", "--reason", "freeze", "--dry-run"]);
  assert.deepEqual(
    [dry.exitCode, dry.text],
    [0, "UpdatePolicy demo-logbook/hold-logbook-db: no upgrades, until 2030-12-31T00:00:00Z"],
  );
  assert.deepEqual(dry.data, {
    apiVersion: "purser.dev/v1alpha1",
    kind: "UpdatePolicy",
    metadata: { namespace: "demo-logbook", name: "hold-logbook-db", labels: { "purser.dev/hold": "true" } },
    spec: {
      selector: { names: ["logbook-db"], kinds: ["Subscription"] },
      level: "none",
      until: "2030-12-31T00:00:00Z",
      reason: "freeze",
    },
  });
  assert.deepEqual(await cluster.client.list(updatePolicies), []);
  for (const [flag, value, message] of [
    ["--until", "soon", '--until "soon" is not a time'],
    ["--until", "2030-02-31", '--until "2030-02-31": there is no day 2030-02-31'],
    ["--until", "2020-12-31", '--until "2020-12-31" is in the past, so nothing would be held'],
    ["--version", "newest", '--version "newest" is not a version'],
  ] as const)
    await assert.rejects(
      () => cluster.purser(["hold", "logbook-db", flag, value, "--yes"]),
      (error) => error instanceof UsageError && error.message === message,
    );
});

test("a held extension is shown as held, is not upgraded, and explains what holds it and how to end it", async () => {
  await cluster.purser(["uninstall", "ext/ballast-cache", "--yes"]);
  const installed = await cluster.purser([
    "install",
    "ballast-cache@0.4.0",
    "--as-extension",
    "-n",
    "demo-cache",
    "--yes",
  ]);
  assert.equal(installed.exitCode, 0, installed.errors);
  const held = await cluster.purser(["hold", "ballast-cache", "--reason", "audit", "--yes"]);
  assert.deepEqual([held.exitCode, held.text], [0, "ok ext/ballast-cache is held; purser unhold ext/ballast-cache"]);
  const patch = { spec: { source: { catalog: { version: null } } } };
  const merged = await cluster.client.write(
    { verb: "patch", type: clusterExtensions, key: { name: "ballast-cache" }, patchType: "merge", patch },
    never,
  );
  assert.ok(merged.ok);
  const reason = "ClusterUpdatePolicy hold-ballast-cache: no upgrades (audit)";
  const list = await eventually(["list", "-A"], /ballast-cache .*Held/);
  assert.match(list.text, /ballast-cache .*Held.*ballast-cache\.v0\.4\.1 is held back by/);
  const explained = await cluster.purser(["explain", "ext/ballast-cache"]);
  assert.deepEqual([explained.exitCode], [0]);
  assert.match(
    explained.text,
    new RegExp(`ballast-cache\\.v0\\.4\\.1 is held back by ${reason.replace(/[()]/g, "\\$&")} \\(VersionHeld\\)`),
  );
  assert.match(explained.text, /purser unhold ext\/ballast-cache/);
  const refused = await cluster.purser(["upgrade", "ext/ballast-cache", "--yes"]);
  assert.equal(refused.exitCode, 4);
  assert.match(refused.errors, /VersionHeld\n[^]*do {4}purser unhold ext\/ballast-cache/);
  const effective = await cluster.purser(["policy", "effective", "ext/ballast-cache"]);
  assert.deepEqual(effective.text.split("\n").slice(0, 2), [
    "ClusterUpdatePolicy hold-ballast-cache decides for ext/ballast-cache: no upgrades",
    "  reason    audit",
  ]);
  assert.ok(effective.text.includes(`  held      ballast-cache.v0.4.1: ${reason}`), effective.text);
  const listed = await eventually(["policy", "list", "-A"], /hold-ballast-cache .* 1 /);
  assert.match(listed.text, /hold-ballast-cache +ballast-cache, ClusterExtension +no upgrades +- +1 +audit/);
});

test("two holds of another kind tie, which both policies show, and unhold lets the upgrade through", async () => {
  const spec = { selector: { names: ["ballast-cache"], kinds: ["ClusterExtension"] }, level: "major" };
  const object = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy", metadata: { name: "other" }, spec };
  const made = await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object }, never);
  assert.ok(made.ok);
  const tied = await cluster.purser(["policy", "effective", "ext/ballast-cache"]);
  assert.deepEqual(
    [tied.exitCode, tied.text.split("\n").slice(0, 3)],
    [
      10,
      [
        "No policy decides for ext/ballast-cache: several are equally specific",
        "  tied      ClusterUpdatePolicy hold-ballast-cache: no upgrades",
        "  tied      ClusterUpdatePolicy other: level major",
      ],
    ],
  );
  await eventually(
    ["policy", "list", "-A"],
    /other .*For ClusterExtension ballast-cache it is as specific as ClusterUpdatePolicy hold-ballast-cache, so none of them decides/,
  );
  const freed = await cluster.purser(["unhold", "ballast-cache", "--yes"]);
  assert.deepEqual([freed.exitCode, freed.text], [0, "ok ext/ballast-cache is not held any more"]);
  await eventually(["list", "-A"], /ballast-cache +v1 +0\.4\.1 .*Ready/);
  const again = await cluster.purser(["unhold", "ballast-cache", "--yes"]);
  assert.match(again.text, /^ext\/ballast-cache is not held by a hold; /);
});
