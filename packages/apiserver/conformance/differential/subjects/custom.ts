import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { condition, keys, metadata, textMap, texts } from "./fragments.ts";
import type { Fragment, Subject } from "./subject.ts";

const item: Fragment = (draw) => ({
  ...(draw.chance(0.95) ? { k: draw.one(["k1", "k2", "k3"]) } : {}),
  ...(draw.chance(0.5) ? { v: draw.one(texts) } : {}),
  ...(draw.chance(0.2) ? { w: draw.one([1, 2, "x"]) } : {}),
});

const odd = ["x", 5, -1, 1.5, true, null, [], {}, ["a"], { a: 1 }, "2026-01-01T00:00:00Z"] as const;

export function customSubject(group: string, kind: string, plural: string, hasStatus: boolean): Subject {
  const specs: readonly Fragment[] = [
    (draw) => ({ s: draw.one(["a", "bcd", "toolong", "", "Q"]) }),
    (draw) => ({ i: draw.one([0, 3, 10, 11, -1, 2.5, 7]) }),
    (draw) => ({ j: draw.one([0, 5, 9]) }),
    (draw) => ({ b: draw.chance(0.5) }),
    (draw) => ({ q: draw.one([5, "50%", "x", 1.5]) }),
    (draw) => ({ plain: draw.some(["x", "y", "x", "z"], 0, 4) }),
    (draw) => ({ set: draw.some(["p", "q", "r", ...(draw.chance(0.1) ? ["p"] : [])], 0, 3) }),
    (draw) => ({ mp: Array.from({ length: draw.below(3) }, () => item(draw)) }),
    (draw) => ({ am: textMap(draw) }),
    (draw) => ({ gm: textMap(draw) }),
    (draw) => ({ free: { a: draw.one(odd), m: { [draw.one(keys)]: draw.one(odd) } } }),
    (draw) => ({ n: draw.one([null, "x"]) }),
    (draw) => ({ e: draw.one(["One", "Two", "Three"]) }),
    (draw) => ({ nested: draw.one([{}, { deep: {} }, { deep: { x: 5 } }, null]) }),
    (draw) => ({ im: draw.one(["m1", "m2"]) }),
    (draw) => ({ t: draw.one(["2026-01-01T00:00:00Z", "nonsense"]) }),
    (draw) => ({ emb: draw.one([{ apiVersion: "v1", kind: "X", metadata: { name: "n" }, x: 1 }, { kind: "X" }, {}]) }),
    (draw) => (draw.chance(0.2) ? { unknown: draw.one(odd), nested: { bogus: 1 } } : {}),
  ];
  return {
    apiVersion: `${group}/v1`,
    kind,
    collection: `/apis/${group}/v1/namespaces/{ns}/${plural}`,
    weight: 4,
    base: { spec: { e: "One" } },
    fragments: [
      ...metadata,
      ...specs.map((spec): Fragment => (draw) => ({ spec: spec(draw) })),
    ],
    status: hasStatus
      ? [
          (draw) => ({ status: { phase: draw.one(["A", "B", 5]) } }),
          (draw) => ({ status: { conditions: [condition(draw)] } }),
        ]
      : [],
    custom: true,
    scale: hasStatus,
  };
}

const textSchema = { type: "string" };
const maps = { type: "object", additionalProperties: textSchema };

const specSchema = {
  type: "object",
  required: ["e"],
  properties: {
    s: { type: "string", default: "D", maxLength: 5, pattern: "^[a-zD]*$" },
    i: { type: "integer", minimum: 0, maximum: 10, default: 3 },
    j: { type: "integer", format: "int32" },
    b: { type: "boolean" },
    q: { "x-kubernetes-int-or-string": true },
    plain: { type: "array", items: textSchema, maxItems: 3 },
    set: { type: "array", items: textSchema, "x-kubernetes-list-type": "set" },
    mp: {
      type: "array",
      maxItems: 10,
      items: {
        type: "object",
        required: ["k"],
        properties: { k: textSchema, v: { type: "string", default: "V" }, w: { type: "integer" } },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    am: { ...maps, "x-kubernetes-map-type": "atomic" },
    gm: { ...maps, maxProperties: 2 },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    n: { type: "string", nullable: true },
    e: { type: "string", enum: ["One", "Two"] },
    nested: {
      type: "object",
      default: {},
      properties: {
        deep: { type: "object", properties: { x: { type: "integer", default: 7 }, y: textSchema } },
        z: { type: "string", default: "Z" },
      },
    },
    im: {
      type: "string",
      maxLength: 10,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "im is immutable" }],
    },
    t: { type: "string", format: "date-time" },
    emb: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.j) || self.j >= self.i",
      messageExpression: "self.i > 5 ? 'j must reach more than five' : 'j must reach i'",
      fieldPath: ".j",
    },
    { rule: "!has(self.mp) || self.mp.all(m, m.v != 'x')", message: "no x" },
  ],
};

export function definitionOf(group: string, kind: string, plural: string, hasStatus: boolean): JsonObject {
  const status = {
    type: "object",
    properties: {
      phase: textSchema,
      replicas: { type: "integer" },
      conditions: {
        type: "array",
        items: {
          type: "object",
          required: ["type", "status"],
          properties: {
            type: textSchema,
            status: { type: "string", enum: ["True", "False", "Unknown"] },
            reason: textSchema,
            message: textSchema,
            lastTransitionTime: { type: "string", format: "date-time" },
          },
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
    },
  };
  const schema = { type: "object", properties: { spec: specSchema, status } } as unknown as JsonValue;
  const scale = { specReplicasPath: ".spec.i", statusReplicasPath: ".status.replicas" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(hasStatus ? { subresources: { status: {}, scale } } : {}),
        },
        ...(hasStatus
          ? [
              {
                name: "v1beta1",
                served: true,
                storage: false,
                deprecated: true,
                schema: { openAPIV3Schema: schema },
                subresources: { status: {}, scale },
              },
            ]
          : []),
      ],
    },
  };
}
