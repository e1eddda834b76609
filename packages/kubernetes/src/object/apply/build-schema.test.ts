import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import type { StructuralSchema } from "../schema/schema-node.ts";
import { buildSchema, buildSchemaInSteps, type BuiltNodes } from "./build-schema.ts";

/** Objects of lists of maps, `depth` deep, with `width` properties each. */
function schema(width: number, depth: number): JsonObject {
  if (depth === 0) return { type: "string", default: "x" };
  const items = { type: "object", additionalProperties: schema(1, depth - 1) };
  const leaf = (index: number): [string, JsonObject] => [`p${index}`, { type: "integer", minimum: index }];
  const leaves = Object.fromEntries(Array.from({ length: width }, (_, index) => leaf(index)));
  return { type: "object", properties: { list: { type: "array", items }, ...leaves } };
}

test("a schema that is built with pauses is the one that is built at once", () => {
  const foreign = { type: "object", properties: { a: { type: "string", format: "unknown" } } };
  for (const source of [
    schema(3, 4),
    schema(600, 2),
    foreign,
    { type: "string", format: "unknown" },
    { additionalProperties: true },
    {},
  ])
    assert.deepEqual(allSteps(buildSchemaInSteps(source, new WeakMap())), buildSchema(source));
});

/** Counts what it gets. */
class CountedNodes extends WeakMap<JsonObject, StructuralSchema> {
  count = 0;

  override set(key: JsonObject, node: StructuralSchema): this {
    this.count++;
    return super.set(key, node);
  }
}

test("a pause comes after 512 nodes at the latest", () => {
  const built = new CountedNodes();
  const steps = buildSchemaInSteps(schema(5000, 1), built);
  for (let isDone: boolean | undefined = false, before = 0; isDone !== true; before = built.count) {
    isDone = steps.next().done;
    assert.ok(built.count - before <= 512);
  }
  assert.equal(built.count, 5004);
});

test("what was built for one place is used again for a place above it", () => {
  const below = schema(2, 1);
  const built: BuiltNodes = new WeakMap();
  const node = allSteps(buildSchemaInSteps(below, built));
  const above = allSteps(buildSchemaInSteps({ type: "object", properties: { below } }, built));
  assert.equal(above.properties.get("below"), node);
});
