import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { unhandledChanges } from "./unhandled-changes.ts";

const rows: readonly (readonly [old: JsonObject, next: JsonObject, text: string])[] = [
  [{}, { uniqueItems: true }, "UniqueItems false -> true"],
  [{ uniqueItems: true }, { uniqueItems: false }, "UniqueItems true -> false"],
  [{}, { "x-kubernetes-int-or-string": true }, "XIntOrString false -> true"],
  [{}, { "x-kubernetes-preserve-unknown-fields": true }, "XPreserveUnknownFields nil -> &true"],
  [{ multipleOf: 2 }, { multipleOf: 3 }, "MultipleOf &2 -> &3"],
  [{}, { $ref: "#/a" }, 'Ref nil -> &"#/a"'],
  [{}, { "x-kubernetes-list-map-keys": ["a", "b"] }, 'XListMapKeys nil -> []string{"a", "b"}'],
  [{ "x-kubernetes-list-map-keys": ["a"] }, {}, 'XListMapKeys []string{"a"} -> nil'],
  [{}, { not: { type: "string" } }, "Not nil -> <complex value>"],
  [{ not: { nullable: true } }, { not: {} }, "Nullable true -> false"],
  [{ allOf: [{ minimum: 1 }] }, { allOf: [{ minimum: 2 }] }, "Minimum &1 -> &2"],
  [{ title: "a" }, { title: 'b "c"' }, 'Title "a" -> `b "c"`'],
  [
    {},
    { "x-kubernetes-validations": [{ rule: "self > 1", message: "more" }] },
    'XValidations nil -> ValidationRules{{Rule: "self > 1", Message: "more"}}',
  ],
];
for (const [old, next, text] of rows)
  test(`what no rule understands is shown as ${text}`, () => {
    assert.equal(unhandledChanges(old, next), `unhandled changes found (${text})`);
  });

test("equal schemas have no unhandled changes", () => {
  assert.equal(unhandledChanges({ uniqueItems: true }, { uniqueItems: true }), undefined);
});
