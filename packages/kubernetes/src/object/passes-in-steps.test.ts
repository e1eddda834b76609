import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../json.ts";
import { type Steps, Strides } from "../steps.ts";
import { mergeSchemaOf } from "./apply/builtin-merge-schemas.ts";
import { checkTyped } from "./apply/check-typed.ts";
import { pathsOf, setOf } from "./apply/field-set.ts";
import { dropEmptied, mergeTyped, removeFields, withNamedFields } from "./apply/typed-walk.ts";
import { mergePatchInSteps } from "./patches/merge-patch.ts";
import { applyStrategicMergePatch } from "./patches/strategic-merge-patch.ts";
import { compileSchema } from "./schema/structural-schema.ts";
import { validateUniqueLists } from "./schema/validate-lists.ts";
import { deepEqualInSteps } from "./semantic-equal.ts";

const count = 50_000;
/** A pass over that many members pauses at least so often: once for each stride. */
const fewest = Math.floor(count / 4096);
const numbers = Array.from({ length: count }, (_, number) => number);
const map = (value: string): JsonObject => ({ data: Object.fromEntries(numbers.map((key) => [`k${key}`, value])) });
const pod = (value: string): JsonObject => ({
  spec: { containers: [{ name: "c", env: numbers.slice(0, count / 4).map((key) => ({ name: `E${key}`, value })) }] },
});
const fields = setOf(numbers.map((key) => ["f:data", `f:k${key}`]));

function schemaOf(kind: string) {
  const schema = mergeSchemaOf({ group: "", version: "v1", kind });
  assert.ok(schema !== undefined);
  return schema;
}

function sets() {
  const compiled = compileSchema({
    type: "object",
    properties: { set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } } },
  });
  assert.ok(compiled.ok);
  return compiled.value;
}

const passes: Readonly<Record<string, () => Steps<unknown>>> = {
  deepEqualInSteps: () => deepEqualInSteps(map("x"), map("x")),
  checkTyped: () => checkTyped(map("x"), schemaOf("ConfigMap")),
  mergeTyped: () => mergeTyped(map("x"), map("y"), schemaOf("ConfigMap")),
  "mergeTyped of lists": () => mergeTyped(pod("x"), pod("y"), schemaOf("Pod")),
  removeFields: () => removeFields(map("x"), schemaOf("ConfigMap"), fields),
  dropEmptied: () => dropEmptied(map("x"), map("y"), schemaOf("ConfigMap")),
  withNamedFields: () => withNamedFields(fields, schemaOf("ConfigMap")),
  pathsOf: () => pathsOf(fields, new Strides()),
  mergePatchInSteps: () => mergePatchInSteps(map("x"), map("y")),
  applyStrategicMergePatch: () => applyStrategicMergePatch(map("x"), map("y"), schemaOf("ConfigMap")),
  "applyStrategicMergePatch of lists": () => applyStrategicMergePatch(pod("x"), pod("y"), schemaOf("Pod")),
  validateUniqueLists: () => validateUniqueLists({ set: numbers }, sets()),
};

test("each pass over tens of thousands of members pauses after each stride", () => {
  for (const [name, pass] of Object.entries(passes)) {
    let pauses = 0;
    for (const steps = pass(); steps.next().done !== true;) pauses++;
    assert.ok(pauses >= fewest, `${name}: ${pauses} pauses, not ${fewest}`);
  }
});
