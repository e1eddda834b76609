import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { formatFieldError } from "../field-error.ts";
import { checkSchemaRules, resolveFieldPath, type RuleSite } from "./check-schema.ts";

/** Schemas and what they may not have beyond structure; `S` is the path of the root. */
const refused: readonly (readonly [schema: JsonObject, problems: readonly string[]])[] = [
  [
    { type: "text" },
    [
      'S.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [{ type: "" }, []],
  [
    { type: "null" },
    [
      'S.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      "S.type: Forbidden: type cannot be set to null, use nullable as an alternative",
    ],
  ],
  [{ type: 5 }, []],
  [{ type: "array" }, []],
  [{ id: "x" }, ["S.id: Forbidden: id is not supported"]],
  [{ additionalItems: false }, ["S.additionalItems: Forbidden: additionalItems is not supported"]],
  [{ patternProperties: { a: {} } }, ["S.patternProperties: Forbidden: patternProperties is not supported"]],
  [{ patternProperties: {} }, []],
  [{ definitions: { a: {} } }, ["S.definitions: Forbidden: definitions is not supported"]],
  [{ dependencies: {} }, ["S.dependencies: Forbidden: dependencies is not supported"]],
  [
    { dependencies: { a: { uniqueItems: true } } },
    [
      "S.dependencies: Forbidden: dependencies is not supported",
      "S.dependencies[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [{ $ref: "x" }, ["S.$ref: Forbidden: $ref is not supported"]],
  [{ $schema: "x" }, []],
  [
    { items: [{ uniqueItems: true }, {}] },
    [
      "S.items: Forbidden: items must be a schema object and not an array",
      "S.items[0].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    { uniqueItems: true },
    ["S.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
  ],
  [{ uniqueItems: false }, []],
  [
    { "x-kubernetes-preserve-unknown-fields": false },
    ["S.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
  ],
  [{ "x-kubernetes-preserve-unknown-fields": true }, []],
  [
    { properties: { a: {} }, additionalProperties: {} },
    ["S.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  [
    { properties: { a: {} }, additionalProperties: false },
    ["S.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  [{ properties: { a: {} }, additionalProperties: true }, []],
  [{ properties: {}, additionalProperties: {} }, []],
  [{ properties: { a: {} }, additionalProperties: null }, []],
  [
    { additionalProperties: { uniqueItems: true } },
    [
      "S.additionalProperties.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    { not: { uniqueItems: true } },
    ["S.not.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
  ],
  [
    { allOf: [{ uniqueItems: true }], oneOf: [{ uniqueItems: true }], anyOf: [{}, { uniqueItems: true }] },
    [
      "S.allOf[0].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      "S.oneOf[0].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      "S.anyOf[1].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    { definitions: { a: { uniqueItems: true } } },
    [
      "S.definitions: Forbidden: definitions is not supported",
      "S.definitions[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    { items: { uniqueItems: true } },
    [
      "S.items.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    {
      properties: {
        metadata: { default: {} },
        kind: { default: "K" },
        apiVersion: { default: "v" },
        other: { default: 1 },
      },
    },
    [
      "S.properties[metadata].default: Forbidden: must not be set in top-level metadata",
      "S.properties[kind].default: Forbidden: must not be set in top-level kind",
      "S.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion",
    ],
  ],
  [
    {
      properties: {
        metadata: { default: null, properties: { annotations: { additionalProperties: { default: "x" } } } },
      },
    },
    [
      "S.properties[metadata].properties[annotations].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
    ],
  ],
  [
    {
      properties: {
        a: {
          "x-kubernetes-embedded-resource": true,
          properties: {
            metadata: {
              properties: {
                annotations: { additionalProperties: { default: "x" } },
                b: { "x-kubernetes-embedded-resource": true },
              },
            },
          },
        },
      },
    },
    [
      "S.properties[a].properties[metadata].properties[annotations].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
      "S.properties[a].properties[metadata].properties[b].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
    ],
  ],
  [{ properties: { a: { properties: { metadata: { additionalProperties: { default: "x" } } } } } }, []],
  [{ additionalProperties: { default: "x" } }, []],
  [
    { "x-kubernetes-map-type": "atomic" },
    ["S.type: Required value: must be object if x-kubernetes-map-type is specified"],
  ],
  [{ type: "object", "x-kubernetes-map-type": "atomic" }, []],
  [{ type: "object", "x-kubernetes-map-type": "granular" }, []],
  [
    { type: "array", "x-kubernetes-map-type": "x" },
    [
      'S.type: Invalid value: "array": must be object if x-kubernetes-map-type is specified',
      'S.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
    ],
  ],
  [
    { "x-kubernetes-list-type": "atomic" },
    ["S.type: Required value: must be array if x-kubernetes-list-type is specified"],
  ],
  [
    { type: "object", "x-kubernetes-list-type": "atomic" },
    ['S.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
  ],
  [{ type: "array", "x-kubernetes-list-type": "atomic" }, []],
  [{ type: "array", "x-kubernetes-list-type": "set" }, []],
  [
    { type: "array", "x-kubernetes-list-type": "x" },
    ['S.x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"'],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
    [
      "S.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", "x-kubernetes-map-type": "atomic" } },
    [],
  ],
  [{ type: "array", "x-kubernetes-list-type": "set", items: { type: "array" } }, []],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "array", "x-kubernetes-list-type": "atomic" } },
    [],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    },
    [
      'S.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [{ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, []],
  [{ type: "array", "x-kubernetes-list-type": "atomic", items: { type: "object" } }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{}] },
    ["S.x-kubernetes-validations[0].rule: Required value: rule is not specified"],
  ],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: " " }] },
    ["S.x-kubernetes-validations[0].rule: Required value: rule is not specified"],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", message: "m" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", message: " " }] },
    ['S.x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified'],
  ],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", message: "a\rb" }] },
    ['S.x-kubernetes-validations[0].message: Invalid value: "a\\rb": must not contain line breaks'],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", message: "a\n" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a\nb" }] },
    ["S.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks"],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a\nb", message: "m" }] }, []],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: " a \n" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a\rb", message: "" }] },
    ["S.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks"],
  ],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", messageExpression: " " }] },
    [
      "S.x-kubernetes-validations[0].messageExpression: Required value: messageExpression must be non-empty if specified",
    ],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", messageExpression: "'x'" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", reason: "Foo" }] },
    [
      'S.x-kubernetes-validations[0].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", reason: "FieldValueForbidden" }] }, []],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", reason: "FieldValueInvalid" }] }, []],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", reason: "FieldValueRequired" }] }, []],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", reason: "FieldValueDuplicate" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", fieldPath: " " }] },
    [
      'S.x-kubernetes-validations[0].fieldPath: Invalid value: " ": must be non-empty if specified',
      'S.x-kubernetes-validations[0].fieldPath: Invalid value: " ": must be a valid path',
    ],
  ],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", fieldPath: ".a\n" }] },
    ['S.x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must not contain line breaks'],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", fieldPath: ".a" }] }, []],
  [
    { properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", fieldPath: ".b" }] },
    ['S.x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path'],
  ],
  [{ properties: { a: {} }, "x-kubernetes-validations": [{ rule: "a", fieldPath: "" }] }, []],
  [
    { "x-kubernetes-validations": ["x", { rule: "" }] },
    ["S.x-kubernetes-validations[1].rule: Required value: rule is not specified"],
  ],
  [{ "x-kubernetes-validations": {} }, []],
];

