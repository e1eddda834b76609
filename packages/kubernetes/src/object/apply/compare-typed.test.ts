import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { type FieldSet, formatPath, pathsOf } from "./field-set.ts";
import { type MergeSchema, untyped } from "./merge-schema.ts";
import { compareTyped } from "./compare-typed.ts";

const open: MergeSchema = { kind: "map", atomic: false, fields: new Map(), values: () => untyped };
const paths = (set: FieldSet): string => allSteps(pathsOf(set)).map(formatPath).join(" ");

const table: readonly (readonly [before: JsonValue, after: JsonValue, changes: string])[] = [
  [{ x: 1 }, { x: 1 }, "added [] modified [] removed []"],
  [{ x: 1 }, { y: 1 }, "added [.k.y] modified [] removed [.k.x]"],
  [{ x: 1, y: { z: 2 } }, [1], "added [] modified [.k] removed [.k.x .k.y .k.y.z]"],
  [[1, 2], { x: 1 }, "added [.k.x] modified [.k] removed []"],
  [{ x: 1 }, "s", "added [] modified [.k] removed [.k.x]"],
  ["s", { x: 1 }, "added [.k.x] modified [.k] removed []"],
  ["s", [1], "added [] modified [.k] removed []"],
  [{}, [], "added [] modified [.k] removed []"],
  [1, "a", "added [] modified [.k] removed []"],
];
for (const [before, after, changes] of table)
  test(`a field without a type that changes from ${JSON.stringify(before)} to ${JSON.stringify(after)}: ${changes}`, () => {
    const { added, modified, removed } = allSteps(compareTyped({ k: before }, { k: after }, open));
    assert.equal(`added [${paths(added)}] modified [${paths(modified)}] removed [${paths(removed)}]`, changes);
  });
