import assert from "node:assert/strict";
import { test } from "node:test";
import type { CelType } from "../../cel/cel-type.ts";
import type { JsonObject } from "../../json.ts";
import { celTypeOf } from "./schema-cel-type.ts";
import { compileSchema } from "./structural-schema.ts";

/** `name: type` of the fields of an object, and the type of everything else. */
function shown(type: CelType | undefined): unknown {
  if (type?.kind === "object")
    return Object.fromEntries([...type.fields].map(([name, field]) => [name, shown(field.type)]));
  if (type?.kind === "list") return [shown(type.items), ...(type.identity === undefined ? [] : [type.identity])];
  return type?.kind === "map" ? { "*": shown(type.values) } : type?.kind;
}

function typeOf(spec: JsonObject, isResource = false): unknown {
  const compiled = compileSchema({ type: "object", properties: { spec } });
  assert.ok(compiled.ok);
  const schema = compiled.value.properties.get("spec");
  assert.ok(schema !== undefined);
  return shown(celTypeOf(schema, isResource));
}

for (const [what, schema, expected] of [
  ["a string", { type: "string" }, "string"],
  ["a boolean", { type: "boolean" }, "bool"],
  ["an integer", { type: "integer" }, "int"],
  ["a number", { type: "number" }, "double"],
  ["an int-or-string", { "x-kubernetes-int-or-string": true }, "dyn"],
  ["bytes", { type: "string", format: "byte" }, "bytes"],
  ["a duration", { type: "string", format: "duration" }, "duration"],
  ["a date", { type: "string", format: "date" }, "timestamp"],
  ["a time", { type: "string", format: "date-time" }, "timestamp"],
  ["another format", { type: "string", format: "uuid" }, "string"],
  ["a list", { type: "array", items: { type: "string" } }, ["string"]],
  ["a set", { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }, ["string", { kind: "set" }]],
  [
    "a list with keys",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", required: ["k"], properties: { k: { type: "string" } } },
    },
    [{ k: "string" }, { kind: "map", keys: ["k"] }],
  ],
  ["a map", { type: "object", additionalProperties: { type: "integer" } }, { "*": "int" }],
  [
    "a list of what rules cannot read",
    { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
    undefined,
  ],
  [
    "a map of what rules cannot read",
    { type: "object", additionalProperties: { "x-kubernetes-preserve-unknown-fields": true } },
    undefined,
  ],
  [
    "an object with such a property",
    { type: "object", properties: { a: { "x-kubernetes-preserve-unknown-fields": true }, b: { type: "string" } } },
    { b: "string" },
  ],
] as const)
  test(`rules see ${what} as ${JSON.stringify(expected) ?? "nothing"}`, () =>
    assert.deepEqual(typeOf(schema as unknown as JsonObject), expected));

for (const [property, name] of [
  ["plain", "plain"],
  ["namespace", "__namespace__"],
  ["while", "__while__"],
  ["a__b", "a__underscores__b"],
  ["a.b", "a__dot__b"],
  ["a-b", "a__dash__b"],
  ["a/b", "a__slash__b"],
  ["_a.b-c/d", "_a__dot__b__dash__c__slash__d"],
  ["1a", undefined],
  ["a b", undefined],
  ["", undefined],
] as const)
  test(`the property "${property}" is ${name ?? "out of reach"} in rules`, () =>
    assert.deepEqual(
      typeOf({ type: "object", properties: { [property]: { type: "string" } } }),
      name === undefined ? {} : { [name]: "string" },
    ));

test("a resource has its type and its name beside its own properties", () => {
  const own = { type: "object", properties: { a: { type: "string" } } };
  const metadata = { name: "string", generateName: "string" };
  assert.deepEqual(typeOf(own, true), { a: "string", apiVersion: "string", kind: "string", metadata });
  assert.deepEqual(typeOf(own), { a: "string" });
});
