import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSchema } from "../apply/build-schema.ts";
import { prune } from "./prune.ts";

const schema = buildSchema({
  type: "object",
  properties: { m: { type: "object", additionalProperties: { type: "object" } } },
});

test("dropped fields are reported by path, sorted", () => {
  const { value, pruned } = prune({ x: 1, m: { b: { c: 1 }, a: {} } }, schema);
  assert.deepEqual(value, { m: { b: {}, a: {} } });
  assert.deepEqual(pruned, ["m.b.c", "x"]);
});

/** Reporting all paths would need a hundred gigabytes. */
test("fields below a key of a megabyte are dropped, but not all of them are reported", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`u${index}`, 1]));
  const long = "k".repeat(1_000_000);
  const { value, pruned } = prune({ m: { [long]: many } }, schema);
  assert.deepEqual(value, { m: { [long]: {} } });
  assert.ok(pruned.length > 0 && pruned.length < 20);
});
