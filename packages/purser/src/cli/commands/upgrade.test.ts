// upgrade against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterExtensions, clusterUpdatePolicies, subscriptions } from "../../apis/olm-resources.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const reference = "sub/demo-logbook/logbook-db";
const subscriptionKey = { namespace: "demo-logbook", name: "logbook-db" };
const withoutDigests = (text: string): string => text.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:...");

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

const upgrade = (args: readonly string[], answer?: string) => cluster.purser(["upgrade", ...args], answer);

test("a dry run shows the whole way and what its first upgrade changes, and writes nothing", async () => {
  const before = await cluster.client.get(subscriptions, subscriptionKey);
  const { exitCode, text, errors, data } = await upgrade(["logbook-db", "--dry-run"]);
  assert.deepEqual([exitCode, errors], [0, ""]);
  assert.deepEqual(withoutDigests(text).split("\n").slice(0, 3), [
    `Upgrade ${reference}: 1.0.0 -> 1.2.0, 2 upgrades: 1.0.0 -> 1.1.0 -> 1.2.0`,
    `Changes of ${reference}: 1.0.0 -> 1.1.0    sha256:...`,
    "  objects     5 created, 1 changed, 5 deleted, 2 kept",
  ]);
  const { kind, from, to, path, patch } = data as Record<string, unknown>;
  assert.deepEqual([kind, from, to, path, patch], ["Upgrade", "1.0.0", "1.2.0", ["1.1.0", "1.2.0"], null]);
  const after = await cluster.client.get(subscriptions, subscriptionKey);
  assert.deepEqual(after?.spec, before?.spec);
});

test("a dry run of several upgrades shows the changes of each and of all, compared with the cluster", async () => {
  const { text, data } = await upgrade(["logbook-db", "--dry-run"]);
  const lines = withoutDigests(text).split("\n");
  const way = lines.slice(lines.indexOf("With all later upgrades:") + 1);
  assert.deepEqual(
    way.filter((line) => /^(Changes|hop| {2}path| {2}objects)/.test(line)),
    [
      `Changes of ${reference}: 1.0.0 -> 1.2.0    sha256:...`,
      "  path        1.0.0 -> logbook-db.v1.1.0 -> logbook-db.v1.2.0, 2 hops",
      "  objects     5 created, 1 changed, 5 deleted, 2 kept",
      "hop logbook-db.v1.0.0 -> logbook-db.v1.1.0",
      "  objects     5 created, 1 changed, 5 deleted, 2 kept",
      "hop logbook-db.v1.1.0 -> logbook-db.v1.2.0",
      "  objects     5 created, 1 changed, 5 deleted, 2 kept",
    ],
  );
  const { wholeWay } = data as { readonly wholeWay: { readonly hops: readonly { readonly to: string }[] } };
  assert.deepEqual(
    wholeWay.hops.map(({ to }) => to),
    ["logbook-db.v1.1.0", "logbook-db.v1.2.0"],
  );
  const one = await upgrade(["logbook-db", "--to", "1.1.0", "--dry-run"]);
  assert.doesNotMatch(one.text, /With all later/);
  assert.equal("wholeWay" in (one.data as object), false);
});

test("plan names the upgrades after the next one, and shows their changes with --full", async () => {
  const { text, data } = await cluster.purser(["plan", "logbook-db"]);
  assert.ok(
    text.endsWith(`\nThen 1 more upgrade: 1.2.0\n  all of them: purser plan ${reference} --to 1.2.0`),
    text.slice(-400),
  );
  assert.deepEqual((data as { readonly later: unknown }).later, { versions: ["1.2.0"] });
  const full = await cluster.purser(["plan", "logbook-db", "--full"]);
  const lines = full.text.split("\n");
  const at = lines.indexOf("Then 1 more upgrade: 1.2.0");
  assert.deepEqual(
    [lines[at + 1], ...lines.slice(at).filter((line) => line.startsWith("hop "))],
    [
      "With all later upgrades:",
      "hop logbook-db.v1.0.0 -> logbook-db.v1.1.0",
      "hop logbook-db.v1.1.0 -> logbook-db.v1.2.0",
    ],
  );
  const { wholeWay } = full.data as { readonly wholeWay: { readonly to: { readonly version: string } } };
  assert.equal(wholeWay.to.version, "1.2.0");
  const atHead = await cluster.purser(["plan", "ballast-cache", "--full"]);
  assert.doesNotMatch(atHead.text, /more upgrade/);
});

