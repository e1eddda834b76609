// source set, and source add of ClusterCatalogs, on the embedded cluster with the demo.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { demoWorld } from "../../engine/demo-world.ts";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { written } from "@purser/kubernetes/kube/refusal";
import { UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Ran } from "../testing/run-purser.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster?.stop());

const catalog = (name: string): Promise<ClusterCatalog | undefined> => cluster.client.get(clusterCatalogs, { name });
const demo = "local.purser.dev/catalogs/demo:latest";

test("source add of a ClusterCatalog sets its labels and waits until it is served", async () => {
  const args = ["source", "add", "mine", demo, "--as-clustercatalog", "--priority", "-100", "--label", "tier=own"];
  const added = await cluster.purser([...args, "--yes"]);
  assert.equal(added.exitCode, 0);
  assert.match(added.text, /mine serves local\.purser\.dev\/catalogs\/demo@sha256:[0-9a-f]{64}/);
  const made = await catalog("mine");
  assert.deepEqual([made?.spec.priority, made?.metadata.labels?.["tier"]], [-100, "own"]);
});

test("source add of a ClusterCatalog that cannot be read says why, and it stays", async () => {
  const absent = "local.purser.dev/catalogs/absent:v1";
  const broken = await cluster.purser(["source", "add", "broken", absent, "--as-clustercatalog", "--yes"]);
  assert.equal(broken.exitCode, 1);
  assert.match(
    broken.errors,
    /broken: source catalog content: the image .* cannot be pulled: .*\n {2}do {4}purser source set cc\/broken --image REFERENCE\n {2}or {4}purser source remove cc\/broken/,
  );
  assert.ok((await catalog("broken")) !== undefined, "it is tried again");
});

test("source set shows and writes what changes, removes a label, and resets the rest", async () => {
  const same = await cluster.purser(["source", "set", "mine", "--priority", "-100", "--yes"]);
  assert.match(same.text, /^mine already has these values$/);
  const changed = await cluster.purser(["source", "set", "cc/mine", "--priority", "5", "--label", "tier-", "--yes"]);
  assert.equal(changed.exitCode, 0);
  assert.equal(changed.errors, "Change ClusterCatalog mine\n  tier  own -> not set\n  priority  -100 -> 5");
  const off = await cluster.purser(["source", "set", "mine", "--unavailable", "--yes"]);
  assert.match(off.text, /mine is switched off/);
  const reset = await cluster.purser(["source", "set", "mine", "--reset", "--yes"]);
  assert.equal(reset.exitCode, 0);
  const made = await catalog("mine");
  assert.deepEqual(
    [made?.spec.priority, made?.spec.availabilityMode, made?.spec.source.image?.pollIntervalMinutes],
    [0, "Available", undefined],
  );
  assert.equal(made?.metadata.labels?.["tier"], undefined);
  const missing = await cluster.purser(["source", "set", "mina", "--priority", "1", "--yes"]);
  assert.equal(missing.exitCode, 6);
});

