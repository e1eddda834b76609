import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Decoded } from "../built-in-kind.ts";
import { objectAt, objectsIn } from "../decoding/json-parts.ts";
import { customResourceDefinitionKind } from "./extension-kinds.ts";

/** A definition of so many versions, each of which counts reads of its parts. */
function counted(count: number): { readonly definition: JsonObject; readonly reads: () => number } {
  let reads = 0;
  const versions = Array.from({ length: count }, (_, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    get schema() {
      reads++;
      return { openAPIV3Schema: { type: "object", properties: { a: { type: "string" } } } };
    },
    get additionalPrinterColumns() {
      reads++;
      return [{ name: "c", type: "string", jsonPath: ".a" }];
    },
  }));
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "as.g.io" },
    spec: {
      group: "g.io",
      scope: "Namespaced",
      names: { plural: "as", singular: "a", kind: "A", listKind: "AList" },
      conversion: { strategy: "None" },
      versions,
    },
    status: { storedVersions: ["v1"] },
  };
  return { definition, reads: () => reads };
}

/** How often parts were read. */
function readsOf(count: number): number {
  const { definition, reads } = counted(count);
  assert.deepEqual(customResourceDefinitionKind.validate?.(definition, {} as never, undefined, undefined as never), []);
  return reads();
}

test("the versions of a definition are compared once, not once for each of them", () => {
  const [few, many] = [readsOf(100), readsOf(400)];
  assert.ok(many < 4.5 * few, `${few} and ${many}`);
});

test("a repeated name is refused for each repetition, with the text of all versions written once", () => {
  const { definition } = counted(3);
  const spec = definition["spec"] as JsonObject;
  const [first] = spec["versions"] as readonly JsonObject[];
  const versions = [{ ...first }, { ...first, storage: false }, { ...first, storage: false }];
  const errors = customResourceDefinitionKind.validate?.(
    { ...definition, spec: { ...spec, versions } as JsonObject },
    {} as never,
    undefined,
    undefined as never,
  );
  const unique = errors?.filter(({ detail }) => detail === "must contain unique version names") ?? [];
  assert.equal(unique.length, 2);
  assert.equal(unique[0]?.badText, unique[1]?.badText);
  assert.equal(unique[0]?.badText?.match(/"Name":"v1"/g)?.length, 3);
});

/** A definition whose only version has this schema. */
function definedBy(schema: JsonValue): JsonObject {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: {}, spec: { versions } };
}

const schemaOf = ({ value }: Decoded): JsonObject =>
  objectAt(objectsIn(objectAt(value, "spec"), "versions")[0] ?? {}, "schema", "openAPIV3Schema");

test("a schema that was decoded is not decoded again, and keeps what the first time made of it", () => {
  const first = schemaOf(
    customResourceDefinitionKind.decode(definedBy({ type: "object", nullable: false, properties: { a: { no: 1 } } })),
  );
  assert.deepEqual(first, { type: "object", properties: { a: {} } });
  assert.equal(schemaOf(customResourceDefinitionKind.decode(definedBy(first))), first);
  assert.equal(schemaOf(customResourceDefinitionKind.decode(definedBy(first), "unstructured")), first);
  const copy = structuredClone(first);
  assert.notEqual(schemaOf(customResourceDefinitionKind.decode(definedBy(copy))), copy);
});

test("a schema that was refused is refused again", () => {
  const refused = customResourceDefinitionKind.decode(definedBy({ type: 5 }));
  assert.match(refused.problem ?? "", /cannot unmarshal number into Go struct field/);
  assert.notEqual(schemaOf(customResourceDefinitionKind.decode(definedBy(schemaOf(refused)))), schemaOf(refused));
});

test("the order of a schema's keywords is that of their declaration, however few are given", () => {
  const few = schemaOf(customResourceDefinitionKind.decode(definedBy({ required: ["a"], type: "object", id: "x" })));
  assert.deepEqual(Object.keys(few), ["id", "type", "required"]);
});

test("formats of a changed schema alone are warned of", () => {
  const warnings = (next: JsonObject, old?: JsonObject): readonly string[] =>
    customResourceDefinitionKind.warnings(next, old);
  const [before, after] = [
    definedBy({ type: "string", format: "odd" }),
    definedBy({ type: "string", format: "odder" }),
  ];
  assert.deepEqual(warnings(before), ['unrecognized format "odd"']);
  assert.deepEqual(warnings(before, before), []);
  assert.deepEqual(warnings(definedBy({ type: "string", format: "odd" }), before), []);
  assert.deepEqual(warnings(after, before), ['unrecognized format "odder"']);
});
