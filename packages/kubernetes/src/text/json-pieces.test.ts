import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { jsonInPieces } from "./json-pieces.ts";
import { writeYaml, yamlInPieces } from "./yaml/go-yaml.ts";

const many = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const members = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(many(count, (index) => [`key ${index}: x`, value]));

const values: readonly JsonObject[] = [
  {},
  { a: "b", none: [], empty: {}, nothing: null, left: undefined, list: [1, { a: [] }, [[]], "x\ny", ["z"]] },
  { wide: members(500, "x\ny"), behind: 1 },
  { list: many(500, (index) => ({ name: `n${index}`, list: [index, "true", { deep: [null] }] })) },
  { outer: [members(300, { a: ["b"] }), many(300, () => [[]]), many(300, (index) => [index, ["x"]])], "?": "a # b" },
];

test("pieces together are the text that is written at once", () => {
  for (const value of values) {
    for (const indent of ["", "  "] as const)
      assert.equal([...jsonInPieces(value, indent)].join(""), JSON.stringify(value, undefined, indent));
    assert.equal([...yamlInPieces(value)].join(""), writeYaml(value));
  }
});

test("a long member is written as if it were the last", () => {
  for (const items of [[], many(300, (index) => ({ a: [index] })), ["x", []]] as readonly (readonly JsonValue[])[]) {
    const head = { kind: "L", metadata: { a: "b" }, zone: 1 };
    const whole = { ...head, items };
    for (const indent of ["", "  "] as const)
      assert.equal(
        [...jsonInPieces(head, indent, { name: "items", items })].join(""),
        JSON.stringify(whole, undefined, indent),
      );
    assert.equal([...yamlInPieces(head, { name: "items", items })].join(""), writeYaml(whole));
  }
});

test("no piece is much longer than the others, and items are made when their piece is asked for", () => {
  const value = { list: many(20_000, (index) => `item ${index}`), map: members(20_000, "x") };
  for (const pieces of [[...jsonInPieces(value, "")], [...jsonInPieces(value, "  ")], [...yamlInPieces(value)]]) {
    const longest = pieces.reduce((most, piece) => Math.max(most, piece.length), 0);
    assert.ok(pieces.length > 20 && longest < 32 * 1024, `${pieces.length} pieces, the longest of ${longest}`);
  }
  for (const pieces of [jsonInPieces, yamlInPieces]) {
    let made = 0;
    const items = (function* () {
      for (; made < 1000; made++) yield { a: "x".repeat(1000) };
    })();
    const long = { name: "items", items };
    const begun = pieces === jsonInPieces ? jsonInPieces({}, "", long) : yamlInPieces({}, long);
    begun.next();
    assert.ok(made < 100, `${made} items for the first piece`);
  }
});
