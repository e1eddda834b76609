import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { readProperties } from "./properties.ts";
import { parseRelease } from "./release.ts";
import { loadCatalog } from "./loading/load.ts";
import { compareVersionReleases, versionRelease } from "./template/version-release.ts";

const item = (type: string, value?: JsonValue): JsonObject => ({ type, ...(value === undefined ? {} : { value }) });

test("known property types are read, others are kept in order, the bulk is left out", () => {
  const listed = [
    item("olm.package", { packageName: "p", version: "1.0.0", release: "2" }),
    item("olm.gvk", { group: "g", kind: "K", version: "v1", description: "extra fields are fine" }),
    item("olm.package.required", { packageName: "q", versionRange: "no range at all" }),
    item("olm.gvk.required", { group: "g" }),
    item("olm.bundle.object", { data: "e30=" }),
    item("olm.csv.metadata", {}),
    item("olm.channel", { channelName: "c" }),
    item("olm.constraint", { anything: [1] }),
    item("olm.maxOpenShiftVersion", "4.12"),
    item("x", null),
  ];
  const { properties, versions, objects, propertyProblem } = readProperties(listed);
  assert.equal(propertyProblem, undefined);
  assert.deepEqual(versions, [{ packageName: "p", version: "1.0.0", release: "2" }]);
  assert.equal(objects, 1);
  assert.deepEqual(
    properties.map(({ type }) => type),
    [
      "olm.package",
      "olm.gvk",
      "olm.package.required",
      "olm.gvk.required",
      "olm.channel",
      "olm.constraint",
      "olm.maxOpenShiftVersion",
      "x",
    ],
  );
});

test("a value of the wrong shape is reported with the index and type of its property", () => {
  const cases: readonly (readonly [string, JsonValue | undefined])[] = [
    ["olm.package", { packageName: 1 }],
    ["olm.package", "p"],
    ["olm.gvk", { kind: [] }],
    ["olm.gvk.required", 7],
    ["olm.package.required", { versionRange: {} }],
    ["olm.channel", { channelName: true }],
    ["olm.bundle.object", { data: "***" }],
    ["olm.csv.metadata", { annotations: [] }],
    ["olm.foo", undefined],
    ["", undefined],
  ];
  for (const [type, value] of cases) {
    const { propertyProblem } = readProperties([item("x", 1), item(type, value)]);
    assert.equal(propertyProblem?.index, 1, type);
    assert.ok(propertyProblem.message.startsWith(`parse property[1] of type "${type}": `), propertyProblem.message);
  }
});

test("a release is a dotted list of pre-release identifiers of at most 20 letters", () => {
  for (const good of ["", "alpha", "1", "alpha.1.beta", "a-b-c", "a".repeat(20), "0", "0alpha"])
    assert.deepEqual(parseRelease(good), { ok: true, value: good });
  for (const bad of ["a".repeat(21), "01", "1.007", "alpha_1", "a..b", ".", "a b", "é"])
    assert.equal(parseRelease(bad).ok, false, bad);
  const tooLong = parseRelease("a".repeat(21));
  assert.match(tooLong.ok ? "" : tooLong.problem, /exceeds maximum length of 20 characters$/);
});

const annotated = (value: string): JsonObject => ({ annotations: { "olm.substitutesFor": value } });
const csv = (metadata: JsonObject): JsonObject =>
  item("olm.bundle.object", {
    data: btoa(JSON.stringify({ kind: "ClusterServiceVersion", apiVersion: "v1", metadata })),
  });

/** Version and release of a bundle as text. */
function told(own: JsonObject, ...more: readonly JsonObject[]): string {
  const blob = {
    schema: "olm.bundle",
    package: "p",
    name: "b",
    properties: [item("olm.package", { packageName: "p", ...own }), ...more],
  };
  const [loaded] = loadCatalog([{ file: "c", text: JSON.stringify(blob) }]).blobs;
  assert.ok(loaded !== undefined);
  const read = versionRelease(loaded);
  if (!read.ok) return read.problem;
  const { version, release } = read.value;
  return [version.build.join("."), release.map(String).join(".")].join("|");
}

test("build metadata is the release of a bundle that says it substitutes for another", () => {
  const built = { version: "1.0.0+7" };
  const metadata = item("olm.csv.metadata", annotated("p.v0.9.0"));
  assert.equal(told(built, metadata), "|7");
  assert.equal(told(built, csv(annotated("p.v0.9.0"))), "|7");
  assert.equal(told(built), "7|");
  assert.equal(told(built, item("olm.csv.metadata", annotated(""))), "7|");
  assert.equal(told({ ...built, release: "1" }, metadata), "7|1");
  assert.equal(told(built, csv({}), metadata), "7|", "the CSV that is there has the last word");
});

test("releases come after their version and in the order of pre-release identifiers", () => {
  const of = (version: string, release?: string): Parameters<typeof compareVersionReleases>[0] => {
    const own = { packageName: "p", version, ...(release === undefined ? {} : { release }) };
    const blob = { schema: "olm.bundle", package: "p", name: "b", properties: [item("olm.package", own)] };
    const [loaded] = loadCatalog([{ file: "c", text: JSON.stringify(blob) }]).blobs;
    const read = loaded === undefined ? undefined : versionRelease(loaded);
    assert.ok(read?.ok === true);
    return read.value;
  };
  const ordered = [of("1.0.0"), of("1.0.0", "1"), of("1.0.0", "2"), of("1.0.0", "10"), of("1.0.0", "a"), of("1.0.1")];
  for (const [index, one] of ordered.entries())
    for (const [other, two] of ordered.entries())
      assert.equal(Math.sign(compareVersionReleases(one, two)), Math.sign(index - other), `${index} ${other}`);
});
