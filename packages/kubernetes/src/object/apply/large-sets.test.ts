import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps, Strides } from "../../steps.ts";
import {
  decodeFields,
  differenceInSteps,
  encodeFields,
  intersectionInSteps,
  setOf,
  unionInSteps,
} from "./field-set.ts";
import { type MergeSchema, untyped } from "./merge-schema.ts";
import { compareTyped } from "./compare-typed.ts";
import { fieldsInSteps } from "./typed-fields.ts";
import { pausesOf } from "../../counted-steps.ts";

const many = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, value]));

const openMap: MergeSchema = { kind: "map", atomic: false, fields: new Map(), values: () => untyped };
const keyed: MergeSchema = { kind: "list", mode: "map", keys: ["name"], items: () => openMap };

test("what differs in a wide map, and in a map of maps, is found with pauses", () => {
  for (const [before, after] of [
    [many(20_000, "a"), many(20_000, "b")],
    [{}, many(20_000, "b")],
    [many(200, many(100, "a")), many(200, many(100, "b"))],
  ] as const)
    assert.ok(pausesOf(compareTyped(before, after, openMap)) >= 4);
  const items = (value: string): JsonValue =>
    Array.from({ length: 20_000 }, (_, number) => ({ name: `n${number}`, value }));
  assert.ok(pausesOf(compareTyped(items("a"), items("b"), keyed)) >= 8);
  assert.ok(pausesOf(fieldsInSteps(items("a"), keyed)) >= 8);
});

test("a large set of fields is written, read and joined with pauses", () => {
  const of = (count: number, name: string) =>
    setOf(Array.from({ length: count }, (_, number) => ["f:data", `f:${name}${number}`]));
  const [one, two] = [of(20_000, "a"), of(20_000, "b")];
  const encoded = allSteps(encodeFields(one, new Strides()));
  assert.ok(pausesOf(encodeFields(one, new Strides())) >= 8);
  assert.ok(pausesOf(decodeFields(encoded)) >= 4);
  assert.deepEqual(allSteps(decodeFields(encoded)), one);
  for (const join of [unionInSteps, intersectionInSteps, differenceInSteps])
    assert.ok(pausesOf(join(one, two, new Strides())) >= 4, join.name);
});
