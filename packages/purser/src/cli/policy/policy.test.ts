// hold, unhold and policy against the embedded cluster with the demo, over HTTP as a user runs them.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  clusterExtensions,
  clusterUpdatePolicies,
  installPlans,
  subscriptions,
  updatePolicies,
} from "../../apis/olm-resources.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

async function checked(name: string, documents: readonly object[], ...args: readonly string[]) {
  const file = join(cluster.cacheDirectory, name);
  mkdirSync(cluster.cacheDirectory, { recursive: true });
  writeFileSync(file, documents.map((one) => JSON.stringify(one)).join("\n---\n"));
  return cluster.purser(["policy", "check", file, ...args]);
}
const policyOf = (name: string, spec: object): object => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: "ClusterUpdatePolicy",
  metadata: { name },
  spec,
});

test("policy check shows which installations a file would hold back, and writes nothing", async () => {
  const ran = await checked(
    "prod.yaml",
    [policyOf("prod", { selector: { packages: ["logbook-db"] }, level: "patch" })],
    "--exit-code",
  );
  assert.equal(ran.exitCode, 3, ran.errors);
  assert.match(
    ran.text,
    /^INSTALLATION +VERSION +NOW +LATER +WHY\nsub\/demo-logbook\/logbook-db +1\.0\.0 +1\.2\.0 +no upgrade +ClusterUpdatePolicy prod: level patch\n1 of \d+ installations change$/,
  );
  assert.deepEqual(await cluster.client.list(clusterUpdatePolicies), []);
  const same = await checked(
    "same.yaml",
    [policyOf("same", { selector: { packages: ["other"] }, level: "none" })],
    "--exit-code",
  );
  assert.equal(same.exitCode, 0, same.text);
});

test("policy check reports policies that could not decide: a range that cannot be read, and a tie", async () => {
  const rule = { selector: { packages: ["logbook-db"] }, level: "none" };
  const tied = await checked("tied.yaml", [policyOf("a", rule), policyOf("b", rule)]);
  assert.equal(tied.exitCode, 10, tied.errors);
  assert.match(
    tied.text,
    /! ClusterUpdatePolicy a: For Subscription demo-logbook\/logbook-db it is as specific as ClusterUpdatePolicy b/,
  );
  const unread = await checked("unread.yaml", [policyOf("a", { versions: { range: ">=one" } })]);
  assert.equal(unread.exitCode, 10);
  assert.match(unread.text, /! ClusterUpdatePolicy a: versions\.range ">=one" cannot be read/);
  await assert.rejects(
    checked("none.yaml", [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } }]),
    UsageError,
  );
});

const gained =
  "new permissions (ServiceAccount demo-logbook/logbook-db-controller, namespace demo-logbook: get, list, watch, create, update, delete  statefulsets (apps))";

test("policy check judges what an upgrade holds: it is denied, or needs approval", async () => {
  const denied = await checked("denied.yaml", [policyOf("p", { permissionIncrease: "Deny" })]);
  assert.equal(denied.exitCode, 0, denied.errors);
  const [, line = ""] = denied.text.split("\n");
  assert.match(line, /^sub\/demo-logbook\/logbook-db +1\.0\.0 +1\.2\.0 +no upgrade +/);
  assert.ok(line.endsWith(`ClusterUpdatePolicy p: ${gained}`), line);
  const asked = await checked("asked.yaml", [policyOf("p", { permissionIncrease: "RequireApproval" })]);
  const [, other = ""] = asked.text.split("\n");
  assert.match(other, /^sub\/demo-logbook\/logbook-db +1\.0\.0 +1\.2\.0 +1\.2\.0 +/);
  assert.ok(other.endsWith(`ClusterUpdatePolicy p: ${gained} need approval`), other);
  const crds = await checked("crds.yaml", [policyOf("p", { crdChange: "Deny" })]);
  assert.match(crds.text, /^0 of 2 installations change$/m);
});

