// set and archive against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterExtensions, clusterObjectSets, subscriptions } from "../../apis/olm-resources.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const loose = (name: string): ClusterObjectSet => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterObjectSet",
  metadata: { name },
  spec: { lifecycleState: "Active", collisionProtection: "Prevent", revision: 1 },
});

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  for (const name of ["loose-1", "kept-1"]) {
    const created = await cluster.client.write({ verb: "create", type: clusterObjectSets, object: loose(name) }, never);
    assert.ok(created.ok);
  }
});
after(() => cluster.stop());

const key = { namespace: "demo-logbook", name: "logbook-db" };
const specOf = async () => (await cluster.client.get(subscriptions, key))?.spec;
const filterOf = async () =>
  (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.spec?.source.catalog;

for (const [args, message] of [
  [["logbook-db"], "no field to set is given"],
  [["logbook-db", "--version", "1.x"], "--version is for a ClusterExtension; a Subscription follows its channel"],
  [["logbook-db", "--channel", "a", "--channel", "b"], "a Subscription has one channel"],
  [["logbook-db", "--catalog", "demo"], '--catalog "demo" is not NAMESPACE/NAME of a CatalogSource'],
  [["logbook-db", "--approval", "Later"], '--approval "Later" is neither Automatic nor Manual'],
  [
    ["logbook-db", "--upgrade-constraint-policy", "SelfCertified"],
    "--upgrade-constraint-policy is for a ClusterExtension",
  ],
  [["ballast-cache", "--approval", "Manual"], "--approval is for a Subscription"],
  [["logbook-db", "--catalog-selector", "tier=own"], "--catalog-selector is for a ClusterExtension"],
  [
    ["ballast-cache", "--catalog-selector", "tier=own", "--catalog", "demo"],
    "--catalog-selector and --catalog exclude each other",
  ],
  [["ballast-cache", "--label", "tier"], '--label "tier" is not KEY=VALUE'],
  [["ballast-cache", "--version", "newest"], '--version "newest" is not a range of versions'],
] as const)
  test(`set refuses ${args.slice(1).join(" ") || "no flag"} for ${args[0]}`, async () => {
    await assert.rejects(
      () => cluster.purser(["set", ...args, "--yes"]),
      (error) => error instanceof UsageError && error.message === message,
    );
  });

test("set switches the check of CustomResourceDefinitions off and on, and removes nothing else", async () => {
  const set = (enforcement: string) =>
    cluster.purser(["set", "ballast-cache", "--crd-upgrade-safety", enforcement, "--yes"]);
  const enforced = async () =>
    (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.spec?.install?.preflight?.crdUpgradeSafety
      ?.enforcement;
  const before = await filterOf();
  const off = await set("None");
  assert.deepEqual([off.exitCode, await enforced()], [0, "None"]);
  assert.match(off.errors, /^Change the spec of ext\/ballast-cache\n {2}CRD safety {3}Strict -> None/);
  assert.match((await set("None")).text, /already has these values/);
  assert.deepEqual([(await set("Strict")).exitCode, await enforced()], [0, "Strict"]);
  assert.deepEqual(await filterOf(), before);
  await assert.rejects(set("Loose"), UsageError);
});

test("a dry run of set shows what changes and writes nothing, and what is asked for already is not written", async () => {
  const before = await specOf();
  const dry = await cluster.purser(["set", "logbook-db", "--channel", "fast", "--start", "any", "--dry-run"]);
  assert.deepEqual(dry.text.split("\n"), [
    "Change the spec of sub/demo-logbook/logbook-db",
    "  channel      stable -> fast",
    `  startingCSV  ${before?.startingCSV} -> any`,
  ]);
  assert.deepEqual(dry.data, {
    apiVersion: "purser.dev/v1alpha1",
    kind: "SpecChange",
    installation: "sub/demo-logbook/logbook-db",
    patch: { spec: { channel: "fast", startingCSV: null } },
  });
  const declined = await cluster.purser(["set", "logbook-db", "--channel", "fast"], "n");
  assert.deepEqual([declined.exitCode, declined.text], [1, "Nothing was changed."]);
  assert.deepEqual(await specOf(), before);
  const same = await cluster.purser(["set", "logbook-db", "--channel", "stable", "--approval", "Manual", "--yes"]);
  assert.equal(same.text, "sub/demo-logbook/logbook-db already has these values; nothing was changed");
});

test("set replaces a selector with the catalog that is named, and any removes what limits an extension", async () => {
  const selector = {
    matchLabels: { team: "a" },
    matchExpressions: [{ key: "olm.operatorframework.io/metadata.name", operator: "Exists" }],
  };
  const patch = { spec: { source: { catalog: { selector, version: "0.x" } } } };
  const type = clusterExtensions;
  const name = "ballast-cache";
  const { signal } = new AbortController();
  const written = await cluster.client.write({ verb: "patch", type, key: { name }, patchType: "merge", patch }, signal);
  assert.ok(written.ok);
  const set = await cluster.purser([
    "set",
    name,
    "--catalog",
    "demo",
    "--channel",
    "stable",
    "--version",
    "any",
    "--yes",
  ]);
  assert.deepEqual([set.exitCode, set.text], [0, `ok ext/${name} is changed; purser status ext/${name}`], set.errors);
  const filter = await filterOf();
  assert.deepEqual(filter?.selector, { matchLabels: { "olm.operatorframework.io/metadata.name": "demo" } });
  assert.deepEqual([filter?.channels, filter?.version], [["stable"], undefined]);
  await cluster.purser(["set", name, "--catalog", "any", "--channel", "any", "--yes"]);
  const open = await filterOf();
  assert.deepEqual([open?.selector, open?.channels], [undefined, undefined]);
});

test("set selects catalogs by labels in place of those before, and any selects all", async () => {
  const set = (selector: string) => cluster.purser(["set", "ballast-cache", "--catalog-selector", selector, "--yes"]);
  await cluster.purser(["set", "ballast-cache", "--catalog", "demo", "--yes"]);
  const name = "olm.operatorframework.io/metadata.name";
  const expressions = [
    { key: name, operator: "In", values: ["demo", "other"] },
    { key: "beta", operator: "DoesNotExist" },
  ];
  assert.equal((await set(`${name} in (demo,other),!beta`)).exitCode, 0);
  assert.deepEqual((await filterOf())?.selector, { matchExpressions: expressions });
  assert.match((await set(`${name} in (demo,other),!beta`)).text, /already has these values/);
  assert.equal((await set("any")).exitCode, 0);
  assert.equal((await filterOf())?.selector, undefined);
});

test("set changes spec.config of a Subscription by its paths, and null removes a value", async () => {
  const set = (...values: readonly string[]) =>
    cluster.purser(["set", "logbook-db", ...values.flatMap((value) => ["--set", value]), "--yes"]);
  const first = await set("resources.limits.memory=1Gi", "env[0].name=LEVEL", "env[0].value=debug");
  assert.deepEqual(first.errors.split("\n"), [
    "Change the spec of sub/demo-logbook/logbook-db",
    '  config       resources  not set -> {"limits":{"memory":"1Gi"}}',
    '  config       env  not set -> [{"name":"LEVEL","value":"debug"}]',
  ]);
  const second = await set("resources.limits.memory=2Gi", "env[0].value=info");
  assert.match(second.errors, /\n {2}config {7}resources\.limits\.memory {2}1Gi -> 2Gi\n/);
  assert.deepEqual((await specOf())?.config, {
    resources: { limits: { memory: "2Gi" } },
    env: [{ name: "LEVEL", value: "info" }],
  });
  assert.match((await set("env[0].value=info")).text, /already has these values; nothing was changed/);
  assert.equal((await set("resources.limits.memory=null")).exitCode, 0);
  assert.deepEqual((await specOf())?.config, { env: [{ name: "LEVEL", value: "info" }] });
  await assert.rejects(set("resource.limits=1"), /unknown field resource/);
  assert.equal((await set("env=null")).exitCode, 0);
  assert.equal((await specOf())?.config, undefined);
});

test("set changes the inline configuration of a ClusterExtension", async () => {
  const set = (value: string) => cluster.purser(["set", "ballast-cache", "--set", value, "--dry-run"]);
  const { data, text } = await set("deploymentConfig.env[0].name=LEVEL");
  assert.match(text, /config {7}deploymentConfig {2}not set -> \{"env":\[\{"name":"LEVEL"\}\]\}/);
  assert.deepEqual((data as { readonly patch: unknown }).patch, {
    spec: { config: { configType: "Inline", inline: { deploymentConfig: { env: [{ name: "LEVEL" }] } } } },
  });
});

test("set writes and removes labels of both kinds, and leaves the others", async () => {
  for (const [name, labels] of [
    [
      "ballast-cache",
      async () => (await cluster.client.get(clusterExtensions, { name: "ballast-cache" }))?.metadata.labels,
    ],
    ["logbook-db", async () => (await cluster.client.get(subscriptions, key))?.metadata.labels],
  ] as const) {
    const before = (await labels()) ?? {};
    const set = (...given: readonly string[]) =>
      cluster.purser(["set", name, ...given.flatMap((label) => ["--label", label]), "--yes"]);
    const first = await set("tier=own", "team=a");
    assert.match(
      first.errors,
      /^Change the labels of .*\n {2}label {8}tier: none -> own\n {2}label {8}team: none -> a$/,
    );
    assert.deepEqual(await labels(), { ...before, tier: "own", team: "a" });
    assert.match((await set("tier=own", "absent-")).text, /already has these values/);
    const second = await set("tier-", "team=b");
    assert.match(second.errors, /tier: own -> none\n {2}label {8}team: a -> b/);
    assert.deepEqual(await labels(), { ...before, team: "b" });
    await set("team-");
  }
});

const stateOf = async (name: string): Promise<string | undefined> =>
  (await cluster.client.get(clusterObjectSets, { name }))?.spec?.lifecycleState;

test("archive sets the state, and says when there is nothing to do, also as JSON", async () => {
  const first = await cluster.purser(["archive", "loose-1", "--yes"]);
  assert.deepEqual([first.exitCode, await stateOf("loose-1")], [0, "Archived"]);
  assert.match(first.text.trim(), /archived loose-1$/);
  assert.match(first.errors, /^Archive loose-1\n {2}deletes {2}those of its 0 objects that no newer revision controls/);
  const second = await cluster.purser(["archive", "loose-1", "--yes", "-o", "json"]);
  assert.deepEqual([second.exitCode, second.data], [0, { revision: "loose-1", changed: false }]);
});

test("archive asks first, and changes nothing without a yes", async () => {
  await assert.rejects(cluster.purser(["archive", "kept-1"]), UsageError);
  const declined = await cluster.purser(["archive", "kept-1"], "n");
  assert.deepEqual([declined.exitCode, declined.text.trim()], [1, "Nothing was changed."]);
  assert.equal(await stateOf("kept-1"), "Active");
});

test("archive of a revision that does not exist proposes near names with exit code 6", async () => {
  const missing = await cluster.purser(["archive", "kept-2", "--yes"]);
  assert.equal(missing.exitCode, 6);
  assert.match(
    missing.errors,
    /There is no ClusterObjectSet "kept-2"\n {2}do {4}purser archive kept-1 .*\n {2}or {4}kubectl get/,
  );
});

test("archive of the newest revision of an extension says that another one follows", async () => {
  const name = "apart-1";
  const labels = { "olm.operatorframework.io/owner-name": "elsewhere" };
  for (const [number, own] of [
    [1, name],
    [2, "apart-2"],
  ] as const) {
    const object = loose(own);
    const spec = { ...object.spec, revision: number } as NonNullable<ClusterObjectSet["spec"]>;
    const created = await cluster.client.write(
      { verb: "create", type: clusterObjectSets, object: { ...object, metadata: { name: own, labels }, spec } },
      never,
    );
    assert.ok(created.ok);
  }
  const follows = /then {5}ClusterExtension elsewhere creates another revision/;
  assert.doesNotMatch((await cluster.purser(["archive", name, "--yes"])).errors, follows);
  const newest = await cluster.purser(["archive", "apart-2", "--yes"]);
  assert.match(newest.errors, follows);
  assert.match(newest.text.trim(), /archived apart-2; purser status ext\/elsewhere$/);
});
