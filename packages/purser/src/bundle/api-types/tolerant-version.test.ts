import assert from "node:assert/strict";
import { test } from "node:test";
import { tolerantVersion } from "./tolerant-version.ts";

for (const [text, expected] of [
  ["1.2.3", "1.2.3"],
  [" v1.2.3 ", "1.2.3"],
  ["1", "1.0.0"],
  ["v1.2", "1.2.0"],
  ["01.002.0003", "1.2.3"],
  ["0.0.0", "0.0.0"],
  ["00.0.0", "0.0.0"],
  ["1.2.3-rc.1", "1.2.3-rc.1"],
  ["1.2.3-rc-1.x", "1.2.3-rc-1.x"],
  ["1.2.3+build.01", "1.2.3+build.01"],
  ["1.2.3-a+b-c", "1.2.3-a+b-c"],
] as const)
  test(`"${text}" is read as ${expected}`, () =>
    assert.deepEqual(tolerantVersion(text), { ok: true, value: expected }));

for (const [text, expected] of [
  ["x.2.3", 'Invalid character(s) found in major number "x"'],
  ["1.x.3", 'Invalid character(s) found in minor number "x"'],
  ["1.2.x", 'Invalid character(s) found in patch number "x"'],
  ["1.2.3.4", 'Invalid character(s) found in patch number "3.4"'],
  ["1.2-rc", "Short version cannot contain PreRelease/Build meta data"],
  ["1+b", "Short version cannot contain PreRelease/Build meta data"],
  ["1.2.3-", "Prerelease is empty"],
  ["1.2.3-a..b", "Prerelease is empty"],
  ["1.2.3-a_b", 'Invalid character(s) found in prerelease "a_b"'],
  ["1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'],
  ["1.2.3+", "Build meta data is empty"],
  ["1.2.3+a_b", 'Invalid character(s) found in build meta data "a_b"'],
] as const)
  test(`"${text}" is refused: ${expected}`, () =>
    assert.deepEqual(tolerantVersion(text), { ok: false, problem: expected }));