for (const [schema, problems] of refused)
  test(`${JSON.stringify(schema)} ${problems.length === 0 ? "breaks no rule" : "is refused"}`, () => {
    const { errors } = allSteps(checkSchemaRules(schema, "S"));
    assert.deepEqual(errors.map(formatFieldError), problems);
  });

/** Schemas with the places whose rules are compiled. */
const sites: readonly (readonly [schema: JsonObject, sites: readonly Omit<RuleSite, "node">[]])[] = [
  [{ type: "object", "x-kubernetes-validations": [{ rule: "true" }] }, [{ path: "S", isRoot: true, bounds: [] }]],
  [{ type: "object", "x-kubernetes-validations": [] }, []],
  [
    {
      properties: {
        a: { type: "object", "x-kubernetes-validations": [{ rule: "true" }], uniqueItems: true },
        b: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
      },
    },
    [{ path: "S.properties[b]", isRoot: false, bounds: [] }],
  ],
  [
    {
      type: "object",
      "x-kubernetes-validations": [{ rule: "true" }],
      uniqueItems: true,
      properties: { a: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] } },
    },
    [{ path: "S.properties[a]", isRoot: false, bounds: [] }],
  ],
  [
    {
      not: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
      anyOf: [{ type: "object", "x-kubernetes-validations": [{ rule: "true" }] }],
      allOf: [{ type: "object", "x-kubernetes-validations": [{ rule: "true" }] }],
      oneOf: [{ type: "object", "x-kubernetes-validations": [{ rule: "true" }] }],
    },
    [],
  ],
  [
    {
      maxItems: 3,
      items: {
        type: "object",
        "x-kubernetes-validations": [{ rule: "true" }],
        maxItems: 4,
        items: {
          additionalProperties: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
          maxProperties: 5,
        },
      },
    },
    [
      { path: "S.items", isRoot: false, bounds: [3], uncorrelatable: "S" },
      { path: "S.items.items.additionalProperties", isRoot: false, bounds: [3, 4, 5], uncorrelatable: "S" },
    ],
  ],
  [
    {
      maxItems: 3,
      "x-kubernetes-list-type": "map",
      type: "array",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        properties: { k: { type: "string", default: "", "x-kubernetes-validations": [{ rule: "true" }] } },
      },
    },
    [{ path: "S.items.properties[k]", isRoot: false, bounds: [3] }],
  ],
  [
    {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      properties: {
        a: {
          type: "object",
          "x-kubernetes-validations": [{ rule: "true" }],
          items: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
        },
      },
      additionalProperties: true,
    },
    [
      { path: "S.properties[a]", isRoot: false, bounds: [], uncorrelatable: "S" },
      { path: "S.properties[a].items", isRoot: false, bounds: [undefined], uncorrelatable: "S" },
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-map-type": "granular",
      properties: { a: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] } },
    },
    [{ path: "S.properties[a]", isRoot: false, bounds: [] }],
  ],
  [
    { properties: { a: { items: { items: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] } } } } },
    [
      {
        path: "S.properties[a].items.items",
        isRoot: false,
        bounds: [undefined, undefined],
        uncorrelatable: "S.properties[a]",
      },
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      additionalProperties: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] },
    },
    [{ path: "S.additionalProperties", isRoot: false, bounds: [undefined] }],
  ],
];

