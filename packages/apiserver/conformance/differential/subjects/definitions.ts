import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";
import { metadata } from "./fragments.ts";
import type { Subject } from "./subject.ts";

const schemas = (draw: Draw): JsonObject =>
  draw.one<JsonObject>([
    { type: "string" },
    { type: "integer", minimum: 0, default: draw.one([1, "x", -1]) },
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": draw.one(["set", "atomic", "map", "Foo"]) },
    { type: "array" },
    { type: "Foo" },
    {},
    { "x-kubernetes-preserve-unknown-fields": draw.chance(0.8) },
    { "x-kubernetes-int-or-string": true },
    { type: "string", enum: ["a", "b"], default: draw.one(["a", "c"]) },
    { type: "string", pattern: draw.one(["^a$", "("]) },
    {
      type: "integer",
      "x-kubernetes-validations": [{ rule: draw.one(["self > 1", "self.x", "nonsense(", "true", ""]) }],
    },
    { type: "object", additionalProperties: { type: "string" }, nullable: true },
    { type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "string" } } },
    { type: "string", maxLength: draw.one([5, -1]), format: draw.one(["date-time", "Foo"]) },
    { oneOf: [{ required: ["a"] }], type: "object", properties: { a: { type: "string" } } },
    { oneOf: [{ type: "string" }], type: "object" },
  ]);

const schema = (draw: Draw): JsonObject => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: Object.fromEntries(draw.some(["p", "q"], 1, 2).map((key) => [key, schemas(draw)])),
      },
    },
  },
});

const open: JsonObject = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

const version = (draw: Draw, name: string, storage: boolean): JsonObject => ({
  name,
  served: draw.chance(0.95),
  storage,
  ...(draw.chance(0.95) ? { schema: draw.chance(0.7) ? schema(draw) : open } : {}),
  ...(draw.chance(0.2) ? { subresources: { status: {} } } : {}),
  ...(draw.chance(0.2)
    ? {
        additionalPrinterColumns: [
          {
            name: draw.one(["P", ""]),
            type: draw.one(["string", "date", "Foo"]),
            jsonPath: draw.one([".spec.p", "spec", ""]),
          },
        ],
      }
    : {}),
  ...(draw.chance(0.1) ? { deprecated: true, ...(draw.chance(0.5) ? { deprecationWarning: "old" } : {}) } : {}),
  ...(draw.chance(0.1) ? { selectableFields: [{ jsonPath: draw.one([".spec.p", ".spec.x", "x"]) }] } : {}),
});

/** Definitions as objects; no custom resources are created from them. */
export function definitionSubject(group: string): Subject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    weight: 2,
    controlled: true,
    names: [`apples.defined.${group}`, `pears.defined.${group}`],
    base: {
      spec: {
        group: `defined.${group}`,
        scope: "Namespaced",
        names: { plural: "{stem}", kind: "K{stem}" },
        versions: [{ name: "v1", served: true, storage: true, schema: open }],
      },
    },
    fragments: [
      ...metadata.slice(0, 3),
      (draw) => ({ spec: { versions: [version(draw, draw.one(["v1", "v1", "v2", "BAD"]), true)] } }),
      (draw) => ({
        spec: { versions: [version(draw, "v1", true), version(draw, draw.one(["v2", "v2", "v1"]), draw.chance(0.1))] },
      }),
      (draw) => (draw.chance(0.2) ? { spec: { scope: draw.one(["Cluster", "Namespaced", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { names: { shortNames: draw.one([["s"], ["BAD"], []]) } } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { names: { categories: draw.one([["all"], ["BAD"]]) } } } : {}),
      (draw) =>
        draw.chance(0.1)
          ? { spec: { names: { singular: draw.one(["one", "BAD"]), listKind: draw.one(["L", "ManyList"]) } } }
          : {},
      (draw) => (draw.chance(0.1) ? { spec: { conversion: { strategy: draw.one(["None", "Webhook", "Foo"]) } } } : {}),
      (draw) => (draw.chance(0.05) ? { spec: { preserveUnknownFields: draw.chance(0.5) } } : {}),
      (draw) => (draw.chance(0.05) ? { spec: { group: draw.one(["x.example.com", ""]) } } : {}),
    ],
    status: [],
  };
}
