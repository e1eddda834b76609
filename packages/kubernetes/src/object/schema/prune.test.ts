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

test("a list that keeps unknown fields keeps those of its items, and not those of fields that items declare", () => {
  const open = buildSchema({
    type: "object",
    properties: {
      l: {
        type: "array",
        "x-kubernetes-preserve-unknown-fields": true,
        items: { type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } },
      },
    },
  });
  const { value, pruned } = prune({ l: [{ x: 1, a: { b: "b", c: 1 } }] }, open);
  assert.deepEqual(value, { l: [{ x: 1, a: { b: "b" } }] });
  assert.deepEqual(pruned, ["l[0].a.c"]);
});

test("a list without declared items loses their fields unless it keeps unknown ones", () => {
  const listOf = (more: object) => buildSchema({ type: "object", properties: { l: { type: "array", ...more } } });
  const value = { l: [{ x: 1 }, "text", [{ y: 1 }]] };
  assert.deepEqual(prune(value, listOf({})), { value: { l: [{}, "text", [{}]] }, pruned: ["l[0].x", "l[2][0].y"] });
  assert.deepEqual(prune(value, listOf({ "x-kubernetes-preserve-unknown-fields": true })), { value, pruned: [] });
});

/** Reporting all paths would need a hundred gigabytes. */
test("fields below a key of a megabyte are dropped, but not all of them are reported", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`u${index}`, 1]));
  const long = "k".repeat(1_000_000);
  const { value, pruned } = prune({ m: { [long]: many } }, schema);
  assert.deepEqual(value, { m: { [long]: {} } });
  assert.ok(pruned.length > 0 && pruned.length < 20);
});
