import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { type FieldError, formatFieldError } from "../field-error.ts";
import { checkListMap } from "./check-list-map.ts";
import { checkStatusRoot } from "./check-status-root.ts";
import { goItems, goSchema } from "./go-schema.ts";

/** Lists of type map and set; `ITEMS` stands for a list of schemas as Go prints it. */
const lists: readonly (readonly [schema: JsonObject, problems: readonly string[]])[] = [
  [{}, []],
  [
    { "x-kubernetes-list-map-keys": ["a"] },
    ["S.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
  ],
  [
    { "x-kubernetes-list-map-keys": ["a"], "x-kubernetes-list-type": "set" },
    ['S.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
  ],
  [{ "x-kubernetes-list-map-keys": [] }, []],
  [{ "x-kubernetes-list-map-keys": "a", "x-kubernetes-list-type": "set" }, []],
  [
    { "x-kubernetes-list-type": "map" },
    [
      "S.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      "S.items: Required value: must have a schema if x-kubernetes-list-type is map",
    ],
  ],
  [
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
    ["S.items: Required value: must have a schema if x-kubernetes-list-type is map"],
  ],
  [
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"], items: [{}] },
    ["S.items: Invalid value: ITEMS: must only have a single schema if x-kubernetes-list-type is map"],
  ],
  [
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"], items: {} },
    ['S.items.type: Invalid value: "": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  [
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"], items: { type: "string" } },
    ['S.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "a"],
      items: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    },
    ['S.x-kubernetes-list-map-keys: Invalid value: ["a","a"]: must not contain duplicate entries'],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "b", 5],
      items: { type: "object", properties: { a: { type: "array" }, b: { type: "object" } }, required: ["a", "b"] },
    },
    [
      'S.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'S.items.properties[b].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string", default: "x" } } },
    },
    [],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string", default: null, nullable: true } }, nullable: true },
    },
    [
      "S.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
      "S.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "S.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    ],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string", nullable: false } }, required: ["b"] },
    },
    [
      "S.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["z"],
      items: { type: "object", properties: { a: { type: "string" } } },
    },
    ['S.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties'],
  ],
  [
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["z"],
      items: { type: "object", properties: { z: true } },
    },
    ['S.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties'],
  ],
  [
    { "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } },
    ["S.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
  ],
  [{ "x-kubernetes-list-type": "set", items: { type: "string" } }, []],
  [{ "x-kubernetes-list-type": "atomic", items: { nullable: true } }, []],
  [{ items: { nullable: true } }, []],
];

for (const [schema, problems] of lists)
  test(`the list ${JSON.stringify(schema)} ${problems.length === 0 ? "is accepted" : "is refused"}`, () => {
    const errors: FieldError[] = [];
    checkListMap(schema, "S", errors);
    const items = goItems(schema["items"] ?? null);
    assert.deepEqual(
      errors.map((error) => formatFieldError(error).replace(items, "ITEMS")),
      problems,
    );
  });

/** Roots beside a status subresource; `SCHEMA` stands for the schema as Go prints it, `[...]` for the allowed fields. */
const roots: readonly (readonly [schema: JsonObject, problems: readonly string[]])[] = [
  [{ type: "object" }, []],
  [
    { type: "array" },
    [
      'S.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    ],
  ],
  [{}, []],
  [{ type: "" }, []],
  [
    {
      description: "d",
      format: "f",
      title: "t",
      maximum: 1,
      pattern: "p",
      required: ["a"],
      items: {},
      properties: { a: {} },
      example: false,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "true" }],
      uniqueItems: true,
      externalDocs: {},
      exclusiveMaximum: true,
    },
    [],
  ],
  [
    { nullable: true },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ nullable: false }, []],
  [{ default: false }, []],
  [{ default: null }, []],
  [
    { enum: ["a"] },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ enum: [] }, []],
  [
    { allOf: [{}] },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ allOf: [] }, []],
  [
    { not: {} },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { additionalProperties: true },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ additionalProperties: false }, []],
  [
    { maxProperties: 0 },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { minProperties: 1 },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ definitions: {} }, []],
  [
    { definitions: { a: {} } },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { patternProperties: { a: {} } },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { dependencies: {} },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { "x-kubernetes-embedded-resource": true },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { "x-kubernetes-int-or-string": true },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [
    { "x-kubernetes-map-type": "atomic" },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
  [{ example: 0 }, []],
  [
    { id: "a", type: "array" },
    [
      "S: Invalid value: SCHEMA: only [...] fields are allowed at the root of the schema if the status subresource is enabled",
    ],
  ],
];

for (const [schema, problems] of roots)
  test(`the root ${JSON.stringify(schema)} ${problems.length === 0 ? "may" : "may not"} have a status subresource`, () =>
    assert.deepEqual(
      checkStatusRoot(schema, "S").map((error) =>
        formatFieldError(error)
          .replace(goSchema(schema), "SCHEMA")
          .replace(/only \[[^\]]*\]/, "only [...]"),
      ),
      problems,
    ));

