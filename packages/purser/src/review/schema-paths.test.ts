import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaPaths } from "./schema-paths.ts";

test("every node of a schema has the path that OLM names it by", () => {
  const leaf = {};
  const root = {
    properties: { a: { items: leaf }, b: { items: [leaf, leaf] } },
    additionalProperties: { not: leaf },
    patternProperties: { "^x": leaf },
    additionalItems: leaf,
    allOf: [leaf],
    anyOf: [leaf, leaf],
    oneOf: [leaf],
    definitions: { d: leaf },
    dependencies: { e: leaf, f: ["a"] },
  };
  assert.deepEqual([...schemaPaths(root).keys()].toSorted(), [
    "^",
    "^.a",
    "^.a.items",
    "^.additionalItems",
    "^.additionalProperties",
    "^.additionalProperties.not",
    "^.allOf[0]",
    "^.anyOf[0]",
    "^.anyOf[1]",
    "^.b",
    "^.b.items[0]",
    "^.b.items[1]",
    "^.definitions[d]",
    "^.dependencies[e]",
    "^.oneOf[0]",
    "^.patternProperties[^x]",
  ]);
});
