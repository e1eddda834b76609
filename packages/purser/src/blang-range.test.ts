import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBlangRange } from "./blang-range.ts";
import { parseVersion } from "@purser/kubernetes/version";

const versions = ["0.9.9", "1.0.0", "1.1.9", "1.2.0", "1.2.9", "1.3.0", "1.9.9", "2.0.0"];
const ranges: readonly (readonly [range: string, included: readonly string[]])[] = [
  ["1.x", versions.slice(1, 7)],
  ["=1.x", versions.slice(1, 7)],
  // Only the last part counts, as in blang/semver.
  ["==1.x.x", ["1.0.0"]],
  ["1.2.x", ["1.2.0", "1.2.9"]],
  [">1.x", ["2.0.0"]],
  [">1.2.x", ["1.3.0", "1.9.9", "2.0.0"]],
  [">=1.2.x", versions.slice(3)],
  ["<1.x", ["0.9.9"]],
  ["<1.2.x", versions.slice(0, 3)],
  ["<=1.2.x", versions.slice(0, 5)],
  ["!1.2.x", []],
  [">=1.2.0 <1.3.0 || 2.x", ["1.2.0", "1.2.9", "2.0.0"]],
  [">1.2.0", versions.slice(4)],
  [">=1.2.0", versions.slice(3)],
  ["<1.2.0", versions.slice(0, 3)],
  ["<=1.2.0", versions.slice(0, 4)],
  ["1.2.0", ["1.2.0"]],
  ["!=1.2.0", versions.filter((one) => one !== "1.2.0")],
  ["!1.2.0", versions.filter((one) => one !== "1.2.0")],
];
for (const [range, included] of ranges)
  test(`"${range}" includes ${included.join(", ") || "none of the versions"}`, () => {
    const parsed = parseBlangRange(range);
    assert.ok(parsed.ok);
    const includes = (text: string): boolean => {
      const version = parseVersion(text);
      return version.ok && parsed.value.includes(version.value);
    };
    assert.deepEqual(versions.filter(includes), included);
  });
