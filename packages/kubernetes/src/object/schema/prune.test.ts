import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSchema } from "../apply/build-schema.ts";
import { prune } from "./prune.ts";

const schema = buildSchema({
  type: "object",
  properties: { m: { type: "object", additionalProperties: { type: "object" } } },
});

test("what is dropped is named by its path, sorted", () => {
  const { value, pruned } = prune({ x: 1, m: { b: { c: 1 }, a: {} } }, schema);
  assert.deepEqual(value, { m: { b: {}, a: {} } });
  assert.deepEqual(pruned, ["m.b.c", "x"]);
});

/** With all of their paths this needs a hundred gigabytes. */
test("what is below a key of a megabyte is dropped, but not all of it named", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`u${index}`, 1]));
  const long = "k".repeat(1_000_000);
  const { value, pruned } = prune({ m: { [long]: many } }, schema);
  assert.deepEqual(value, { m: { [long]: {} } });
  assert.ok(pruned.length > 0 && pruned.length < 20);
});