for (const [schema, expected] of sites)
  test(`the rules of ${JSON.stringify(schema)} are compiled at ${expected.length} places`, () => {
    const found = allSteps(checkSchemaRules(schema, "S")).sites;
    assert.deepEqual(
      found.map(({ node: _node, ...site }) => site),
      expected,
    );
  });

const declared = {
  properties: {
    a: {
      properties: {
        "b.c": {},
        d: { additionalProperties: { properties: { e: {} } } },
        l: { items: { properties: { x: {} } } },
      },
    },
    s: {},
  },
};

test("the path of a rule is a field that the schema declares, or none", () => {
  const paths: readonly (readonly [path: string, field: string | undefined])[] = [
    [".a", ".a"],
    [".a.d", ".a.d"],
    [".a['b.c']", ".a.b.c"],
    [".a['b\\.c']", ".a.b.c"],
    [".a.d.k", ".a.d[k]"],
    [".a.d['k k'].e", ".a.d[k k].e"],
    [".a.d.k.f", undefined],
    [".z", undefined],
    ["a", undefined],
    [".a.", undefined],
    [".a.l.x", undefined],
    [".a.l[0].x", undefined],
    ["", undefined],
    ["  ", undefined],
    [" .s ", ".s"],
    [".s.t", undefined],
    ["['s']", ".s"],
    ["['s", undefined],
    [".a.d['it\\'s']", ".a.d[it's]"],
  ];
  assert.deepEqual(
    paths.map(([path]) => [path, resolveFieldPath(path, declared)]),
    paths,
  );
});
