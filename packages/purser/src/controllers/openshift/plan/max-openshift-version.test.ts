import assert from "node:assert/strict";
import { test } from "node:test";
import { maxOpenShiftVersion, nextMinor, supports } from "./max-openshift-version.ts";

const property = (value: string): string => `{"type":"olm.maxOpenShiftVersion","value":${value}}`;
const other = '{"type":"olm.package","value":{"packageName":"a"}}';
const invalid = (text: string): string =>
  `property olm.maxOpenShiftVersion must specify only <major>.<minor> version, got invalid value ${text}`;

const rows: readonly (readonly [annotation: string | undefined, found: string | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["[]", undefined],
  ["{}", undefined],
  [`[${other}]`, undefined],
  [`[null, "a", ${other}, ${property('"4.18"')}]`, "4.18"],
  [`{"properties":[${property('"4.18"')}]}`, "4.18"],
  [`[${property("4.20")}]`, "4.20"],
  [`[${property('"\\"4.9\\""')}]`, "4.9"],
  [`[${property('"4.18.0"')}]`, "4.18"],
  [`[${property('"5"')}]`, "5.0"],
  [`[${property('"4.18.1"')}]`, invalid("4.18.1")],
  [`[${property('"4.18.0-rc.1"')}]`, invalid("4.18.0-rc.1")],
  [`[${property('""')}]`, 'value cannot be "" (an empty string)'],
  [`[${property("null")}]`, "value null is not a string"],
  [`[${property("[true]")}]`, "value [true] is not a string"],
  [`[{"type":"olm.maxOpenShiftVersion"}]`, "value null is not a string"],
  [
    `[${property('"4.18"')},${property('"4.18"')}]`,
    'defining more than one "olm.maxOpenShiftVersion" property is not allowed',
  ],
  ['"a"', "failed to unmarshal properties annotation: it is not a list of properties"],
  ['{"properties":{}}', "failed to unmarshal properties annotation: it is not a list of properties"],
];
for (const [annotation, found] of rows)
  test(`the newest OpenShift of ${annotation}: ${found ?? "any"}`, () => {
    const read = maxOpenShiftVersion(annotation);
    if (!read.ok) assert.equal(read.problem, found);
    else assert.equal(read.value && `${read.value.major}.${read.value.minor}`, found);
  });

test("a value that is no version and an annotation that is no JSON are refused", () => {
  for (const [annotation, problem] of [
    [`[${property('"newest"')}]`, /^failed to parse "newest" as semver: /],
    ["[", /^failed to unmarshal properties annotation: /],
  ] as const) {
    const read = maxOpenShiftVersion(annotation);
    assert.match(read.ok ? "" : read.problem, problem);
  }
});

test("the next minor version is that after the one of a version, whatever its patch", () => {
  const next = (version: string): unknown => {
    const found = nextMinor(version);
    return found.ok ? `${found.value.major}.${found.value.minor}` : "none";
  };
  assert.deepEqual(["4.18.0-rc.1", "4.18.9", "4.9.0", "5.0.0", "a"].map(next), ["4.19", "4.19", "4.10", "5.1", "none"]);
});

test("a bundle supports versions up to its own, and all of lower major versions", () => {
  const of = (text: string): { readonly major: bigint; readonly minor: bigint } => {
    const [major = "", minor = ""] = text.split(".");
    return { major: BigInt(major), minor: BigInt(minor) };
  };
  const answers = ["4.17", "4.18", "4.19", "5.0", "3.99"].map((wanted) => supports(of("4.18"), of(wanted)));
  assert.deepEqual(answers, [true, true, false, false, true]);
});
