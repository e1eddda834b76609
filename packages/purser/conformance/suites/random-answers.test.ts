// Where OLM's answer depends on the order of a hash map, each answer it can give is right and no other.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { GoldenCase } from "../suite.ts";
import { suite as template } from "./catalog-template.ts";
import { withoutRandomPackage } from "./random-package.ts";
import { suite as render } from "./v1/v1-render.ts";

const golden = (input: JsonObject, expect: JsonObject): GoldenCase => ({
  name: "a",
  line: 1,
  text: "",
  loose: false,
  input,
  expect,
});

test("of bundles that differ in build metadata at most, any may be the one without an error", () => {
  const versions = { a: "1.0.0", b: "1.0.0", c: "2.0.0+x", d: "2.0.0+y", e: "3.0.0" };
  const bundles = Object.fromEntries(
    Object.entries(versions).map(([name, version]) => [
      name,
      [
        {
          schema: "olm.bundle",
          name,
          package: "p",
          image: name,
          properties: [{ type: "olm.package", value: { packageName: "p", version } }],
        },
      ],
    ]),
  );
  const images = Object.keys(versions).map((image) => `{image: ${image}}`);
  const input = { kind: "semver", template: `schema: olm.semver\nstable: {bundles: [${images.join(", ")}]}`, bundles };
  const errorFor = (...listed: readonly string[]): JsonObject => ({
    error: `rendering template: versions which differ only by build metadata, which cannot be ordered: ${listed.length > 1 ? "[" : ""}${listed
      .map((version) => `bundle version "${version}" cannot be compared to "${version.split("+")[0] ?? ""}"`)
      .join(", ")}${listed.length > 1 ? "]" : ""}`,
  });
  const recorded = golden(input, errorFor("1.0.0", "2.0.0+y"));
  const isRight = (...listed: readonly string[]): boolean =>
    template.compare?.(recorded, errorFor(...listed)) === undefined;
  assert.ok(isRight("1.0.0", "2.0.0+y"));
  assert.ok(isRight("2.0.0+x", "1.0.0"));
  for (const wrong of [
    ["1.0.0"],
    ["2.0.0+x"],
    ["1.0.0", "2.0.0"],
    ["1.0.0", "2.0.0+x", "2.0.0+y"],
    ["1.0.0", "2.0.0+x", "3.0.0"],
  ])
    assert.ok(!isRight(...wrong), wrong.join(" "));
});

test("any of the packages with entries that have no bundle may be named, and no other", () => {
  const message = (name: string): string =>
    `no olm.bundle blobs found in package "${name}" for olm.channel entries [x]`;
  const stderr = (name: string): string => `level=fatal msg=${JSON.stringify(message(name))}\n`;
  const compared = (recorded: string, equally: readonly string[]) =>
    withoutRandomPackage(
      { message: message(recorded), stderr: stderr(recorded) },
      {
        message: message("a"),
        stderr: stderr("a"),
        equally: equally.map(message),
      },
    );
  const [expect, actual] = compared("b", ["a", "b"]);
  assert.deepEqual(expect, actual);
  const [other, ours] = compared("c", ["a", "b"]);
  assert.notDeepEqual(other, ours);
  const [alone, first] = compared("b", []);
  assert.notDeepEqual(alone, first);
});

test("faults of a configuration come in any order, and any key of it may be the unknown one", () => {
  const error = (...faults: readonly string[]): JsonObject => ({
    error: `invalid configuration: ${faults.length > 1 ? "multiple errors found:\n  - " : ""}${faults.join("\n  - ")}`,
  });
  const config = { a: 1, b: 2, deploymentConfig: { c: 3 } };
  const isRight = (recorded: JsonObject, ours: JsonObject): boolean =>
    render.compare?.(golden({ config }, recorded), ours) === undefined;
  const [missing, unknown] = ['required field "w" is missing', 'unknown field "a"'];
  assert.ok(isRight(error(missing, unknown), error(unknown, missing)));
  for (const key of ["b", "c"]) assert.ok(isRight(error(missing, unknown), error(`unknown field "${key}"`, missing)));
  assert.ok(isRight(error(unknown), error('unknown field "b"')));
  assert.ok(!isRight(error(unknown), error('unknown field "d"')));
  assert.ok(!isRight(error(missing, unknown), error(missing)));
  assert.ok(!isRight(error(missing, unknown), error(missing, missing)));
  assert.ok(!isRight(error(missing), error('required field "v" is missing')));
});
