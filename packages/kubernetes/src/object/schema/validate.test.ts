import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { formatFieldErrors } from "../field-error.ts";
import { prune } from "./prune.ts";
import { applyDefaults, dropNulls } from "./schema-defaults.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { compileSchema } from "./structural-schema.ts";
import { validateValue } from "./validate.ts";
import { objectVectors, vectorSpec } from "../testing/object-vectors.ts";

function compiled(spec: JsonObject, more: JsonObject = {}): StructuralSchema {
  const result = compileSchema({ type: "object", properties: { spec }, ...more });
  assert.ok(result.ok, result.ok ? "" : formatFieldErrors(result.problem));
  return result.value;
}

const schema = compiled(vectorSpec, { required: ["spec"] });

function refusal(spec: JsonValue | undefined): string {
  const incoming: JsonObject = spec === undefined ? {} : { spec };
  const value = applyDefaults(
    allSteps(dropNulls(prune(incoming, schema, { isResourceRoot: true }).value, schema)),
    schema,
  );
  return formatFieldErrors(validateValue(value, schema));
}

for (const [name, spec, expected] of objectVectors) {
  test(`validation message ${name}`, () => assert.equal(refusal(spec), expected));
}

test("a valid object has no errors, and 2.0 is an integer", () => {
  const spec = { req: "", n: 2, arr: ["a"], ios: "x", map: [{ k: "a" }, { k: "a", p: "q" }] };
  assert.deepEqual(validateValue(applyDefaults({ spec }, schema), schema), []);
});

test("errors are reported in changed parts, not in unchanged ones", () => {
  const old = { spec: { req: "", s: "AB", e: "C" } };
  assert.deepEqual(validateValue({ spec: { ...old.spec, req: "other" } }, schema, { old }), []);
  const touched = validateValue({ spec: { ...old.spec, s: "CD" } }, schema, { old });
  assert.equal(formatFieldErrors(touched), "spec.s: Invalid value: \"CD\": spec.s in body should match '^[a-z]+$'");
});

test("all errors of one field are reported, the same one of two branches once", () => {
  const branches = [{ pattern: "^a$" }, { pattern: "^a$" }, { pattern: "^b$" }, { maxLength: 1 }];
  const field = compiled({ type: "object", properties: { s: { type: "string", allOf: branches } } });
  assert.deepEqual(
    validateValue({ spec: { s: "xy" } }, field).map(({ type, detail }) => [type, detail]),
    [
      ["FieldValueInvalid", "spec.s in body should match '^a$'"],
      ["FieldValueInvalid", "spec.s in body should match '^b$'"],
      ["FieldValueTooLong", "may not be more than 1 bytes"],
      ["FieldValueInvalid", '"spec.s" must validate all the schemas (allOf). None validated'],
    ],
  );
});

test("pruning keeps apiVersion, kind and metadata and reports dropped fields", () => {
  const { value, pruned } = prune(
    { apiVersion: "a/v1", kind: "K", metadata: { name: "x" }, bogus: 1, spec: { req: "", arr: ["a"], x: { y: 1 } } },
    schema,
    { isResourceRoot: true },
  );
  assert.deepEqual(pruned, ["bogus", "spec.x"]);
  assert.deepEqual(value, { apiVersion: "a/v1", kind: "K", metadata: { name: "x" }, spec: { req: "", arr: ["a"] } });
});

test("pruning shares unchanged subtrees, and names of Object.prototype members are ordinary keys", () => {
  const spec = { req: "", emb: { apiVersion: "v1", kind: "A" } };
  const clean = { spec };
  assert.equal(prune(clean, schema, { isResourceRoot: true }).value, clean);
  const hostile = JSON.parse('{"spec":{"req":"","__proto__":{"polluted":1},"constructor":1}}') as JsonObject;
  assert.deepEqual(prune(hostile, schema).pruned, ["spec.__proto__", "spec.constructor"]);
});
