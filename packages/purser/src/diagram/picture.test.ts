import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphBundle } from "../upgrade-graph/graph-bundle.ts";
import { versionLabel } from "./picture.ts";

for (const [what, bundle, expected] of [
  ["its version", { version: "1.0.0" }, "1.0.0"],
  ["its version when the release is empty", { version: "1.0.0", release: "" }, "1.0.0"],
  ["its version with its release", { version: "1.0.0", release: "2" }, "1.0.0 (release 2)"],
  ["its name when it has no version", { release: "2" }, "op.v1"],
] as const)
  test(`a bundle is shown by ${what}`, () =>
    assert.equal(versionLabel({ name: "op.v1", ...bundle } as unknown as GraphBundle), expected));