test("a policy that asks for approval is named before the question, by upgrade and approve", async () => {
  const policy = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "careful" },
    spec: { approval: { minor: "Manual" } },
  };
  const made = await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object: policy }, never);
  assert.ok(made.ok);
  const verdict = [
    "Policy: ClusterUpdatePolicy careful (approval of minor upgrades)",
    "  ClusterUpdatePolicy careful: minor upgrades need approval",
  ];
  for (const args of [
    ["upgrade", "logbook-db", "--dry-run"],
    ["approve", "demo-logbook/logbook-db", "--dry-run"],
  ]) {
    const { text, data } = await cluster.purser(args);
    assert.deepEqual(text.split("\n").slice(-2), verdict);
    assert.equal(
      (data as { readonly policy: { readonly approval: string } }).policy.approval,
      "ClusterUpdatePolicy careful: minor upgrades need approval",
    );
  }
  await cluster.client.write({ verb: "delete", type: clusterUpdatePolicies, key: { name: "careful" } }, never);
});

test("--level takes the farthest version that keeps what it keeps, and says so when there is none", async () => {
  const none = await upgrade(["logbook-db", "--level", "patch", "--dry-run"]);
  assert.deepEqual([none.exitCode, none.text], [0, `${reference} has no patch upgrade`]);
  const minor = await upgrade(["logbook-db", "--level", "minor", "--dry-run"]);
  assert.match(minor.text, /^Upgrade sub\/demo-logbook\/logbook-db: 1\.0\.0 -> 1\.2\.0, 2 upgrades/);
  await assert.rejects(upgrade(["logbook-db", "--level", "minor", "--to", "1.1.0"]), UsageError);
});

test("--to takes the beginning of a version, a range and latest, and --hops a number of upgrades", async () => {
  const heads = async (...args: readonly string[]) => {
    const { exitCode, text } = await upgrade(["logbook-db", ...args, "--dry-run"]);
    assert.equal(exitCode, 0);
    return text.split("\n")[0];
  };
  const [first, last] = [
    `Upgrade ${reference}: 1.0.0 -> 1.1.0`,
    `Upgrade ${reference}: 1.0.0 -> 1.2.0, 2 upgrades: 1.0.0 -> 1.1.0 -> 1.2.0`,
  ];
  for (const to of ["1.1", "1.1.x", "<1.2", "v1.1.0"]) assert.equal(await heads("--to", to), first, to);
  for (const to of ["latest", "1.x", ">=1.1"]) assert.equal(await heads("--to", to), last, to);
  assert.equal(await heads("--hops", "1"), first);
  assert.equal(await heads("--hops", "9"), last);
  assert.equal(await heads("--to", "3.x"), `${reference} has no upgrade to 3.x`);
  assert.equal((await cluster.purser(["plan", "logbook-db", "--to", "1.1.x"])).text.split("\n")[0], first);
  const [extension = ""] = (await upgrade(["ext/ballast-cache", "--to", "latest", "--dry-run"])).text.split("\n");
  assert.equal(extension, "ext/ballast-cache is at 0.4.1 already; nothing to upgrade");
  for (const wrong of [
    ["--hops", "0"],
    ["--hops", "1", "--to", "1.1"],
    ["--hops", "x"],
  ])
    await assert.rejects(upgrade(["logbook-db", ...wrong, "--dry-run"]), UsageError);
});

