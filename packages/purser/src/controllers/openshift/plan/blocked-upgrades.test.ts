import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterVersion } from "../../../apis/openshift.ts";
import { type InstalledBundle, upgradeBlock } from "./blocked-upgrades.ts";

const at = (version: string): ClusterVersion => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  status: { desired: { version } },
});

const most = (...values: readonly string[]): string =>
  `[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}${values.map((value) => `,{"type":"olm.maxOpenShiftVersion","value":${value}}`).join("")}]`;
const bundle = (properties: string | undefined, name = "ns/a.v1"): InstalledBundle => ({ name, properties });

const blocking = (version: string, line: string) => ({
  reason: "IncompatibleOperatorsInstalled",
  message: `ClusterServiceVersions blocking minor version upgrades to ${version} or higher:\n${line}`,
});
const tooOld = (version: string) => blocking("4.19.0", `- maximum supported OCP version for ns/a.v1 is ${version}`);
const invalid = (why: string) => blocking("4.19.0", `- ns/a.v1 has invalid olm.maxOpenShiftVersion properties: ${why}`);
const unknown = (why: string) => ({
  reason: "ErrorCheckingOperatorCompatibility",
  message: `Encountered errors while checking compatibility with the next minor version of OpenShift: ${why}`,
});

/** Name, properties of the one bundle, version of the cluster, and the reason for the block. */
const cases: readonly (readonly [string, string | undefined, ClusterVersion | undefined, unknown])[] = [
  ["a bundle without properties blocks nothing", undefined, at("4.18.0"), undefined],
  ["a bundle with an empty annotation blocks nothing", "", at("4.18.0"), undefined],
  ["a bundle without the property blocks nothing", most(), at("4.18.0"), undefined],
  ["the version of the cluster blocks its next minor", most('"4.18"'), at("4.18.0"), tooOld("4.18")],
  ["an older version blocks", most('"4.9"'), at("4.18.0"), tooOld("4.9")],
  ["the next minor allows the update", most('"4.19"'), at("4.18.0"), undefined],
  ["a later minor allows the update", most('"4.100"'), at("4.18.0"), undefined],
  ["a later major allows the update", most('"5.0"'), at("4.18.0"), undefined],
  ["an earlier major blocks, whatever its minor", most('"3.99"'), at("4.18.0"), tooOld("3.99")],
  ["the patch of the cluster is not compared", most('"4.19"'), at("4.18.27"), undefined],
  ["the patch of the cluster changes nothing for the next minor", most('"4.18"'), at("4.18.27"), tooOld("4.18")],
  ["a pre-release of the cluster counts as its release", most('"4.18"'), at("4.18.0-rc1"), tooOld("4.18")],
  ["a pre-release of the cluster asks for the same next minor", most('"4.19"'), at("4.18.0-rc1"), undefined],
  ["build metadata of the cluster is ignored", most('"4.19"'), at("4.18.0+build"), undefined],
  ["a whole release is its minor", most('"4.18.0"'), at("4.18.0"), tooOld("4.18")],
  ["build metadata of the property is ignored", most('"4.18.0+build"'), at("4.18.0"), tooOld("4.18")],
  ["one more pair of quotes is accepted", most('"\\"4.18\\""'), at("4.18.0"), tooOld("4.18")],
  ["a number is read as it is written", most("4.20"), at("4.19.0"), undefined],
  [
    "a list in the annotation of OLM v0 is read",
    '{"properties":[{"type":"olm.maxOpenShiftVersion","value":"4.18"}]}',
    at("4.18.0"),
    tooOld("4.18"),
  ],
  ["an annotation of OLM v0 without a list blocks nothing", "{}", at("4.18.0"), undefined],
  [
    "several values block, also equal ones",
    most('"4.19"', '"4.19"'),
    at("4.18.0"),
    invalid('defining more than one "olm.maxOpenShiftVersion" property is not allowed'),
  ],
  [
    "several values block, also when the second one is null",
    most('"4.19"', "null"),
    at("4.18.0"),
    invalid('defining more than one "olm.maxOpenShiftVersion" property is not allowed'),
  ],
  ["an empty value blocks", most('""'), at("4.18.0"), invalid('value cannot be "" (an empty string)')],
  ["quotes around nothing block", most('"\\"\\""'), at("4.18.0"), invalid('value cannot be "" (an empty string)')],
  ["a value that is no text blocks", most("true"), at("4.18.0"), invalid("value true is not a string")],
  ["null blocks", most("null"), at("4.18.0"), invalid("value null is not a string")],
  [
    "an unparsable value blocks",
    most('"latest"'),
    at("4.18.0"),
    invalid('failed to parse "latest" as semver: Invalid character(s) found in major number "0latest"'),
  ],
  [
    "a patch version blocks",
    most('"4.19.1"'),
    at("4.18.0"),
    invalid("property olm.maxOpenShiftVersion must specify only <major>.<minor> version, got invalid value 4.19.1"),
  ],
  [
    "a pre-release blocks",
    most('"4.19.0-rc1"'),
    at("4.18.0"),
    invalid("property olm.maxOpenShiftVersion must specify only <major>.<minor> version, got invalid value 4.19.0-rc1"),
  ],
  [
    "properties that are no list block",
    '"4.19"',
    at("4.18.0"),
    invalid("failed to unmarshal properties annotation: it is not a list of properties"),
  ],
  ["a cluster without a version blocks", most('"4.19"'), undefined, unknown('ClusterVersion "version" does not exist')],
  [
    "a cluster whose version is not set yet blocks",
    undefined,
    at(""),
    unknown('ClusterVersion "version" has no desired version in its status'),
  ],
  [
    "a cluster whose version cannot be parsed blocks",
    undefined,
    at("four"),
    unknown('cluster version has invalid desired release version: Invalid character(s) found in major number "0four"'),
  ],
];

for (const [name, properties, cluster, expected] of cases)
  test(name, () => {
    assert.deepEqual(upgradeBlock("ClusterServiceVersions", [bundle(properties)], cluster), expected);
  });

test("properties that are no JSON block", () => {
  const block = upgradeBlock("ClusterExtensions", [bundle("[")], at("4.18.0"));
  assert.match(
    block?.message ?? "",
    /^ClusterExtensions blocking .*\n- ns\/a\.v1 has invalid olm\.maxOpenShiftVersion properties: failed to unmarshal properties annotation: /,
  );
});

test("bundles with unreadable properties are listed first, each group by name; those that allow the update are not listed", () => {
  const bundles = [
    bundle(most('"4.18"'), "b"),
    bundle(most('""'), "d"),
    bundle(most('"4.19"'), "e"),
    bundle(most('"4.17"'), "a"),
    bundle(most('""'), "c"),
  ];
  assert.equal(
    upgradeBlock("ClusterExtensions", bundles, at("4.18.3"))?.message,
    [
      "ClusterExtensions blocking minor version upgrades to 4.19.0 or higher:",
      '- c has invalid olm.maxOpenShiftVersion properties: value cannot be "" (an empty string)',
      '- d has invalid olm.maxOpenShiftVersion properties: value cannot be "" (an empty string)',
      "- maximum supported OCP version for a is 4.17",
      "- maximum supported OCP version for b is 4.18",
    ].join("\n"),
  );
});
