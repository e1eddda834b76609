import type { JsonObject, JsonValue } from "../../json.ts";

/** The schema of the required `spec` for {@link objectVectors}. */
export const vectorSpec: JsonObject = {
  type: "object",
  required: ["req"],
  properties: {
    req: { type: "string" },
    n: { type: "integer", minimum: 1, maximum: 10, multipleOf: 2 },
    ex: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    i32: { type: "integer", format: "int32" },
    s: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
    e: { type: "string", enum: ["A", "B"] },
    arr: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    map: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "p"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string" }, p: { type: "string", default: "dp" } },
      },
    },
    ios: { "x-kubernetes-int-or-string": true },
    addl: { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } },
    dt: { type: "string", format: "date-time" },
    one: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    any: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    all: { type: "object", properties: { a: { type: "string" } }, allOf: [{ required: ["a"] }] },
    not: { type: "object", properties: { a: { type: "string" } }, not: { required: ["a"] } },
    emb: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};

const dated = ["2020", "x"];
/** Id of the conformance row, `spec` of the object, message without the subject. */
export const objectVectors: readonly (readonly [string, JsonValue | undefined, string])[] = [
  ["E1 absent", undefined, "spec: Required value"],
  ["E1 null", null, "spec: Required value"],
  ["E2 absent", {}, "spec.req: Required value"],
  ["E2 null", { req: null }, "spec.req: Required value"],
  ["E3", { req: 5 }, 'spec.req: Invalid value: "integer": spec.req in body must be of type string: "integer"'],
  ["E4", { req: "", n: "x" }, 'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"'],
  [
    "E5",
    { req: "", n: 2.5 },
    '[spec.n: Invalid value: "number": spec.n in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.n, spec.n: Invalid value: 2.5: spec.n in body should be a multiple of 2]',
  ],
  ["E6", { req: "", s: "a" }, 'spec.s: Invalid value: "a": spec.s in body should be at least 2 chars long'],
  ["E7", { req: "", s: "abcdef" }, "spec.s: Too long: may not be more than 5 bytes"],
  ["E8", { req: "", s: "AB" }, "spec.s: Invalid value: \"AB\": spec.s in body should match '^[a-z]+$'"],
  ["E9 low", { req: "", n: 0 }, "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1"],
  ["E9 high", { req: "", n: 12 }, "spec.n: Invalid value: 12: spec.n in body should be less than or equal to 10"],
  ["E10 low", { req: "", ex: 1 }, "spec.ex: Invalid value: 1: spec.ex in body should be greater than 1"],
  ["E10 high", { req: "", ex: 5 }, "spec.ex: Invalid value: 5: spec.ex in body should be less than 5"],
  ["E11", { req: "", n: 3 }, "spec.n: Invalid value: 3: spec.n in body should be a multiple of 2"],
  [
    "E12",
    { req: "", i32: 2147483648 },
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32',
  ],
  ["E13", { req: "", e: "C" }, 'spec.e: Unsupported value: "C": supported values: "A", "B"'],
  ["E14 few", { req: "", arr: [] }, "spec.arr: Invalid value: 0: spec.arr in body should have at least 1 items"],
  ["E14 many", { req: "", arr: ["a", "a", "a", "a"] }, "spec.arr: Too many: 4: must have at most 3 items"],
  [
    "E15",
    { req: "", arr: ["a", 1] },
    'spec.arr[1]: Invalid value: "integer": spec.arr[1] in body must be of type string: "integer"',
  ],
  ["E16", { req: "", arr: "a" }, 'spec.arr: Invalid value: "string": spec.arr in body must be of type array: "string"'],
  ["E17", { req: "", set: ["a", "a"] }, 'spec.set[1]: Duplicate value: "a"'],
  ["E18", { req: "", map: [{ k: "a" }, { k: "a" }] }, 'spec.map[1]: Duplicate value: {"k":"a","p":"dp"}'],
  ["E19", { req: "", map: [{}] }, "spec.map[0].k: Required value"],
  [
    "E20",
    { req: "", ios: true },
    'spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"',
  ],
  [
    "E21",
    { req: "", addl: { b: "x" } },
    'spec.addl.b: Invalid value: "string": spec.addl.b in body must be of type integer: "string"',
  ],
  [
    "E22 few",
    { req: "", addl: {} },
    "spec.addl: Invalid value: 0: spec.addl in body should have at least 1 properties",
  ],
  ["E22 many", { req: "", addl: { a: 1, b: 1, c: 1 } }, "spec.addl: Too many: 3: must have at most 2 items"],
  [
    "E23",
    { req: "", dt: dated[0] ?? "" },
    'spec.dt: Invalid value: "2020": spec.dt in body must be of type date-time: "2020"',
  ],
  [
    "E24",
    { req: "", one: {} },
    '[<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid, spec.one.a: Required value]',
  ],
  [
    "E25",
    { req: "", one: { a: "", b: "" } },
    '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    "E26",
    { req: "", any: {} },
    '[<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf), spec.any.a: Required value]',
  ],
  [
    "E27",
    { req: "", all: {} },
    '[spec.all.a: Required value, <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated]',
  ],
  ["E28", { req: "", not: { a: "" } }, '<nil>: Invalid value: "": "spec.not" must not validate the schema (not)'],
  ["E29", { req: "", emb: {} }, "[spec.emb.apiVersion: Required value, spec.emb.kind: Required value]"],
  [
    "E32",
    { req: "", emb: { apiVersion: "v1", kind: "A", metadata: { labels: { "a b": "" } } } },
    "spec.emb.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
];