test("source set changes a CatalogSource by its namespace and name, and keeps the fields that no flag names", async () => {
  assert.equal((await cluster.purser(["source", "add", "theirs", demo, "--priority", "5", "--yes"])).exitCode, 0);
  const specOf = async () => (await cluster.client.get(catalogSources, { namespace: "olm", name: "theirs" }))?.spec;
  const before = await specOf();
  const set = (...args: readonly string[]) => cluster.purser(["source", "set", ...args, "--yes"]);
  const other = demo.replace(/[^/]*$/, "other:v2");
  const dry = await set("olm/theirs", "--image", other, "--poll", "3", "--priority", "-100", "--dry-run");
  assert.deepEqual(dry.text.split("\n"), [
    "Change CatalogSource olm/theirs",
    `  image  ${demo} -> ${other}`,
    "  interval  10m -> 3m",
    "  priority  5 -> -100",
  ]);
  assert.deepEqual(await specOf(), before);
  const changed = await set("cs/olm/theirs", "--poll", "3", "--priority", "-100");
  assert.deepEqual([changed.exitCode, changed.text], [0, "olm/theirs is changed; purser source show olm/theirs"]);
  assert.deepEqual(await specOf(), {
    ...before,
    priority: -100,
    updateStrategy: { registryPoll: { interval: "3m" } },
  });
  assert.equal((await set("theirs", "--poll", "3")).text, "olm/theirs already has these values");
  assert.equal((await set("theirs", "--reset")).exitCode, 0);
  assert.deepEqual([(await specOf())?.priority, (await specOf())?.updateStrategy], [0, undefined]);
  await assert.rejects(
    set("olm/theirs", "--unavailable"),
    /--unavailable is for a ClusterCatalog, and olm\/theirs is a/,
  );
  const missing = await set("olm/thers", "--priority", "1");
  assert.equal(missing.exitCode, 6);
  assert.match(missing.errors, /There is no catalog "olm\/thers"\n {2}do {4}purser source show olm\/theirs/);
  assert.equal((await cluster.purser(["source", "remove", "olm/theirs", "--yes"])).exitCode, 0);
});

test("source refresh notes the time on the object, and refuses what never changes", async () => {
  const { exitCode, text, data } = await cluster.purser(["source", "refresh", "cc/mine"]);
  assert.deepEqual([exitCode, text], [0, `ok the cluster looks at ${demo} again; purser source show cc/mine`]);
  const { requested } = data as { readonly requested: string };
  assert.equal((await catalog("mine"))?.metadata.annotations?.["purser.dev/refresh"], requested);
  const pinned = ["source", "add", "pinned", digest, "--as-clustercatalog", "--no-wait", "--yes"];
  assert.equal((await cluster.purser(pinned)).exitCode, 0);
  await assert.rejects(cluster.purser(["source", "refresh", "pinned"]), /cc\/pinned is pinned by digest/);
  assert.equal((await cluster.purser(["source", "remove", "pinned", "--yes"])).exitCode, 0);
});

test("source diff compares what the cluster serves with a source, a directory and nothing else", async () => {
  const same = await cluster.purser(["source", "diff", "olm/demo", "cc/demo", "--exit-code"]);
  assert.deepEqual([same.exitCode, same.text], [0, "No changes."]);
  const directory = mkdtempSync(join(tmpdir(), "purser-source-diff-"));
  cpSync(demoWorld("default")?.catalog ?? "", directory, { recursive: true });
  rmSync(join(directory, "ballast-cache"), { recursive: true });
  const changed = await cluster.purser(["source", "diff", "olm/demo", directory, "--exit-code"]);
  assert.equal(changed.exitCode, 3);
  assert.match(changed.text, /^! ballast-cache {2}package removed, 4 versions\n1 breaking, 0 changes\./);
  rmSync(directory, { recursive: true });
  await assert.rejects(cluster.purser(["source", "diff", "olm/demo"]), /olm\/demo is read from a directory/);
});

test("catalogs are listed, searched and removed by their labels", async () => {
  for (const [name, tier] of [
    ["first", "test"],
    ["second", "test"],
    ["third", "own"],
  ] as const)
    assert.equal(
      (await cluster.purser(["source", "add", name, demo, "--as-clustercatalog", "--label", `tier=${tier}`, "--yes"]))
        .exitCode,
      0,
    );
  const listed = async (selector: string): Promise<string> =>
    (await cluster.purser(["source", "list", "-l", selector, "-o", "name"])).text;
  assert.equal(await listed("tier=test"), "cc/first\ncc/second");
  assert.equal(await listed("tier,tier!=test"), "cc/third");
  const found = await cluster.purser(["search", "logbook", "-l", "tier=own", "-o", "json"]);
  const { sources } = found.data as unknown as { readonly sources: readonly { readonly references: unknown }[] };
  assert.deepEqual(
    sources.map(({ references }) => references),
    [["cc/third"]],
  );
  const nowhere = await cluster.purser(["search", "logbook", "-l", "tier=none"]);
  assert.notEqual(nowhere.exitCode, 0);
  assert.match(nowhere.errors, /No catalog has the labels tier=none/);
  const none = await cluster.purser(["source", "remove", "-l", "tier=none", "--yes"]);
  assert.equal(none.exitCode, 6);
  const removed = await cluster.purser(["source", "remove", "-l", "tier=test", "--yes"]);
  assert.equal(removed.text, "ok removed cc/first\nok removed cc/second");
  assert.match(
    removed.errors,
    /^Remove cc\/first\nRemove cc\/second(\n {2}waiting for the deletion of ClusterCatalog .*)*$/,
  );
  assert.deepEqual(
    [await catalog("first"), await catalog("second"), (await catalog("third"))?.metadata.name],
    [undefined, undefined, "third"],
  );
  assert.equal((await cluster.purser(["source", "remove", "third", "--yes"])).exitCode, 0);
});

