import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { formatFieldError } from "../field-error.ts";
import { checkStructure, structuralProblem } from "./check-structure.ts";

/** Schemas and all violations of the rules for structural schemas, sorted by text; `S` is the path of the root. */
const structures: readonly (readonly [schema: JsonObject, problems: readonly string[]])[] = [
  [
    { type: "array" },
    ["S.items: Required value: must be specified", 'S.type: Invalid value: "array": must be object at the root'],
  ],
  [
    { type: "object", properties: { a: { type: "array" } } },
    ["S.properties[a].items: Required value: must be specified"],
  ],
  [
    { type: "object", properties: { a: { type: "array", items: null } } },
    ["S.properties[a].items: Required value: must be specified"],
  ],
  [
    { type: "object", properties: { a: { type: "array", items: {} } } },
    ["S.properties[a].items.type: Required value: must not be empty for specified array items"],
  ],
  [
    { type: "object", properties: { a: {} } },
    ["S.properties[a].type: Required value: must not be empty for specified object fields"],
  ],
  [{}, ["S.type: Required value: must not be empty at the root"]],
  [{ type: "array", items: { type: "string" } }, ['S.type: Invalid value: "array": must be object at the root']],
  [{ type: "object", additionalProperties: true }, ["S.additionalProperties: Forbidden: must not be used at the root"]],
  [
    { type: "object", additionalProperties: {} },
    [
      "S.additionalProperties.type: Required value: must not be empty for specified object fields",
      "S.additionalProperties: Forbidden: must not be used at the root",
    ],
  ],
  [{ type: "object", additionalProperties: null }, []],
  [
    { type: "object", properties: { a: { type: "object", additionalProperties: {} } } },
    ["S.properties[a].additionalProperties.type: Required value: must not be empty for specified object fields"],
  ],
  [{ type: "object", properties: { a: { type: "object", additionalProperties: true } } }, []],
  [
    {
      type: "object",
      properties: { a: { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true } },
    },
    [
      "S.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true } },
    },
    [
      "S.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      "S.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true",
      "S.properties[a].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  [{ type: "object", properties: { a: { "x-kubernetes-int-or-string": true } } }, []],
  [{ type: "object", properties: { a: { "x-kubernetes-preserve-unknown-fields": true } } }, []],
  [
    { type: "object", properties: { a: { "x-kubernetes-int-or-string": false } } },
    ["S.properties[a].type: Required value: must not be empty for specified object fields"],
  ],
  [
    {
      type: "object",
      properties: { a: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] } },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: { a: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] } },
    },
    [
      "S.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
      "S.properties[a].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        a: { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }] },
      },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        a: { "x-kubernetes-int-or-string": true, allOf: [{}, { anyOf: [{ type: "integer" }, { type: "string" }] }] },
      },
    },
    [
      "S.properties[a].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural",
      "S.properties[a].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        a: {
          "x-kubernetes-int-or-string": true,
          allOf: [
            { anyOf: [{ type: "integer" }, { type: "string" }] },
            { anyOf: [{ type: "integer" }, { type: "string" }] },
          ],
        },
      },
    },
    [
      "S.properties[a].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural",
      "S.properties[a].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } },
    },
    ["S.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true"],
  ],
  [
    {
      type: "object",
      properties: {
        a: {
          type: "array",
          items: { type: "string" },
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    ['S.properties[a].type: Invalid value: "array": must be object if x-kubernetes-embedded-resource is true'],
  ],
  [
    {
      type: "object",
      properties: {
        a: { type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: { type: "string" } },
      },
    },
    [
      "S.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      "S.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    { type: "object", properties: { a: { type: "object", "x-kubernetes-embedded-resource": true } } },
    [
      "S.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        a: { type: "object", "x-kubernetes-embedded-resource": true, properties: { b: { type: "string" } } },
      },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        a: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { kind: { type: "integer" }, apiVersion: {}, metadata: { type: "string" }, b: {} },
        },
      },
    },
    [
      'S.properties[a].properties[apiVersion].type: Invalid value: "": must be string',
      "S.properties[a].properties[apiVersion].type: Required value: must not be empty for specified object fields",
      "S.properties[a].properties[b].type: Required value: must not be empty for specified object fields",
      'S.properties[a].properties[kind].type: Invalid value: "integer": must be string',
      'S.properties[a].properties[metadata].type: Invalid value: "string": must be object',
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "object", properties: { kind: { type: "integer" }, metadata: { type: "string" } } } },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        kind: { type: "integer" },
        apiVersion: { "x-kubernetes-preserve-unknown-fields": true },
        metadata: { "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    [
      'S.properties[apiVersion].type: Invalid value: "": must be string',
      'S.properties[kind].type: Invalid value: "integer": must be string',
      'S.properties[metadata].type: Invalid value: "": must be object',
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        kind: { type: "string" },
        apiVersion: { type: "string" },
        metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
      },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        metadata: { type: "object", properties: { name: { type: "string" }, labels: { type: "object" } } },
      },
    },
    [
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        metadata: { type: "object", nullable: false, description: "", title: null, required: [], default: {} },
      },
    },
    [],
  ],
  [
    { type: "object", properties: { metadata: { type: "object", required: ["name"] } } },
    [
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    {
      type: "object",
      properties: {
        a: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
        },
      },
    },
    [],
  ],
  [
    { type: "object", pattern: "(", properties: { a: { type: "string", pattern: "[" } } },
    [
      'S.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      'S.properties[a].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
    ],
  ],
  [
    { type: "object", not: { pattern: "(" }, oneOf: [{ pattern: "(" }], allOf: [{ not: { pattern: "(" } }] },
    [
      'S.allOf[0].not.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      'S.not.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      'S.oneOf[0].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  ],
  [{ type: "object", anyOf: [{ type: "string" }] }, ["S.anyOf[0].type: Forbidden: must be empty to be structural"]],
  [
    { type: "object", anyOf: [{ additionalProperties: true }] },
    ["S.anyOf[0].additionalProperties: Forbidden: must be undefined to be structural"],
  ],
  [
    { type: "object", anyOf: [{ default: false }] },
    ["S.anyOf[0].default: Forbidden: must be undefined to be structural"],
  ],
  [{ type: "object", anyOf: [{ default: null }] }, []],
  [{ type: "object", anyOf: [{ title: "t" }] }, ["S.anyOf[0].title: Forbidden: must be empty to be structural"]],
  [{ type: "object", anyOf: [{ title: "" }] }, []],
  [
    { type: "object", anyOf: [{ description: "d" }] },
    ["S.anyOf[0].description: Forbidden: must be empty to be structural"],
  ],
  [{ type: "object", anyOf: [{ nullable: true }] }, ["S.anyOf[0].nullable: Forbidden: must be false to be structural"]],
  [{ type: "object", anyOf: [{ nullable: false }] }, []],
  [
    { type: "object", anyOf: [{ "x-kubernetes-preserve-unknown-fields": true }] },
    ["S.anyOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural"],
  ],
  [
    { type: "object", anyOf: [{ "x-kubernetes-embedded-resource": true }] },
    ["S.anyOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural"],
  ],
  [
    { type: "object", anyOf: [{ "x-kubernetes-int-or-string": true }] },
    ["S.anyOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural"],
  ],
  [
    { type: "object", anyOf: [{ "x-kubernetes-list-map-keys": ["a"] }] },
    ["S.anyOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural"],
  ],
  [{ type: "object", anyOf: [{ "x-kubernetes-list-map-keys": [] }] }, []],
  [
    { type: "object", anyOf: [{ "x-kubernetes-list-type": "set" }] },
    ["S.anyOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural"],
  ],
  [
    { type: "object", anyOf: [{ "x-kubernetes-map-type": "atomic" }] },
    ["S.anyOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural"],
  ],
  [
    { type: "object", anyOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] },
    ["S.anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"],
  ],
  [{ type: "object", anyOf: [{ "x-kubernetes-validations": [] }] }, []],
  [{ type: "object", anyOf: [{ additionalProperties: null }] }, []],
  [{ type: "object", anyOf: [{ additionalProperties: false }] }, []],
  [{ type: "object", anyOf: [{ format: "int32" }] }, []],
  [
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "array", items: { type: "string" } } },
      allOf: [{ properties: { a: { type: "string" } } }],
      oneOf: [{ properties: { b: { items: { nullable: true } } } }],
      not: { properties: { a: { title: "t" } } },
    },
    [
      "S.allOf[0].properties[a].type: Forbidden: must be empty to be structural",
      "S.not.properties[a].title: Forbidden: must be empty to be structural",
      "S.oneOf[0].properties[b].items.nullable: Forbidden: must be false to be structural",
    ],
  ],
  [
    { type: "object", properties: { metadata: { type: "object" } }, anyOf: [{ properties: { metadata: {} } }] },
    ["S.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"],
  ],
  [
    { type: "object", anyOf: [{ properties: { b: {} } }] },
    ["S.properties[b]: Required value: because it is defined in S.anyOf[0].properties[b]"],
  ],
  [
    { type: "object", not: { properties: { b: {} } } },
    ["S.properties[b]: Required value: because it is defined in S.not.properties[b]"],
  ],
  [
    { type: "object", allOf: [{ properties: { b: {} } }] },
    ["S.properties[b]: Required value: because it is defined in S.allOf[0].properties[b]"],
  ],
  [
    { type: "object", oneOf: [{}, { properties: { b: {} } }] },
    ["S.properties[b]: Required value: because it is defined in S.oneOf[1].properties[b]"],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "object" } } },
      anyOf: [{ properties: { l: { items: { properties: { deep: {} } } } } }],
    },
    [
      "S.properties[l].items.properties[deep]: Required value: because it is defined in S.anyOf[0].properties[l].items.properties[deep]",
    ],
  ],
  [
    { type: "object", properties: { l: { type: "object" } }, anyOf: [{ properties: { l: { items: {} } } }] },
    ["S.properties[l].items: Required value: because it is defined in S.anyOf[0].properties[l].items"],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "object" } },
      anyOf: [{ allOf: [{ properties: { l: { properties: { x: {} } } } }] }],
    },
    [
      "S.properties[l].properties[x]: Required value: because it is defined in S.anyOf[0].allOf[0].properties[l].properties[x]",
    ],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "object", properties: { x: { type: "string" } } } },
      anyOf: [{ not: { properties: { l: { properties: { x: {} } } } } }],
    },
    [],
  ],
];