test("policy effective shows what has to be approved of what an upgrade holds", async () => {
  const object = policyOf("gain", { selector: { packages: ["logbook-db"] }, permissionIncrease: "RequireApproval" });
  const made = await cluster.client.write(
    { verb: "create", type: clusterUpdatePolicies, object: object as never },
    never,
  );
  assert.ok(made.ok);
  const effective = await cluster.purser(["policy", "effective", "demo-logbook/logbook-db"]);
  await cluster.client.write({ verb: "delete", type: clusterUpdatePolicies, key: { name: "gain" } }, never);
  assert.equal(effective.exitCode, 0, effective.errors);
  assert.ok(
    effective.text.endsWith(`\n  approval  1.2.0: ClusterUpdatePolicy gain: ${gained} need approval`),
    effective.text,
  );
});

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
    ["--until", "2030-02-31", '--until "2030-02-31": 2030-02-31 is not a date'],
    ["--until", "2020-12-31", '--until "2020-12-31" is in the past, so nothing would be held'],
    ["--version", "newest", '--version "newest" is not a version'],
    ["--version", "v1.1.0", '--version "v1.1.0" is not a version'],
    ["--version", "1.1", '--version "1.1" is not a version'],
    ["--version", "9.9.9", "no catalog of sub/demo-logbook/logbook-db has version 9.9.9 of logbook-db"],
  ] as const)
    await assert.rejects(
      () => cluster.purser(["hold", "logbook-db", flag, value, "--dry-run"]),
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
  const pinned = await cluster.purser(["upgrade", "ballast-cache", "--yes"]);
  assert.deepEqual(
    [pinned.exitCode, pinned.text.split("\n")],
    [
      0,
      [
        "ext/ballast-cache is at 0.4.0 already; its spec allows no newer version",
        "  newer     0.4.1: outside of its version range 0.4.0",
        "Next: purser upgrade ext/ballast-cache --to 0.4.1",
      ],
    ],
  );
  const held = await cluster.purser(["hold", "ballast-cache", "--reason", "audit", "--yes"]);
  assert.deepEqual([held.exitCode, held.text], [0, "ok ext/ballast-cache is held; purser unhold ext/ballast-cache"]);
  const patch = { spec: { source: { catalog: { version: null } } } };
  const merged = await cluster.client.write(
    { verb: "patch", type: clusterExtensions, key: { name: "ballast-cache" }, patchType: "merge", patch },
    never,
  );
  assert.ok(merged.ok);
  const anew = await cluster.purser(["hold", "ballast-cache", "--reason", "review", "--yes"]);
  assert.deepEqual([anew.exitCode, anew.text], [held.exitCode, held.text]);
  const [policy] = await cluster.client.list(clusterUpdatePolicies);
  assert.equal(policy?.spec.reason, "review");
  await cluster.purser(["hold", "ballast-cache", "--reason", "audit", "--yes"]);
  const reason = "ClusterUpdatePolicy hold-ballast-cache: no upgrades (audit)";
  const list = await cluster.eventually(["list", "-A"], /ballast-cache .*Held/);
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
  assert.ok(
    effective.text.endsWith(
      `\n  held      0.4.1: ${reason}\n  allowed   no newer version\nNext: purser unhold ext/ballast-cache`,
    ),
    effective.text,
  );
  const listed = await cluster.eventually(["policy", "list", "-A"], /hold-ballast-cache .* 1 /);
  assert.match(listed.text, /hold-ballast-cache +ballast-cache, ClusterExtension +no upgrades +- +1 +audit/);
});