test("source remove waits until the catalog is deleted, and names the finalizer that holds it", async () => {
  const type = clusterCatalogs;
  const create = async (name: string): Promise<void> => {
    const object = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name, finalizers: ["example.com/hold"] },
      spec: { source: { type: "Image", image: { ref: demo } }, availabilityMode: "Unavailable" },
    } as const;
    written(await cluster.client.write({ verb: "create", type, object }, never));
  };
  const release = async (name: string): Promise<void> => {
    const patch = { metadata: { finalizers: null } };
    written(await cluster.client.write({ verb: "patch", type, key: { name }, patchType: "merge", patch }, never));
  };
  const remove = (name: string, ...flags: readonly string[]): Promise<Ran> =>
    cluster.purser(["source", "remove", name, "--yes", ...flags]);
  await create("held");
  const gone = await remove("held", "--no-wait");
  assert.deepEqual([gone.exitCode, gone.text], [0, "ok removing cc/held"]);
  const late = await remove("held", "--timeout", "0s");
  assert.equal(late.exitCode, exitCodes.timeout);
  assert.match(
    late.errors,
    /waiting for the deletion of ClusterCatalog held, which waits for the finalizer .*example\.com\/hold.*\nattention cc\/held is not removed yet: ClusterCatalog held, which waits for .*example\.com\/hold still exists\n {2}do {4}purser source show cc\/held/s,
  );
  await release("held");
  await create("later");
  const waiting = remove("later");
  while ((await catalog("later"))?.metadata.deletionTimestamp === undefined) await setImmediate();
  await release("later");
  const removed = await waiting;
  assert.deepEqual([removed.exitCode, removed.text], [0, "ok removed cc/later"]);
  assert.equal(await catalog("later"), undefined);
});

const digest = `example.com/c@sha256:${"a".repeat(64)}`;
const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["set", "demo"], /no field to set is given/],
  [["set", "demo", "--priority", "high"], /--priority "high" is not a number/],
  [["set", "demo", "--poll", "0"], /--poll "0" is not a number of minutes/],
  [["set", "demo", "--image", digest, "--poll", "5"], /a digest does not change/],
  [["set", "demo", "--label", "tier"], /--label "tier" is not KEY=VALUE/],
  [["set", "demo", "--available", "--unavailable"], /exclude each other/],
  [["add", "x", demo, "--label", "tier-"], /has no label "tier" to remove/],
  [["remove"], /no catalog is named/],
  [["remove", "demo", "-l", "tier=own"], /a catalog and --selector exclude each other/],
  [["remove", "demo", "--all-clustercatalogs"], /a catalog and --all-clustercatalogs exclude each other/],
  [["remove", "-l", "tier=own", "--all-clustercatalogs"], /--selector and --all-clustercatalogs exclude each other/],
  [["list", "-l", "tier in own"], /--selector: /],
  [["add", "x", demo, "--unavailable"], /--unavailable is for a ClusterCatalog/],
];
for (const [args, message] of refused)
  test(`source ${args.join(" ").slice(0, 60)} is wrong usage`, () =>
    assert.rejects(
      cluster.purser(["source", ...args, "--yes"]),
      (error) => error instanceof UsageError && message.test(error.message),
    ));
