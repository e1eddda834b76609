import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { suite, test } from "node:test";
import type { FieldType, ScalarName } from "../../src/kinds/fields/field-table.ts";
import { fieldsOf, structNames } from "../../src/kinds/fields/field-table.ts";
import { builtinTypesFile } from "./builtin-types.ts";
import type { Property, PublishedSchema } from "./published-schemas.ts";
import { publishedSchemas, referenceOf, shortName } from "./published-schemas.ts";
import { componentOf, publishedStructsFile } from "./published-structs.ts";
import { tables } from "./tables.ts";

const schemas = publishedSchemas();

suite("tables of Kubernetes' types", () => {
  for (const [file, text] of tables())
    test(`${relative(`${import.meta.dirname}/../../..`, file)} is what its generator writes`, () => {
      // No diff: the remedy is to run the generator.
      assert.ok(readFileSync(file, "utf8") === text, "run node packages/apiserver/build/kubernetes-tables/main.ts");
    });

  const small = new Map<string, PublishedSchema>([
    ["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", { properties: { name: { type: "string" } } }],
    [
      "io.k8s.api.demo.v1.Thing",
      {
        required: ["items"],
        properties: {
          metadata: {
            allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
            default: {},
          },
          items: {
            type: "array",
            items: { $ref: "#/components/schemas/io.k8s.api.demo.v1.Event" },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a", "b"],
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "x-kubernetes-patch-merge-key": "a",
          },
          mode: { type: "string", default: "x", enum: ["x", "y"] },
        },
        "x-kubernetes-group-version-kind": [{ group: "demo.k8s.io", version: "v1", kind: "Thing" }],
      },
    ],
    [
      "io.k8s.api.demo.v1.Event",
      { properties: { n: { type: "integer", format: "int32" } }, "x-kubernetes-map-type": "atomic" },
    ],
    ["io.k8s.api.core.v1.Event", { properties: {} }],
  ]);

  test("a merge table holds the kinds and, once each, the structs that they reach", () => {
    const lines = builtinTypesFile(small).split("\n");
    assert.ok(lines.includes('Thing items:[Event]map(a b)~a*, metadata:ObjectMeta+, mode:string="x"'));
    assert.ok(lines.includes("Event! n:int32"));
    assert.ok(lines.includes("demo.k8s.io/v1 Thing"));
    assert.equal(lines.filter((line) => line.startsWith("ObjectMeta ")).length, 1);
  });

  test("a published struct has what its schema adds to names and types, and its group where the core group has the same name", () => {
    const lines = publishedStructsFile(small, ["Thing", "demo.Event", "Event", "Unpublished"]).split("\n");
    assert.ok(lines.includes("Thing demo.v1 items!@map:a,b^merge,retainKeys:a mode=x|y"));
    assert.ok(lines.includes("demo.Event demo.v1 ~atomic"));
    assert.ok(lines.includes("Event core.v1"));
    assert.ok(!lines.some((line) => line.startsWith("Unpublished")));
  });
});

/** The component or type that a scalar of kinds/fields is published as. */
const scalars: Readonly<Record<ScalarName, string>> = {
  string: "string",
  bool: "boolean",
  int32: "integer int32",
  int64: "integer int64",
  float: "number double",
  bytes: "string byte",
  time: "Time",
  microtime: "MicroTime",
  quantity: "Quantity",
  intorstring: "IntOrString",
  json: "any",
  schemaOrList: "JSONSchemaPropsOrArray",
  schemaOrBool: "JSONSchemaPropsOrBool",
  schemaOrStrings: "JSONSchemaPropsOrStringArray",
};
/** Components of any content. */
const anything: ReadonlySet<string> = new Set(["RawExtension", "FieldsV1", "JSON"]);

function ours(type: FieldType): string {
  switch (type.kind) {
    case "pointer":
      return ours(type.of);
    case "list":
      return `[]${ours(type.of)}`;
    case "map":
      return `{}${ours(type.of)}`;
    case "scalar":
      return scalars[type.name];
    case "struct":
      return shortName(type.name);
  }
}

function published(property: Property): string {
  const reference = referenceOf(property);
  if (reference !== undefined) return anything.has(shortName(reference)) ? "any" : shortName(reference);
  if (property.type === "array") return `[]${published(property.items ?? {})}`;
  if (property.additionalProperties !== undefined) return `{}${published(property.additionalProperties)}`;
  return [property.type ?? "any", property.format ?? ""].join(" ").trim();
}

suite("the fields of built-in kinds are those that Kubernetes publishes", () => {
  const components = [...schemas.keys()];
  for (const struct of structNames()) {
    const component = componentOf(struct, components);
    if (component === undefined) continue;
    test(struct, () => {
      const { properties = {} } = schemas.get(component) ?? {};
      assert.deepEqual(
        Object.fromEntries(fieldsOf(struct).map(({ name, type }) => [name, ours(type)])),
        Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, published(property)])),
      );
    });
  }
});