test("policy show lists the rules of a policy and the installations that it decides for", async () => {
  const name = "clusterupdatepolicy/hold-ballast-cache";
  const { exitCode, text, data } = await cluster.purser(["policy", "show", name]);
  assert.equal(exitCode, 0);
  assert.deepEqual(text.split("\n"), [
    name,
    "  selects   ballast-cache, ClusterExtension",
    "  allows    no upgrades",
    "  reason    audit",
    "  decides   for ext/ballast-cache",
    "Next: purser policy effective ext/ballast-cache",
  ]);
  assert.deepEqual((data as { readonly decidesFor: unknown }).decidesFor, ["ext/ballast-cache"]);
  const near = await cluster.purser(["policy", "show", `${name}x`]);
  assert.equal(near.exitCode, 6);
  assert.match(near.errors, new RegExp(`do {4}purser policy show ${name} `));
});

test("two policies tie, which both show, a hold holds beside them, and unhold lets the upgrade through", async () => {
  const spec = { selector: { names: ["ballast-cache"], kinds: ["ClusterExtension"] }, level: "major" };
  for (const name of ["other", "rival"]) {
    const object = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy", metadata: { name }, spec };
    const made = await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object }, never);
    assert.ok(made.ok);
  }
  const tied = await cluster.purser(["policy", "effective", "ext/ballast-cache"]);
  assert.deepEqual(
    [tied.exitCode, tied.text.split("\n").slice(0, 5)],
    [
      10,
      [
        "No policy decides for ext/ballast-cache: several are equally specific",
        "  tied      ClusterUpdatePolicy other: level major",
        "  tied      ClusterUpdatePolicy rival: level major",
        "ClusterUpdatePolicy hold-ballast-cache decides for ext/ballast-cache: no upgrades",
        "  reason    audit",
      ],
    ],
  );
  await cluster.eventually(
    ["policy", "list", "-A"],
    /other .*For ClusterExtension ballast-cache it is as specific as ClusterUpdatePolicy rival, so none of them decides/,
  );
  await cluster.client.write({ verb: "delete", type: clusterUpdatePolicies, key: { name: "rival" } }, never);
  const held = await cluster.purser(["policy", "effective", "ext/ballast-cache"]);
  assert.deepEqual(held.text.split("\n").slice(0, 2), [
    "ClusterUpdatePolicy other decides for ext/ballast-cache: level major",
    "ClusterUpdatePolicy hold-ballast-cache decides for ext/ballast-cache: no upgrades",
  ]);
  const freed = await cluster.purser(["unhold", "ballast-cache", "--yes"]);
  assert.deepEqual([freed.exitCode, freed.text], [0, "ok ext/ballast-cache is not held any more"]);
  await cluster.eventually(["list", "-A"], /ballast-cache +v1 +0\.4\.1 .*Ready/);
  const again = await cluster.purser(["unhold", "ballast-cache", "--yes"]);
  assert.match(again.text, /^ext\/ballast-cache has no hold; /);
});

test("a hold withdraws the waiting InstallPlan, approve names the hold, and unhold offers the same InstallPlan again", async () => {
  const reference = "sub/demo-logbook/logbook-db";
  const offered = await cluster.waiting("logbook-db.v1.1.0");
  const name = offered.metadata.name ?? "";
  const question = await cluster.purser(["hold", "logbook-db", "--reason", "freeze"], "n");
  assert.deepEqual(question.errors.split("\n").slice(0, 2), [
    `Hold ${reference} by UpdatePolicy demo-logbook/hold-logbook-db: no upgrades`,
    `  withdraws   InstallPlan ${name}, which is pending approval; purser unhold ${reference} offers it again`,
  ]);
  const held = await cluster.purser(["hold", "logbook-db", "--reason", "freeze", "--yes"]);
  assert.equal(held.exitCode, 0, held.errors);
  // At once, before the controllers have seen the policy.
  const refused = async (args: readonly string[]) => {
    const ran = await cluster.purser(args);
    assert.deepEqual(
      [ran.exitCode, ran.errors.split("\n").at(0), ran.errors.split("\n").at(-1)],
      [
        4,
        "failed logbook-db.v1.1.0 is held back by UpdatePolicy demo-logbook/hold-logbook-db: no upgrades (freeze)  VersionHeld",
        `  do    purser unhold ${reference}      end the hold`,
      ],
    );
  };
  await refused(["approve", "logbook-db", "--yes"]);
  await cluster.eventually(["list", "-A"], /logbook-db +v0 +1\.0\.0 .*Held/);
  await refused(["approve", "logbook-db", "--yes"]);
  await refused(["approve", "logbook-db", "--dry-run"]);
  await refused(["upgrade", "logbook-db", "--yes"]);
  const elsewhere = await cluster.elsewhere(["approve", "logbook-db", "--yes"]);
  assert.equal(elsewhere.exitCode, 4);
  const freed = await cluster.purser(["unhold", "logbook-db", "--yes"]);
  assert.equal(freed.exitCode, 0, freed.errors);
  await cluster.eventually(["list", "-A"], /logbook-db +v0 +1\.0\.0 .*Approve/);
  const again = await cluster.waiting("logbook-db.v1.1.0");
  assert.deepEqual([again.metadata.name, again.metadata.uid], [name, offered.metadata.uid]);
});