test("the refusal of a root names the fields that are allowed", () =>
  assert.match(
    formatFieldError(checkStatusRoot({ nullable: true }, "S")[0] ?? assert.fail()),
    /: only \[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
  ));

const below = /\{"ID":"","Schema":"","Ref":null,"Description":"","Type":"(\w+)".*?"XValidations":null\}/g;

/** Schemas as Go prints them; `<TYPE>` stands for a schema with nothing but a type. */
const printed: readonly (readonly [schema: JsonObject, text: string])[] = [
  [
    {},
    '{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}',
  ],
  [
    {
      id: "i",
      $schema: "s",
      $ref: "r",
      description: "d",
      type: "object",
      nullable: true,
      format: "f",
      title: "t",
      default: { a: 1 },
      maximum: 1,
      exclusiveMaximum: true,
      minimum: 2,
      exclusiveMinimum: true,
      maxLength: 3,
      minLength: 4,
      pattern: "p",
      maxItems: 5,
      minItems: 6,
      uniqueItems: true,
      multipleOf: 7,
      enum: ["e"],
      maxProperties: 8,
      minProperties: 9,
      required: ["q"],
      items: { type: "a" },
      allOf: [{ type: "b" }, { type: "b2" }],
      oneOf: [{ type: "c" }],
      anyOf: [{ type: "d" }],
      not: { type: "n" },
      properties: { z: { type: "z" }, y: { type: "y" }, x: 1 },
      additionalProperties: { type: "ap" },
      patternProperties: { pp: { type: "pp" } },
      dependencies: { dd: ["x"] },
      additionalItems: false,
      definitions: { df: { type: "df" } },
      externalDocs: { url: "u" },
      example: "ex",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-list-map-keys": ["lk"],
      "x-kubernetes-list-type": "lt",
      "x-kubernetes-map-type": "mt",
      "x-kubernetes-validations": [
        { rule: "r", message: "m", messageExpression: "me", reason: "re", fieldPath: "fp", optionalOldSelf: true },
        {},
        "x",
      ],
    },
    '{"ID":"i","Schema":"s","Ref":"r","Description":"d","Type":"object","Nullable":true,"Format":"f","Title":"t","Default":{"a":1},"Maximum":1,"ExclusiveMaximum":true,"Minimum":2,"ExclusiveMinimum":true,"MaxLength":3,"MinLength":4,"Pattern":"p","MaxItems":5,"MinItems":6,"UniqueItems":true,"MultipleOf":7,"Enum":["e"],"MaxProperties":8,"MinProperties":9,"Required":["q"],"Items":{"Schema":<a>,"JSONSchemas":null},"AllOf":[<b>,<b2>],"OneOf":[<c>],"AnyOf":[<d>],"Not":<n>,"Properties":{"y":<y>,"z":<z>},"AdditionalProperties":{"Allows":true,"Schema":<ap>},"PatternProperties":{"pp":<pp>},"Dependencies":{"dd":["x"]},"AdditionalItems":{"Allows":false,"Schema":null},"Definitions":{"df":<df>},"ExternalDocs":{"url":"u"},"Example":"ex","XPreserveUnknownFields":true,"XEmbeddedResource":true,"XIntOrString":true,"XListMapKeys":["lk"],"XListType":"lt","XMapType":"mt","XValidations":[{"Rule":"r","Message":"m","MessageExpression":"me","Reason":"re","FieldPath":"fp","OptionalOldSelf":true},{"Rule":"","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}]}',
  ],
  [
    { items: [{ type: "one" }, { type: "two" }] },
    '{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":{"Schema":null,"JSONSchemas":[<one>,<two>]},"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}',
  ],
  [
    { additionalProperties: true, items: true, not: true, properties: [], allOf: {}, nullable: "true" },
    '{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":{"Schema":null,"JSONSchemas":null},"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":{"Allows":true,"Schema":null},"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}',
  ],
];

for (const [index, [schema, text]] of printed.entries())
  test(`schema ${index} is printed with all fields of Go's struct in their order`, () =>
    assert.equal(goSchema(schema).replaceAll(below, "<$1>"), text));