test("several installations that are named are upgraded after one table, and each without an upgrade is answered for", async () => {
  const { exitCode, text, data } = await upgrade(["logbook-db", "ext/ballast-cache", reference, "--dry-run"]);
  assert.deepEqual(
    [exitCode, text.replaceAll(/ {2,}/g, "  ").split("\n")],
    [
      0,
      [
        "INSTALLATION  CHANGE  UPGRADES  RISK",
        "sub/demo-logbook/logbook-db  1.0.0 -> 1.2.0  2  1 permission gained",
        "  ext/ballast-cache: it is at 0.4.1 already",
      ],
    ],
  );
  const { kind, items, others } = data as Readonly<Record<string, readonly { readonly installation: string }[]>>;
  assert.deepEqual(
    [kind, items?.map(({ installation }) => installation), others?.map(({ installation }) => installation)],
    ["UpgradeList", [reference], ["ext/ballast-cache"]],
  );
  const missing = await upgrade(["logbook-db", "logbook-d", "--yes"]);
  assert.equal(missing.exitCode, 6);
  assert.match(missing.errors, /There is no installation "logbook-d"/);
  await assert.rejects(upgrade(["logbook-db", "ballast-cache", "--to", "1.1.0"]), /--to is for one installation/);
});

test("-A shows the upgrades of all installations in one table, and --level leaves out those that go too far", async () => {
  const all = await upgrade(["-A", "--dry-run"]);
  assert.equal(all.exitCode, 0, all.errors);
  const [head, ...rows] = all.text.split("\n");
  assert.match(head ?? "", /^INSTALLATION +CHANGE +UPGRADES +RISK$/);
  assert.ok(
    rows.some((row) => /^sub\/demo-logbook\/logbook-db +1\.0\.0 -> 1\.2\.0 +2 +1 permission gained$/.test(row)),
    all.text,
  );
  const patch = await upgrade(["-A", "--level", "patch", "--dry-run"]);
  assert.doesNotMatch(patch.text, /logbook-db +1\.0\.0 ->/);
  await assert.rejects(upgrade([]), UsageError);
  await assert.rejects(upgrade(["-A", "--to", "1.1.0"]), UsageError);
});

test("a refused upgrade names commands that upgrade, and they work", async () => {
  const { exitCode, errors } = await upgrade(["logbook-db", "--channel", "stabel", "--dry-run"]);
  assert.equal(exitCode, 6);
  const command = /do {4}purser (.+?) {6}/.exec(errors)?.[1] ?? "";
  assert.equal(command, `upgrade ${reference} --channel stable`);
  assert.equal((await cluster.purser([...command.split(" "), "--dry-run"])).exitCode, 0);
  const missing = await upgrade(["logbook-db", "--to", "1.3.0"]);
  assert.equal(missing.exitCode, 6);
  assert.match(missing.errors, /do {4}purser upgrade sub\/demo-logbook\/logbook-db --to 1\.0\.0 --channel stable/);
  assert.equal((await upgrade(["logbook-db", "--channel", "candidate"])).exitCode, 1);
});

test("an upgrade that is not confirmed changes nothing", async () => {
  const { exitCode, text } = await upgrade(["logbook-db"], "n");
  assert.deepEqual([exitCode, text], [1, "Nothing was changed."]);
  assert.equal((await cluster.waiting("logbook-db.v1.1.0")).spec.approved, false);
});

test("a Subscription with automatic approval that is upgraded below the head gets manual approval and stays there", async () => {
  const approval = async () => (await cluster.client.get(subscriptions, subscriptionKey))?.spec.installPlanApproval;
  await cluster.client.write(
    {
      verb: "patch",
      type: subscriptions,
      key: subscriptionKey,
      patchType: "merge",
      patch: { spec: { installPlanApproval: "Automatic" } },
    },
    new AbortController().signal,
  );
  const dry = await upgrade(["logbook-db", "--to", "1.1.0", "--dry-run"]);
  assert.deepEqual(withoutDigests(dry.text).split("\n").slice(0, 4), [
    `Upgrade ${reference}: 1.0.0 -> 1.1.0`,
    "  writes      approval Manual, so that it stays at 1.1.0",
    `Changes of ${reference}: 1.0.0 -> 1.1.0    sha256:...`,
    "  objects     5 created, 1 changed, 5 deleted, 2 kept",
  ]);
  assert.equal(await approval(), "Automatic");
  const { exitCode, text } = await upgrade(["logbook-db", "--to", "1.1.0", "--yes"]);
  assert.equal(exitCode, 0);
  assert.match(text, /^ok .*1\.1\.0/);
  assert.equal(await approval(), "Manual");
  const next = await cluster.waiting("logbook-db.v1.2.0");
  assert.equal(next.spec.approved, false);
  // The InstallPlan that waits was made for the channel that the upgrade leaves.
  const moved = await cluster.elsewhere(["upgrade", "logbook-db", "--channel", "candidate", "--dry-run"]);
  assert.deepEqual(moved.text.split("\n").slice(1, 3), [
    "  writes      channel candidate instead of stable",
    "  changes     unknown: bundles are not read: add --pull to read their images, or --bundles DIR for directories <package>/<version>",
  ]);
  const again = await upgrade(["logbook-db", "--to", "1.1.0"]);
  assert.deepEqual([again.exitCode, again.text], [0, `${reference} is at 1.1.0 already; nothing to upgrade`]);
});

