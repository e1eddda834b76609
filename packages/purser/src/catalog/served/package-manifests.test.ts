import assert from "node:assert/strict";
import { test } from "node:test";
import { readPackageManifests } from "./package-manifests.ts";

const crd = (plural: string, ...versions: readonly string[]): string => `
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: ${plural}.example.com}
  spec:
    group: example.com
    names: {kind: ${plural}, plural: ${plural}}
    versions: [${versions.map((name) => `{name: ${name}}`).join(", ")}]
`;

const csv = (name: string, fields = "", annotations = "{}"): string => `
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: ${name}, annotations: ${annotations}}
  spec: {version: ${name.replace(/^.*\.v/, "")}${fields === "" ? "" : `, ${fields}`}}
`;

const pack = (channels: string, defaultChannel = ""): string => `
- packageName: a
  defaultChannel: "${defaultChannel}"
  channels: [${channels}]
`;

const data = (
  packages: string,
  clusterServiceVersions: string,
  customResourceDefinitions = "",
): Readonly<Record<string, string>> => ({ packages, clusterServiceVersions, customResourceDefinitions });

/** `a.v2 in stable replaces a.v1 skips a.v0`, one line for each bundle of each channel. */
function served(given: Readonly<Record<string, string>>): readonly string[] {
  const read = readPackageManifests(given);
  assert.ok(read.ok, JSON.stringify(read));
  return read.value.bundles.map(({ name, channel, replaces, skips, skipRange }) =>
    [
      `${name} in ${channel}`,
      replaces === "" ? [] : `replaces ${replaces}`,
      skips.length === 0 ? [] : `skips ${skips.join()}`,
      skipRange === "" ? [] : `range ${skipRange}`,
    ]
      .flat()
      .join(" "),
  );
}

function complaints(given: Readonly<Record<string, string>>): readonly string[] {
  const read = readPackageManifests(given);
  assert.ok(!read.ok, "it is refused");
  return read.problem.map(({ message, place }) => `${place?.file}: ${message}`);
}

test("a channel follows spec.replaces from currentCSV, and other bundles are in no channel", () => {
  const csvs =
    csv("a.v3.0.0", "replaces: a.v2.0.0") + csv("a.v2.0.0", "replaces: a.v1.0.0") + csv("a.v1.0.0") + csv("b.v1.0.0");
  assert.deepEqual(
    served(data(pack("{name: new, currentCSV: a.v3.0.0}, {name: old, currentCSV: a.v2.0.0}", "new"), csvs)),
    [
      "a.v3.0.0 in new replaces a.v2.0.0",
      "a.v2.0.0 in new replaces a.v1.0.0",
      "a.v1.0.0 in new",
      "a.v2.0.0 in old replaces a.v1.0.0",
      "a.v1.0.0 in old",
    ],
  );
});

test("a skipped bundle is in the channel without edges of its own, and one that does not exist is only named", () => {
  const csvs =
    csv("a.v3.0.0", "replaces: a.v1.0.0, skips: [a.v2.0.0, a.v1.5.0]", '{olm.skipRange: "<3.0.0"}') +
    csv("a.v2.0.0", "replaces: a.v1.0.0") +
    csv("a.v1.0.0");
  assert.deepEqual(served(data(pack("{name: s, currentCSV: a.v3.0.0}"), csvs)), [
    "a.v3.0.0 in s replaces a.v1.0.0 skips a.v2.0.0,a.v1.5.0 range <3.0.0",
    "a.v1.0.0 in s",
    "a.v2.0.0 in s",
  ]);
});

test("an owned CRD with all its versions is part of the bundle, once, and its APIs are provided", () => {
  const owns =
    "customresourcedefinitions: {owned: [{name: things.example.com, version: v1, kind: things}, {name: things.example.com, version: v2, kind: things}], required: [{name: others.example.org, version: v1, kind: Other}]}";
  const read = readPackageManifests(
    data(pack("{name: s, currentCSV: a.v1.0.0}"), csv("a.v1.0.0", owns), crd("things", "v1", "v2")),
  );
  assert.ok(read.ok);
  const [bundle] = read.value.bundles;
  assert.deepEqual(
    bundle?.provides.map(({ group, version, kind }) => `${group}/${version}/${kind}`),
    ["example.com/v1/things", "example.com/v2/things"],
  );
  assert.deepEqual(bundle?.dependencies, [
    { type: "olm.gvk", value: '{"group":"example.org","kind":"Other","version":"v1"}' },
  ]);
  assert.deepEqual(
    bundle?.objects.map((object) => (JSON.parse(object) as { readonly kind: string }).kind),
    ["ClusterServiceVersion", "CustomResourceDefinition"],
  );
});

