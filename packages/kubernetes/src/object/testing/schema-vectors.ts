import type { JsonObject, JsonValue } from "../../json.ts";

export function withField(a: JsonObject): JsonObject {
  return { type: "object", properties: { a } };
}

const object = { type: "object" };

/** Id of the conformance row, schema, one of its errors; `S` stands for the path of the schema. */
export const schemaRefusals: readonly (readonly [string, JsonObject, string])[] = [
  ["Q1", {}, "S.type: Required value: must not be empty at the root"],
  ["Q2", { type: "string" }, 'S.type: Invalid value: "string": must be object at the root'],
  ["Q3", withField({}), "S.properties[a].type: Required value: must not be empty for specified object fields"],
  ["Q4", withField({ type: "array" }), "S.properties[a].items: Required value: must be specified"],
  [
    "Q5",
    withField({ type: "array", items: [{ type: "string" }] }),
    "S.properties[a].items: Forbidden: items must be a schema object and not an array",
  ],
  [
    "Q6",
    withField({ ...object, properties: { b: object }, additionalProperties: { type: "string" } }),
    "S.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
  ],
  [
    "Q7 type",
    withField({ type: "string", anyOf: [{ type: "string" }] }),
    "S.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
  ],
  [
    "Q7 nullable",
    withField({ type: "string", anyOf: [{ nullable: true }] }),
    "S.properties[a].anyOf[0].nullable: Forbidden: must be false to be structural",
  ],
  [
    "Q7 default",
    withField({ type: "string", oneOf: [{ default: "x" }] }),
    "S.properties[a].oneOf[0].default: Forbidden: must be undefined to be structural",
  ],
  [
    "Q8",
    { ...object, anyOf: [{ properties: { q: { minimum: 1 } } }] },
    "S.properties[q]: Required value: because it is defined in S.anyOf[0].properties[q]",
  ],
  ["Q9", withField({ ...object, $ref: "#/x" }), "S.properties[a].$ref: Forbidden: $ref is not supported"],
  [
    "Q10",
    withField({ type: "array", items: { type: "string" }, uniqueItems: true }),
    "S.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
  ],
  [
    "Q11",
    withField({ type: "string", pattern: "[" }),
    'S.properties[a].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
  ],
  [
    "Q12",
    withField({ type: "string", default: 5 }),
    'S.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
  ],
  [
    "Q13",
    withField({ ...object, default: { y: 1 } }),
    'S.properties[a].default: Invalid value: {"y":1}: must not have unknown fields',
  ],
  [
    "Q14",
    withField({ type: "string", minLength: 3, default: "x" }),
    'S.properties[a].default: Invalid value: "x":  in body should be at least 3 chars long',
  ],
  [
    "Q15",
    { ...object, properties: { metadata: { ...object, properties: { name: { type: "string", default: "x" } } } } },
    "S.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
  ],
  [
    "Q16",
    { ...object, properties: { metadata: { ...object, properties: { labels: object } } } },
    "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
  ],
  [
    "Q17",
    { ...object, properties: { apiVersion: { type: "integer" } } },
    'S.properties[apiVersion].type: Invalid value: "integer": must be string',
  ],
  [
    "Q18",
    withField({ ...object, "x-kubernetes-preserve-unknown-fields": false }),
    "S.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
  ],
  [
    "Q19",
    withField({ ...object, "x-kubernetes-embedded-resource": true }),
    "S.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
  ],
  [
    "Q19 type",
    withField({ type: "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
    'S.properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
  ],
  [
    "Q20",
    withField({ type: "string", "x-kubernetes-list-type": "set" }),
    'S.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
  ],
  [
    "Q20 value",
    withField({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "foo" }),
    'S.properties[a].x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
  ],
  [
    "Q22 unknown key",
    withField({ type: "array", items: object, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["z"] }),
    'S.properties[a].x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties',
  ],
  [
    "Q22 no keys",
    withField({ type: "array", items: object, "x-kubernetes-list-type": "map" }),
    "S.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
  ],
  [
    "Q22 optional key",
    withField({
      type: "array",
      items: { ...object, properties: { k: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    }),
    "S.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
  ],
  [
    "Q24",
    withField({ ...object, "x-kubernetes-map-type": "foo" }),
    'S.properties[a].x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic", "granular"',
  ],
  [
    "K5",
    withField({ type: "string", "x-kubernetes-validations": [{ rule: "true", reason: "Foo" }] }),
    'S.properties[a].x-kubernetes-validations[0].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
  ],
  [
    "K8 no rule",
    withField({ type: "string", "x-kubernetes-validations": [{ rule: " " }] }),
    "S.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified",
  ],
  [
    "K8 message",
    withField({ type: "string", "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] }),
    'S.properties[a].x-kubernetes-validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
  ],
  [
    "K8 path",
    withField({ ...object, "x-kubernetes-validations": [{ rule: "true", fieldPath: ".zz" }] }),
    'S.properties[a].x-kubernetes-validations[0].fieldPath: Invalid value: ".zz": must be a valid path',
  ],
  [
    "K2 optionalOldSelf",
    withField({ type: "string", "x-kubernetes-validations": [{ rule: "true", optionalOldSelf: true }] }),
    "S.properties[a].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
  ],
  [
    "K2 uncorrelatable",
    withField({ type: "array", items: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } }),
    'S.properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[a]',
  ],
];

/** Unusual schemas that are accepted. */
export const acceptedOddities: readonly JsonObject[] = [
  withField({ ...object, additionalProperties: true }),
  withField({ ...object, additionalProperties: false }),
  withField({ type: "integer", exclusiveMinimum: true }),
  withField({ type: "integer", "x-kubernetes-int-or-string": true }),
  withField({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
  { ...object, properties: { metadata: { ...object, properties: { name: { type: "string", pattern: "^a" } } } } },
  withField({ type: "string", default: null }),
  withField({ type: "string", maxLength: -1 }),
  withField({ type: "string", format: "zork" }),
];

/** The schema of `spec` for {@link ruleVectors}. */
export const ruledSpec = {
  type: "object",
  properties: {
    me: {
      type: "integer",
      "x-kubernetes-validations": [{ rule: "self < 5", messageExpression: "self > 6 ? 'far too much' : 'too much'" }],
    },
    imm: {
      type: "string",
      maxLength: 8,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "imm is immutable" }],
    },
    opt: {
      type: "string",
      maxLength: 8,
      "x-kubernetes-validations": [
        { rule: "oldSelf.hasValue() || self == 'x'", optionalOldSelf: true, message: "opt rule" },
      ],
    },
    f: {
      type: "integer",
      "x-kubernetes-validations": [{ rule: "self < 5", message: "no", reason: "FieldValueForbidden" }],
    },
    d: { type: "integer", "x-kubernetes-validations": [{ rule: "self < 5", reason: "FieldValueDuplicate" }] },
    div: { type: "integer", "x-kubernetes-validations": [{ rule: "10 / self > 1" }] },
    m: {
      type: "object",
      maxProperties: 4,
      additionalProperties: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] },
    },
    items: {
      type: "array",
      maxItems: 4,
      items: {
        type: "object",
        properties: { k: { type: "string", maxLength: 8 } },
        "x-kubernetes-validations": [{ rule: "self.k != 'bad'", message: "bad item", fieldPath: ".k" }],
      },
    },
    ios: { "x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{ rule: "self > 3" }] },
    s: { type: "string", pattern: "^[a-z]+$" },
    other: { type: "string", maxLength: 8 },
  },
  "x-kubernetes-validations": [{ rule: "!has(self.other) || self.other != 'no'", message: "other must not be no" }],
};

/** Name, new value, old value, message. */
export const ruleVectors: readonly (readonly [string, JsonValue, JsonValue | undefined, string])[] = [
  ["K3 scalar, K4 messageExpression", { me: 7 }, undefined, "spec.me: Invalid value: 7: far too much"],
  ["K3 object", { other: "no" }, undefined, "spec: Invalid value: other must not be no"],
  [
    "K3 map entry, K4 default message",
    { m: { x: 0 } },
    undefined,
    "spec.m[x]: Invalid value: 0: failed rule: self > 0",
  ],
  ["K3 fieldPath", { items: [{ k: "ok" }, { k: "bad" }] }, undefined, "spec.items[1].k: Invalid value: bad item"],
  ["K5 forbidden", { f: 7 }, undefined, "spec.f: Forbidden: no"],
  ["K5 duplicate", { d: 7 }, undefined, "spec.d: Duplicate value: 7"],
  [
    "K6 runtime error",
    { div: 0 },
    undefined,
    'spec.div: Invalid value: "integer": division by zero evaluating rule: 10 / self > 1',
  ],
  ["K2 transition on create", { imm: "one" }, undefined, "[]"],
  ["K2 transition on change", { imm: "two" }, { imm: "one" }, 'spec.imm: Invalid value: "two": imm is immutable'],
  ["K2 added later", { imm: "two" }, {}, "[]"],
  ["K2 optionalOldSelf on create", { opt: "y" }, undefined, 'spec.opt: Invalid value: "y": opt rule'],
  ["K2 optionalOldSelf on update", { opt: "y" }, { opt: "z" }, "[]"],
  [
    "no such overload",
    { ios: "a" },
    undefined,
    "spec.ios: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 3",
  ],
  ["K11 unchanged errors are dropped", { me: 7, s: "AB", other: "x" }, { me: 7, s: "AB" }, "[]"],
  [
    "K11 a rule at the object runs again",
    { me: 7, other: "no", s: "a" },
    { me: 7, other: "no" },
    "spec: Invalid value: other must not be no",
  ],
  [
    "K7 rules are skipped after blocking errors",
    { me: "x" },
    undefined,
    '[spec.me: Invalid value: "string": spec.me in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
  ],
];
