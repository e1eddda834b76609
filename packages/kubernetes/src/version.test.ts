import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "./result.ts";
import {
  compareIdentifiers,
  compareVersions,
  formatVersion,
  parseTolerantVersion,
  parseVersion,
  type Version,
  type VersionProblem,
} from "./version.ts";

const shown = (result: Result<Version, VersionProblem>): string =>
  result.ok ? formatVersion(result.value) : result.problem.message;

/** The canonical text, or the error of blang/semver. */
const strict: readonly (readonly [text: string, result: string])[] = [
  ["1.2.3", "1.2.3"],
  ["0.0.0", "0.0.0"],
  ["1.2.3-rc.1.0.a-b+build.01", "1.2.3-rc.1.0.a-b+build.01"],
  ["1.2.3+b-c", "1.2.3+b-c"],
  ["18446744073709551615.0.0", "18446744073709551615.0.0"],
  ["18446744073709551616.0.0", 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ["1.0.0-18446744073709551616", 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ["", "Version string empty"],
  ["1", "No Major.Minor.Patch elements found"],
  ["1.2", "No Major.Minor.Patch elements found"],
  [".1.2", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["1..2", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["1.2.", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["v1.2.3", 'Invalid character(s) found in major number "v1"'],
  ["1.x.3", 'Invalid character(s) found in minor number "x"'],
  ["1.2.3.4", 'Invalid character(s) found in patch number "3.4"'],
  ["01.2.3", 'Major number must not contain leading zeroes "01"'],
  ["1.02.3", 'Minor number must not contain leading zeroes "02"'],
  ["1.2.03", 'Patch number must not contain leading zeroes "03"'],
  ["1.2.3-", "Prerelease is empty"],
  ["1.2.3-a..b", "Prerelease is empty"],
  ["1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'],
  ["1.2.3-a_b", 'Invalid character(s) found in prerelease "a_b"'],
  ["1.2.3+", "Build meta data is empty"],
  ["1.2.3+a_b", 'Invalid character(s) found in build meta data "a_b"'],
  ["1.2.3+a+b", 'Invalid character(s) found in build meta data "a+b"'],
];

const tolerant: readonly (readonly [text: string, result: string])[] = [
  [" v1.2.3 ", "1.2.3"],
  ["1", "1.0.0"],
  ["1.2", "1.2.0"],
  ["v01.002.0003", "1.2.3"],
  ["00.0.0", "0.0.0"],
  ["1.2.03-rc1", "1.2.3-rc1"],
  ["1-rc1", "Short version cannot contain PreRelease/Build meta data"],
  ["1.2+b", "Short version cannot contain PreRelease/Build meta data"],
  ["", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["V1.2.3", 'Invalid character(s) found in major number "0V1"'],
  ["vv1.2.3", 'Invalid character(s) found in major number "0v1"'],
];

test("a version is read strictly, or refused with the error of OLM's library", () => {
  assert.deepEqual(
    strict.map(([text]) => [text, shown(parseVersion(text))]),
    strict,
  );
});

test("a version is read leniently where parts are missing, and the whole text is named when it is refused", () => {
  assert.deepEqual(
    tolerant.map(([text]) => [text, shown(parseTolerantVersion(text))]),
    tolerant,
  );
  assert.deepEqual(parseTolerantVersion(" 1-rc "), {
    ok: false,
    problem: {
      kind: "version",
      text: " 1-rc ",
      message: "Short version cannot contain PreRelease/Build meta data",
    },
  });
});

test("the parts of a version are numbers and identifiers", () => {
  assert.deepEqual(parseVersion("1.2.3-rc.4+a.5"), {
    ok: true,
    value: { major: 1n, minor: 2n, patch: 3n, prerelease: ["rc", 4n], build: ["a", "5"] },
  });
});

test("versions are ordered by precedence, without their build metadata", () => {
  const ordered = [
    "0.9.9",
    "1.0.0-0",
    "1.0.0-9",
    "1.0.0-10",
    "1.0.0-10.a",
    "1.0.0-A",
    "1.0.0-a",
    "1.0.0-a.1",
    "1.0.0-a.b",
    "1.0.0-b",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
  ];
  const read = ordered.map((text) => {
    const result = parseVersion(text);
    assert.ok(result.ok);
    return result.value;
  });
  for (const [left, a] of read.entries())
    for (const [right, b] of read.entries())
      assert.equal(compareVersions(a, b), Math.sign(left - right), `${ordered[left]} and ${ordered[right]}`);
  const [plain, built] = ["1.0.0-a", "1.0.0-a+b"].map(parseVersion);
  assert.ok(plain?.ok && built?.ok);
  assert.equal(compareVersions(plain.value, built.value), 0);
});

test("identifiers are ordered one by one, a prefix before the longer list", () => {
  assert.equal(compareIdentifiers([], []), 0);
  assert.equal(compareIdentifiers([1n], [1n]), 0);
  assert.equal(compareIdentifiers([1n], [1n, 0n]), -1);
  assert.equal(compareIdentifiers([1n, 0n], [1n]), 1);
  assert.equal(compareIdentifiers([5n], ["a"]), -1);
  assert.equal(compareIdentifiers(["a"], [5n]), 1);
});