test("the one version of an old CRD counts as its only one", () => {
  const old = `
- apiVersion: apiextensions.k8s.io/v1beta1
  kind: CustomResourceDefinition
  metadata: {name: things.example.com}
  spec: {group: example.com, version: v1, names: {kind: things, plural: things}}
`;
  const owns = "customresourcedefinitions: {owned: [{name: things.example.com, version: v1, kind: things}]}";
  const read = readPackageManifests(data(pack("{name: s, currentCSV: a.v1.0.0}"), csv("a.v1.0.0", owns), old));
  assert.ok(read.ok && read.value.bundles[0]?.provides[0]?.version === "v1");
});

const one = pack("{name: s, currentCSV: a.v1.0.0}");
const owned = "customresourcedefinitions: {owned: [{name: things.example.com, version: v1, kind: things}]}";

const refused: readonly (readonly [claim: string, data: Readonly<Record<string, string>>, complaint: string])[] = [
  [
    "a missing key",
    { packages: one, clusterServiceVersions: csv("a.v1.0.0") },
    "customResourceDefinitions: couldn't find expected key customResourceDefinitions in configmap",
  ],
  ["YAML that cannot be read", data(one, "- [", ""), "clusterServiceVersions: "],
  ["a value that is no list", data(one, "a: b"), "clusterServiceVersions: must be a list, but is of type object"],
  [
    "an item that is not an object",
    data("- a", csv("a.v1.0.0")),
    "packages: item 0 must be an object, but is of type string",
  ],
  [
    "an owned CRD that is not listed",
    data(one, csv("a.v1.0.0", owned)),
    "clusterServiceVersions: couldn't find owned CRD in crd list example.com/v1/things (things)",
  ],
  [
    "a CRD that is listed twice",
    data(one, csv("a.v1.0.0"), crd("things", "v1") + crd("things", "v1")),
    "customResourceDefinitions: can't add the same CRD twice in one configmap: example.com/v1/things (things)",
  ],
  [
    "a ClusterServiceVersion that is listed twice",
    data(one, csv("a.v1.0.0") + csv("a.v1.0.0")),
    "clusterServiceVersions: the ClusterServiceVersion a.v1.0.0 is listed twice",
  ],
  [
    "a currentCSV that does not exist",
    data(one, csv("a.v2.0.0")),
    "packages: error loading package a: no bundle found for bundlename a.v1.0.0, currentCSV of channel s",
  ],
  [
    "a replaced bundle that does not exist",
    data(one, csv("a.v1.0.0", "replaces: a.v0.0.0")),
    "packages: error loading package a: Invalid bundle a.v1.0.0, replaces nonexistent bundle a.v0.0.0",
  ],
  [
    "a cycle",
    data(one, csv("a.v1.0.0", "replaces: a.v1.0.0")),
    "packages: error loading package a: Cycle detected, a.v1.0.0 replaces a.v1.0.0",
  ],
  [
    "two channels without a default",
    data(pack("{name: s, currentCSV: a.v1.0.0}, {name: t, currentCSV: a.v1.0.0}"), csv("a.v1.0.0")),
    "packages: error loading package a: no default channel specified for a",
  ],
  [
    "a channel that is listed twice",
    data(pack("{name: s, currentCSV: a.v1.0.0}, {name: s, currentCSV: a.v1.0.0}", "s"), csv("a.v1.0.0")),
    "packages: error loading package a: the channel s is listed twice",
  ],
  [
    "a version that is no string",
    data(one, csv("a.v1.0.0").replace("version: 1.0.0", "version: 1.0")),
    "clusterServiceVersions: error adding operator bundle a.v1.0.0: spec.version must be a string, but is of type number",
  ],
];

for (const [claim, given, complaint] of refused)
  test(`${claim} makes the catalog unusable`, () => {
    const [first = ""] = complaints(given);
    assert.ok(first.startsWith(complaint), first);
  });

test("all problems are reported", () => {
  assert.equal(complaints(data(one, csv("b.v1.0.0", owned) + csv("b.v1.0.0"))).length, 3);
});

test("the only channel is the default whatever the manifest says, and empty lists are an empty catalog", () => {
  const read = readPackageManifests(data(pack("{name: s, currentCSV: a.v1.0.0}", "other"), csv("a.v1.0.0")));
  assert.ok(read.ok && read.value.packages[0]?.defaultChannel === "s");
  assert.deepEqual(readPackageManifests(data("", "[]", "null")), { ok: true, value: { packages: [], bundles: [] } });
});