for (const [schema, problems] of structures)
  test(`the structure of ${JSON.stringify(schema)} ${problems.length === 0 ? "is right" : "is refused"}`, () =>
    assert.deepEqual(checkStructure(schema, "S").map(formatFieldError), problems));

/** Schemas that cannot become structural ones, and why. */
const unreadable: readonly (readonly [schema: JsonObject, problem: string | undefined])[] = [
  [{}, undefined],
  [{ id: "x" }, "OpenAPIV3Schema 'id' is not supported"],
  [{ id: "" }, undefined],
  [{ $schema: "x" }, "OpenAPIV3Schema 'schema' is not supported"],
  [{ $ref: "x" }, "OpenAPIV3Schema '$ref' is not supported"],
  [{ patternProperties: { a: {} } }, "OpenAPIV3Schema 'patternProperties' is not supported"],
  [{ patternProperties: {} }, undefined],
  [{ dependencies: { a: {} } }, "OpenAPIV3Schema 'dependencies' is not supported"],
  [{ additionalItems: false }, "OpenAPIV3Schema 'additionalItems' is not supported"],
  [{ additionalItems: null }, undefined],
  [{ definitions: { a: {} } }, "OpenAPIV3Schema 'definitions' is not supported"],
  [{ allOf: [{}, { id: "x" }] }, "OpenAPIV3Schema 'id' is not supported"],
  [{ anyOf: [{ id: "x" }] }, "OpenAPIV3Schema 'id' is not supported"],
  [{ oneOf: [{ id: "x" }] }, "OpenAPIV3Schema 'id' is not supported"],
  [{ not: { id: "x" } }, "OpenAPIV3Schema 'id' is not supported"],
  [{ items: { id: "x" } }, "OpenAPIV3Schema 'id' is not supported"],
  [{ additionalProperties: { id: "x" } }, "OpenAPIV3Schema 'id' is not supported"],
  [{ additionalProperties: true }, undefined],
  [{ properties: { a: {}, b: { id: "x" } } }, "OpenAPIV3Schema 'id' is not supported"],
  [
    { "x-kubernetes-preserve-unknown-fields": false },
    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
  ],
  [{ "x-kubernetes-preserve-unknown-fields": true }, undefined],
  [{ items: [{}] }, "OpenAPIV3Schema 'items' must be a schema, but is an array"],
  [{ items: [] }, "OpenAPIV3Schema 'items' must be a schema, but is an array"],
  [{ properties: { a: { items: [{}] } } }, "OpenAPIV3Schema 'items' must be a schema, but is an array"],
  [{ anyOf: { id: "x" } }, undefined],
];

for (const [schema, problem] of unreadable)
  test(`${JSON.stringify(schema)} ${problem === undefined ? "can" : "cannot"} become a structural schema`, () =>
    assert.equal(structuralProblem(schema), problem));