test("a hold that comes while approve asks is respected", async () => {
  const asked = await cluster.purser(["approve", "logbook-db"], async () => {
    const held = await cluster.purser(["hold", "logbook-db", "--version", "1.1.0", "--yes"]);
    assert.equal(held.exitCode, 0, held.errors);
    return "y";
  });
  assert.equal(asked.exitCode, 4);
  assert.match(asked.errors, /held back by UpdatePolicy demo-logbook\/hold-logbook-db: denied {2}VersionHeld/);
  const plans = await cluster.client.list(installPlans, { namespace: "demo-logbook" });
  assert.deepEqual(
    plans
      .filter(({ spec }) => spec.clusterServiceVersionNames.includes("logbook-db.v1.1.0"))
      .map(({ spec }) => spec.approved),
    [false],
  );
  await cluster.purser(["unhold", "logbook-db", "--yes"]);
});

test("unhold offers a version again that went back by itself", async () => {
  const key = { namespace: "demo-logbook", name: "logbook-db" };
  const record = {
    bundle: "logbook-db.v1.1.0",
    to: "logbook-db.v1.0.0",
    at: "2026-01-01T00:00:00Z",
    plan: "sha256:1",
    because: "not ready within 10 minutes",
    uid: "u",
  };
  const annotate = (text: string) =>
    cluster.client.write(
      {
        verb: "patch",
        type: subscriptions,
        key,
        patchType: "merge",
        patch: { metadata: { annotations: { "purser.dev/rolled-back": text } } },
      },
      never,
    );
  assert.ok((await annotate(JSON.stringify(record))).ok);
  const ran = await cluster.purser(["unhold", "sub/demo-logbook/logbook-db", "--yes"]);
  assert.equal(ran.exitCode, 0, ran.errors);
  assert.match(
    ran.errors,
    /^Offer logbook-db\.v1\.1\.0 again: logbook-db\.v1\.1\.0 was not ready within 10 minutes, so at 2026-01-01T00:00:00Z it was rolled back to logbook-db\.v1\.0\.0 by the plan sha256:1$/m,
  );
  assert.match(ran.text, /logbook-db\.v1\.1\.0 is offered to sub\/demo-logbook\/logbook-db again/);
  const { metadata } = (await cluster.client.get(subscriptions, key)) ?? assert.fail("gone");
  assert.equal(metadata.annotations?.["purser.dev/rolled-back"], undefined);
});

test("list of a namespace that does not exist says so", async () => {
  const { exitCode, text, errors } = await cluster.purser(["list", "-n", "nosuch"]);
  assert.deepEqual(
    [exitCode, text, errors],
    [6, "", 'failed Namespace "nosuch" does not exist\n  do    purser list -A      all namespaces'],
  );
  assert.equal((await cluster.purser(["list", "-n", "demo-logbook"])).exitCode, 0);
});
