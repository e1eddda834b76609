import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { nodeFindings } from "./schema-node-changes.ts";

/** `RULE: text` of each finding, with a star where it differs from every other one. */
const found = (old: JsonObject, next: JsonObject): readonly string[] =>
  nodeFindings(old, next).map(({ rule, text, isUnique }) => `${rule}: ${text}${isUnique ? " *" : ""}`);

type Row = readonly [old: JsonObject, next: JsonObject, findings: readonly string[]];

function check(rows: readonly Row[]): void {
  for (const [old, next, findings] of rows)
    assert.deepEqual(found(old, next), findings, `${JSON.stringify(old)} -> ${JSON.stringify(next)}`);
}

test("a node that stays the same, or differs only in its children and description, breaks nothing", () =>
  check([
    [{ type: "string", minimum: 1 }, { minimum: 1, type: "string" }, []],
    [{ properties: { a: {} } }, { properties: { b: {} } }, []],
    [{ items: { type: "string" } }, { items: { type: "number" } }, []],
    [{ description: "a" }, { description: "b" }, []],
  ]));

test("upper limits may rise and go, lower ones may fall and go", () => {
  for (const name of ["maximum", "maxItems", "maxLength", "maxProperties"])
    check([
      [{ [name]: 2 }, { [name]: 3 }, []],
      [{ [name]: 2 }, {}, []],
      [{}, { [name]: 2 }, [`${name}: maximum constraint added when there was none previously : 2`]],
      [{ [name]: 2 }, { [name]: 1 }, [`${name}: maximum decreased : 2 -> 1`]],
      [{ [name]: 2, title: "a" }, { [name]: 2 }, found({ title: "a" }, {})],
    ]);
  for (const name of ["minimum", "minItems", "minLength", "minProperties"])
    check([
      [{ [name]: 2 }, { [name]: 1 }, []],
      [{ [name]: 2 }, {}, []],
      [{}, { [name]: 2 }, [`${name}: minimum constraint added when there was none previously : 2`]],
      [{ [name]: 2 }, { [name]: 3 }, [`${name}: minimum increased : 2 -> 3`]],
      [{ [name]: 2, title: "a" }, { [name]: 2 }, found({ title: "a" }, {})],
    ]);
});

test("defaults may not be added, changed or removed", () =>
  check([
    [{}, { default: 1 }, ['default: default added when there was none previously : "1"']],
    [{ default: "a" }, {}, ['default: default value removed : "\\"a\\""']],
    [{ default: 1 }, { default: [1] }, ['default: default value changed : "1" -> "[1]"']],
    [{ default: { a: 1, b: 2 }, maximum: 1 }, { default: { b: 2, a: 1 }, maximum: 2 }, []],
  ]));

test("values may be added to an enum, not removed, and an enum may not be added", () =>
  check([
    [{ enum: ["a"] }, { enum: ["b", "a"] }, []],
    [{ enum: ["c", "b", "b", "a"] }, { enum: ["a"] }, ['enum: allowed enum values removed : ["b" "c"]']],
    [{ enum: ["a"] }, {}, ['enum: allowed enum values removed : ["a"]']],
    [{}, { enum: ["b", "a"] }, ['enum: enum constraint added when there was none previously : ["a" "b"]']],
  ]));

test("fields may become optional, not required", () =>
  check([
    [{ required: ["a", "b"] }, { required: ["b"] }, []],
    [{ required: ["a"] }, { required: ["c", "b", "a", "b"] }, ["required: new required fields: [b c]"]],
    [{}, { required: ["a"] }, ["required: new required fields: [a]"]],
  ]));

test("a type, a pattern and whether null is allowed may not change", () =>
  check([
    [{ type: "string" }, { type: "number" }, ['type: type changed : "string" -> "number"']],
    [{}, { type: "number" }, ['type: type changed : "" -> "number"']],
    [{}, { pattern: "b" }, ['pattern: pattern added : "" -> "b"']],
    [{ pattern: "a" }, {}, ['pattern: pattern removed : "a" -> ""']],
    [{ pattern: "a" }, { pattern: "b" }, ['pattern: pattern changed : "a" -> "b"']],
    [{}, { nullable: true }, ["nullable: nullable added : false -> true"]],
    [{ nullable: true }, { nullable: false }, ["nullable: nullable removed : true -> false"]],
    [{ nullable: false, maximum: 1 }, { maximum: 2 }, []],
  ]));

test("branches of oneOf may not be added, removed or introduced; what they say does not count", () => {
  const branch = (name: string, description = "") => ({
    required: [name],
    ...(description === "" ? {} : { description }),
  });
  const [first, ...others] = found({}, { oneOf: [branch("a")] });
  assert.match(first ?? "", /^oneOf: oneOf constraint added when there was none previously: \[.+\]$/);
  assert.deepEqual(others, []);
  assert.match(
    found({ oneOf: [branch("a"), branch("b")] }, { oneOf: [branch("a")] }).join(),
    /^oneOf: allowed oneOf schemas removed: \[[^ ]*.*b.*\]$/,
  );
  assert.match(
    found({ oneOf: [branch("a")] }, { oneOf: [branch("a"), branch("b")] }).join(),
    /^oneOf: allowed oneOf schemas added: \[.*b.*\]$/,
  );
  assert.deepEqual(found({ oneOf: [branch("a", "x")] }, { oneOf: [branch("a", "y")] }), []);
});

test("what no rule is about is one finding that names it; findings of rules come before it, in their order", () => {
  const texts = found({ format: "a", type: "string", maximum: 2 }, { format: "b", type: "number", maximum: 1 });
  assert.deepEqual(texts.slice(0, 2), [
    "maximum: maximum decreased : 2 -> 1",
    'type: type changed : "string" -> "number"',
  ]);
  assert.equal(texts.length, 3);
  assert.match(texts[2] ?? "", /^unhandled: ./);
  const [unhandled] = nodeFindings({ format: "a" }, { format: "b" });
  assert.ok(unhandled?.detail !== undefined && unhandled.detail !== "" && !unhandled.isUnique);
  assert.equal(nodeFindings({ maximum: 2 }, { maximum: 1 })[0]?.detail, "");
});