test("the head is reached, and then newer versions of another channel are shown with the command that leads there", async () => {
  const { exitCode, text, errors } = await upgrade(["logbook-db"], "y");
  assert.deepEqual([exitCode, text], [0, `ok logbook-db 1.2.0 is ready as ${reference}`]);
  assert.match(errors, /^Upgrade \S+ 1\.1\.0 -> 1\.2\.0\nChanges of \S+ 1\.1\.0 -> 1\.2\.0 {4}\S+\n {2}objects /);
  const again = await upgrade(["logbook-db", "--dry-run"]);
  assert.deepEqual(
    [again.exitCode, again.text.split("\n")],
    [
      0,
      [
        `${reference} is at 1.2.0 already; its spec allows no newer version`,
        "  newer     2.0.0-rc.1: in channel candidate, not in stable",
        `Next: purser upgrade ${reference} --channel candidate`,
      ],
    ],
  );
  const offered = await upgrade(["logbook-db", "--channel", "candidate", "--dry-run"]);
  assert.deepEqual([offered.exitCode, /1\.2\.0 -> 2\.0\.0-rc\.1/.test(offered.text)], [0, true]);
});

test("a ClusterExtension gets the version in its spec, after its changes were shown", async () => {
  await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  const installed = await cluster.purser([
    "install",
    "ballast-cache@0.4.0",
    "--as-extension",
    "-n",
    "demo-cache",
    "--yes",
  ]);
  assert.equal(installed.exitCode, 0);
  const dry = await upgrade(["ext/ballast-cache", "--to", "0.4.1", "--dry-run"]);
  assert.deepEqual(withoutDigests(dry.text).split("\n").slice(0, 4), [
    "Upgrade ext/ballast-cache: 0.4.0 -> 0.4.1",
    "  writes      version 0.4.1 instead of 0.4.0",
    "Changes of ext/ballast-cache: 0.4.0 -> 0.4.1    sha256:...",
    "  objects     7 changed",
  ]);
  const version = async () =>
    (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.spec?.source.catalog?.version;
  assert.equal(await version(), "0.4.0");
  const unread = await cluster.elsewhere(["upgrade", "ext/ballast-cache", "--to", "0.4.1", "--dry-run"]);
  assert.equal(
    unread.text.split("\n")[2],
    "  changes     unknown: bundles are not read: add --pull to read their images, or --bundles DIR for directories <package>/<version>",
  );
  const { exitCode, text } = await upgrade(["ext/ballast-cache", "--to", "0.4.1", "--yes"]);
  assert.deepEqual([exitCode, text], [0, "ok ballast-cache 0.4.1 is ready as ext/ballast-cache"]);
  assert.equal(await version(), "0.4.1");
});

test("an installation that waits for its first approval is sent to approve", async () => {
  await cluster.purser(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"]);
  const installed = await cluster.purser([
    "install",
    "ballast-cache",
    "-n",
    "caches",
    "--create-namespace",
    "--approval",
    "Manual",
    "--yes",
  ]);
  assert.equal(installed.exitCode, 4);
  await assert.rejects(
    () => upgrade(["sub/caches/ballast-cache"]),
    (error) =>
      error instanceof UsageError &&
      error.message === "sub/caches/ballast-cache is Approve, so there is nothing to upgrade from" &&
      error.hints[0] === "purser approve sub/caches/ballast-cache",
  );
});
