import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { buildSchema } from "../apply/build-schema.ts";
import { formatFieldError } from "../field-error.ts";
import { type ValidateOptions, validateValue } from "./validate.ts";

/** An integer that a double cannot represent. */
const digits = (text: string): JsonValue =>
  (JSON as unknown as { readonly rawJSON: (text: string) => JsonValue }).rawJSON(text);

function answers(field: JsonObject, value: JsonValue, options: ValidateOptions = {}): readonly string[] {
  const schema = buildSchema({ type: "object", properties: { f: field } });
  return validateValue({ f: value }, schema, options).map(formatFieldError);
}

/** The schema of a field, its value, and all errors, in the words of kube-openapi. */
const rows: readonly (readonly [schema: JsonObject, value: JsonValue, errors: readonly string[]])[] = [
  [{ enum: ["a"] }, true, ['f: Unsupported value: true: supported values: "a"']],
  [{ enum: [1.5] }, 1, ['f: Unsupported value: 1: supported values: "1.5"']],
  [{ enum: [1.5] }, 1.25, ['f: Unsupported value: 1.25: supported values: "1.5"']],
  [
    { "x-kubernetes-int-or-string": true, maximum: 5, format: "int32" },
    2 ** 40,
    ["f: Invalid value: 1099511627776: f in body should be less than or equal to 5"],
  ],
  [{ nullable: true, format: "date" }, null, []],
  [{ type: "number", multipleOf: 2.5 }, 0.2, ["f: Invalid value: 0.2: f in body should be a multiple of 2.5"]],
  [
    { type: "number", format: "float", multipleOf: 3.5e38 },
    1.5,
    [
      '<nil>: Invalid value: "": MultipleOf value must be of type number with format float in f',
      "f: Invalid value: 1.5: f in body should be a multiple of 3.5e+38",
    ],
  ],
  [{ type: "string" }, null, ['f: Invalid value: "null": f in body must be of type string: "null"']],
  [{ type: "string", nullable: true }, null, []],
  [{}, null, []],
  [{ format: "int32" }, null, []],
  [{ "x-kubernetes-int-or-string": true }, 1, []],
  [{ "x-kubernetes-int-or-string": true }, "a", []],
  [
    { "x-kubernetes-int-or-string": true },
    1.5,
    ['f: Invalid value: "number": f in body must be of type integer,string: "number"'],
  ],
  [
    { "x-kubernetes-int-or-string": true },
    true,
    ['f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"'],
  ],
  [{ type: "number" }, 1, []],
  [{ type: "number" }, 1.5, []],
  [{ type: "number" }, "1", ['f: Invalid value: "string": f in body must be of type number: "string"']],
  [
    { type: "integer" },
    1.5,
    [
      'f: Invalid value: "number": f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
    ],
  ],
  [{ type: "integer" }, 2 ** 63, []],
  [
    { type: "integer" },
    1e300,
    [
      'f: Invalid value: "number": f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
    ],
  ],
  [{ type: "integer" }, digits("9223372036854775807"), []],
  [
    { type: "integer" },
    digits("9223372036854775808"),
    [
      'f: Invalid value: "number": f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
    ],
  ],
  [{ type: "integer" }, digits("-9223372036854775808"), []],
  [
    { type: "integer" },
    digits("-9223372036854775809"),
    [
      'f: Invalid value: "number": f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
    ],
  ],
  [{ type: "string", format: "date" }, 1, ['f: Invalid value: "int64": f in body must be of type date: "int64"']],
  [
    { type: "string", format: "int64" },
    1,
    ['f: Invalid value: "integer": f in body must be of type string: "integer"'],
  ],
  [{ type: "string", format: "date" }, true, ['f: Invalid value: "": f in body must be of type date: ""']],
  [
    { type: "string", format: "float64" },
    1.5,
    ['f: Invalid value: "number": f in body must be of type string: "number"'],
  ],
  [{ type: "string", format: "date" }, 1.5, ['f: Invalid value: "float64": f in body must be of type date: "float64"']],
  [{ type: "string", format: "date" }, [1], []],
  [
    { type: "boolean", format: "date" },
    "x",
    ['f: Invalid value: "string": f in body must be of type boolean: "string"'],
  ],
  [
    { type: "number", format: "float" },
    "x",
    ['f: Invalid value: "string": f in body must be of type number: "string"'],
  ],
  [
    { type: "integer", format: "int32" },
    "x",
    ['f: Invalid value: "string": f in body must be of type integer: "string"'],
  ],
  [{ type: "integer", format: "int32" }, [], ['f: Invalid value: "array": f in body must be of type integer: "array"']],
  [{ type: "array" }, {}, ['f: Invalid value: "object": f in body must be of type array: "object"']],
  [{ type: "object" }, [], ['f: Invalid value: "array": f in body must be of type object: "array"']],
  [{ enum: ["a", "b"] }, "c", ['f: Unsupported value: "c": supported values: "a", "b"']],
  [{ enum: ["a", 1] }, "c", ['f: Unsupported value: "c": supported values: "a", "1"']],
  [{ enum: [null, "a"], nullable: true }, null, ['f: Unsupported value: null: supported values: "null", "a"']],
  [{ enum: [1, 2] }, 3, ['f: Unsupported value: 3: supported values: "1", "2"']],
  [{ enum: [1, 2] }, 2, []],
  [{ enum: [1] }, 1.7, []],
  [{ enum: [1, 2] }, 2.5, []],
  [{ enum: ["A"] }, 65, []],
  [{ enum: ["A"] }, 66, ['f: Unsupported value: 66: supported values: "A"']],
  [{ enum: ["\ufffd"] }, -1, []],
  [{ enum: ["\ufffd"] }, 55296, []],
  [{ enum: ["\ufffd"] }, 57343, []],
  [{ enum: ["\ufffd"] }, 1114112, []],
  [{ enum: ["\u{10ffff}"] }, 1114111, []],
  [{ enum: ["\u0000"] }, 0, []],
  [{ enum: ["\ue000"] }, 57344, []],
  [{ enum: ["\ud7ff"] }, 55295, []],
  [{ enum: ["A"] }, 65.5, ['f: Unsupported value: 65.5: supported values: "A"']],
  [{ enum: [1, { a: 1 }] }, { a: 1 }, []],
  [{ enum: [1] }, { a: 1 }, ['f: Unsupported value: {"a":1}: supported values: "1"']],
  [{ enum: [2 ** 63] }, 2 ** 63, []],
  [{ enum: [3] }, 1e300, ['f: Unsupported value: 1e+300: supported values: "3"']],
  [{ maxLength: 2 }, "ab", []],
  [{ maxLength: 2 }, "abc", ["f: Too long: may not be more than 2 bytes"]],
  [{ maxLength: 2 }, "😀😀", []],
  [{ maxLength: 1 }, "\u{10000}\u{10000}", ["f: Too long: may not be more than 1 bytes"]],
  [{ minLength: 2 }, "ab", []],
  [{ minLength: 2 }, "a", ['f: Invalid value: "a": f in body should be at least 2 chars long']],
  [{ pattern: "^a" }, "b", ["f: Invalid value: \"b\": f in body should match '^a'"]],
  [{ format: "date" }, "b", ['f: Invalid value: "b": f in body must be of type date: "b"']],
  [{ format: "semver" }, "b", []],
  [{ type: "number", minimum: 1.5 }, 1.5, []],
  [{ type: "number", minimum: 1.5 }, 1, []],
  [
    { type: "number", minimum: 1.5 },
    1.25,
    ["f: Invalid value: 1.25: f in body should be greater than or equal to 1.5"],
  ],
  [
    { type: "number", minimum: 1.5, exclusiveMinimum: true },
    1.5,
    ["f: Invalid value: 1.5: f in body should be greater than 1.5"],
  ],
  [{ type: "number", minimum: 1.5, exclusiveMinimum: true }, 1.75, []],
  [{ type: "number", maximum: 1.5 }, 1.5, []],
  [{ type: "number", maximum: 1.5 }, 2, ["f: Invalid value: 2: f in body should be less than or equal to 1"]],
  [{ type: "number", maximum: 1.5 }, 1.75, ["f: Invalid value: 1.75: f in body should be less than or equal to 1.5"]],
  [
    { type: "number", maximum: 1.5, exclusiveMaximum: true },
    1.5,
    ["f: Invalid value: 1.5: f in body should be less than 1.5"],
  ],
  [{ type: "number", maximum: 1.5, exclusiveMaximum: true }, 1.25, []],
  [{ type: "integer", minimum: 2 }, 1, ["f: Invalid value: 1: f in body should be greater than or equal to 2"]],
  [{ type: "integer", minimum: 2 }, 2, []],
  [{ type: "integer", maximum: 2 }, 3, ["f: Invalid value: 3: f in body should be less than or equal to 2"]],
  [{ type: "integer", maximum: 2 }, 2, []],
  [
    { type: "integer", minimum: 1.9 },
    1,
    [
      '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in f',
      "f: Invalid value: 1: f in body should be greater than or equal to 1.9",
    ],
  ],
  [
    { type: "integer", format: "int32", maximum: 3000000000 },
    1,
    ['<nil>: Invalid value: "": Maximum boundary value must be of type integer with format int32 in f'],
  ],
  [
    { type: "integer", format: "int32", minimum: 3000000000 },
    1,
    [
      '<nil>: Invalid value: "": Minimum boundary value must be of type integer with format int32 in f',
      "f: Invalid value: 1: f in body should be greater than or equal to 3e+09",
    ],
  ],
  [
    { type: "integer", format: "int32" },
    2147483648,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f'],
  ],
  [{ type: "integer", format: "int32" }, 2147483647, []],
  [{ type: "integer", format: "int32" }, -2147483648, []],
  [
    { type: "integer", format: "int32" },
    -2147483649,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f'],
  ],
  [{ type: "integer" }, 2 ** 63 - 1024, []],
  [{ type: "number", format: "float" }, 3.4028234663852886e38, []],
  [
    { type: "number", format: "float" },
    3.5e38,
    ['<nil>: Invalid value: "": Checked value must be of type number with format float in f'],
  ],
  [{ type: "number", format: "double" }, 3.5e38, []],
  [{ type: "number", format: "float" }, digits("9223372036854775807"), []],
  [{ multipleOf: 3 }, 9, []],
  [{ multipleOf: 3 }, 10, ["f: Invalid value: 10: f in body should be a multiple of 3"]],
  [{ multipleOf: 0 }, 1, ["f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0"]],
  [{ multipleOf: -1 }, 1.5, ["f: Invalid value: -1: factor MultipleOf declared for f must be positive: -1"]],
  [{ multipleOf: 0.5 }, 1.5, []],
  [{ multipleOf: 0.1 }, 0.3, []],
  [{ multipleOf: 0.3 }, 0.5, ["f: Invalid value: 0.5: f in body should be a multiple of 0.3"]],
  [{ multipleOf: 1.5 }, 4.5, []],
  [{ multipleOf: 1.5 }, 0.75, ["f: Invalid value: 0.75: f in body should be a multiple of 1.5"]],
  [{ multipleOf: 1 }, 1.000000001, []],
  [{ multipleOf: 1 }, 1.00000001, ["f: Invalid value: 1.00000001: f in body should be a multiple of 1"]],
  [{ multipleOf: 1 }, -1.000000001, ["f: Invalid value: -1.000000001: f in body should be a multiple of 1"]],
  [{ multipleOf: 0.5 }, 4503599627370495.5, []],
  [{ multipleOf: 1.5 }, 1e300, ["f: Invalid value: 1e+300: f in body should be a multiple of 1.5"]],
  [{ multipleOf: 0.5 }, -1.5, []],
  [{ multipleOf: 3 }, digits("9223372036854775806"), []],
  [{ multipleOf: 7 }, digits("9223372036854775807"), []],
  [
    { multipleOf: 5 },
    digits("9223372036854775807"),
    ["f: Invalid value: 9223372036854775807: f in body should be a multiple of 5"],
  ],
  [{ multipleOf: 2 }, 0.5, ["f: Invalid value: 0.5: f in body should be a multiple of 2"]],
  [{ type: "array", maxItems: 1 }, [1], []],
  [{ type: "array", maxItems: 1 }, [1, 2], ["f: Too many: 2: must have at most 1 item"]],
  [{ type: "array", minItems: 2 }, [1], ["f: Invalid value: 1: f in body should have at least 2 items"]],
  [{ type: "array", minItems: 1 }, [1], []],
  [{ type: "array", uniqueItems: true }, [1, 2, 1], ['f: Invalid value: "": f in body shouldn\'t contain duplicates']],
  [{ type: "array", uniqueItems: true }, [1, 2], []],
  [{ type: "object", maxProperties: 1 }, { a: 1 }, []],
  [{ type: "object", maxProperties: 1 }, { a: 1, b: 2 }, ["f: Too many: 2: must have at most 1 item"]],
  [
    { type: "object", minProperties: 2 },
    { a: 1 },
    ["f: Invalid value: 1: f in body should have at least 2 properties"],
  ],
  [{ type: "object", minProperties: 1 }, { a: 1 }, []],
  [
    { type: "object", additionalProperties: false, properties: { a: {} } },
    { a: 1, b: 2 },
    ['f: Invalid value: "": f.b in body is a forbidden property'],
  ],
  [
    { type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "integer" } } },
    { a: 1, b: 2 },
    ['f.b: Invalid value: "integer": f.b in body must be of type string: "integer"'],
  ],
  [
    { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
      "f: Invalid value: 3: f in body should be greater than or equal to 5",
    ],
  ],
  [{ anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 7, []],
  [
    { anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
    {},
    [
      '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
      'f: Invalid value: "object": f in body must be of type string: "object"',
    ],
  ],
  [
    { oneOf: [{ minimum: 5 }, { minimum: 3 }] },
    7,
    ['<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [{ oneOf: [{ minimum: 5 }, { minimum: 3 }] }, 4, []],
  [
    { oneOf: [{ minimum: 5 }, { minimum: 3 }] },
    2,
    [
      '<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found none valid',
      "f: Invalid value: 2: f in body should be greater than or equal to 5",
    ],
  ],
  [
    { allOf: [{ minimum: 5 }, { minimum: 3 }] },
    4,
    [
      "f: Invalid value: 4: f in body should be greater than or equal to 5",
      '<nil>: Invalid value: "": "f" must validate all the schemas (allOf)',
    ],
  ],
  [
    { allOf: [{ minimum: 5 }, { minimum: 3 }] },
    2,
    [
      "f: Invalid value: 2: f in body should be greater than or equal to 5",
      "f: Invalid value: 2: f in body should be greater than or equal to 3",
      '<nil>: Invalid value: "": "f" must validate all the schemas (allOf). None validated',
    ],
  ],
  [{ allOf: [{ minimum: 5 }, { minimum: 3 }] }, 6, []],
  [{ not: { minimum: 5 } }, 6, ['<nil>: Invalid value: "": "f" must not validate the schema (not)']],
  [{ not: { minimum: 5 } }, 4, []],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    ["a", "b", "a", "a"],
    ['f[2]: Duplicate value: "a"'],
  ],
  [{ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, ["a"], []],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "l"],
      items: { type: "object", properties: { k: {}, l: {} } },
    },
    [{ k: 1 }, { k: 1, l: 2 }, { k: 1 }, null, null],
    [
      'f[3]: Invalid value: "null": f[3] in body must be of type object: "null"',
      'f[4]: Invalid value: "null": f[4] in body must be of type object: "null"',
      'f[2]: Duplicate value: {"k":1}',
      "f[4]: Duplicate value: {}",
    ],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: {} },
    [{ k: 1 }, "x"],
    ['f[1]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
  [
    {
      type: "object",
      additionalProperties: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    },
    { m: ["a", "a"] },
    ['f[m][1]: Duplicate value: "a"'],
  ],
  [
    {
      type: "array",
      items: { type: "object", properties: { s: { type: "array", "x-kubernetes-list-type": "set", items: {} } } },
    },
    [{ s: [1, 1] }, { s: [1, 2] }],
    ["f[0].s[1]: Duplicate value: 1"],
  ],
];

test("types, formats, limits, lists and combinations of schemas refuse with these texts, and nothing else", () => {
  for (const [schema, value, errors] of rows)
    assert.deepEqual(answers(schema, value), errors, `${JSON.stringify(schema)} ${JSON.stringify(value)}`);
});

test("an integer beyond 32 bits is a single-precision number as long as a float can hold it", () => {
  const beyond = digits(`4${"0".repeat(38)}`);
  assert.deepEqual(answers({ type: "number", format: "float" }, beyond), [
    '<nil>: Invalid value: "": Checked value must be of type number with format float in f',
  ]);
  assert.deepEqual(answers({ type: "integer", format: "int32" }, digits("9223372036854775807")), [
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f',
  ]);
});

const refusedA = "f.a: Invalid value: \"A\": f.a in body should match '^[a-z]$'";
const letter = { type: "string", pattern: "^[a-z]$" };
const changes: readonly {
  readonly title: string;
  readonly schema: JsonObject;
  readonly old: JsonValue;
  readonly value: JsonValue;
  readonly errors: readonly string[];
}[] = [
  {
    title: "an invalid field that did not change, beside one that did",
    schema: { type: "object", properties: { a: letter, b: letter } },
    old: { a: "A", b: "B" },
    value: { a: "A", b: "C" },
    errors: ["f.b: Invalid value: \"C\": f.b in body should match '^[a-z]$'"],
  },
  {
    title: "a field of an object that was a list",
    schema: { type: "object", properties: { a: letter } },
    old: ["A"],
    value: { a: "A" },
    errors: [refusedA],
  },
  {
    title: "an item of a map list with the same key, moved",
    schema: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "l"],
      items: { type: "object", properties: { k: {}, l: {}, v: letter } },
    },
    old: [null, { k: 1, v: "A" }, { k: 1, v: "Z" }, { k: "1", l: 2, v: "B" }],
    value: [
      { k: "1", l: 2, v: "B" },
      { k: 1, v: "A" },
      { k: 1, l: 2, v: "B" },
    ],
    errors: ["f[2].v: Invalid value: \"B\": f[2].v in body should match '^[a-z]$'"],
  },
  {
    title: "an item of an atomic list, although it is equal",
    schema: { type: "array", items: letter, maxItems: 2 },
    old: ["A"],
    value: ["A", "b"],
    errors: ["f[0]: Invalid value: \"A\": f[0] in body should match '^[a-z]$'"],
  },
  {
    title: "no duplicates where the stored list had some",
    schema: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    old: ["a", "a"],
    value: ["a", "a", "b", "b"],
    errors: [],
  },
  {
    title: "duplicates where the stored list had none",
    schema: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    old: ["a"],
    value: ["a", "b", "b"],
    errors: ['f[2]: Duplicate value: "b"'],
  },
];
for (const { title, schema, old, value, errors } of changes)
  test(`an update reports ${title}`, () => assert.deepEqual(answers(schema, value, { old: { f: old } }), errors));

test("a write through the status endpoint is validated in its status alone, against the stored status", () => {
  const schema = buildSchema({
    type: "object",
    properties: { spec: letter, status: { type: "object", properties: { a: letter, b: letter } } },
  });
  const judge = (value: JsonObject, old?: JsonObject): readonly string[] =>
    validateValue(value, schema, { statusOnly: true, old }).map(formatFieldError);
  const wrong = { spec: "A", status: { a: "A", b: "B" } };
  const ofA = "status.a: Invalid value: \"A\": a in body should match '^[a-z]$'";
  const ofB = "status.b: Invalid value: \"B\": b in body should match '^[a-z]$'";
  assert.deepEqual(judge(wrong), [ofA, ofB]);
  assert.deepEqual(judge(wrong, { status: { a: "A" } }), [ofB]);
  assert.deepEqual(judge(wrong, { spec: "A" }), [ofA, ofB]);
  assert.deepEqual(judge({ spec: "A" }), []);
  const without = buildSchema({ type: "object", properties: { spec: letter } });
  assert.deepEqual(validateValue(wrong, without, { statusOnly: true }), []);
  assert.deepEqual(validateValue(wrong, schema, {}).map(formatFieldError), [
    "spec: Invalid value: \"A\": spec in body should match '^[a-z]$'",
    ofA.replace(": a in", ": status.a in"),
    ofB.replace(": b in", ": status.b in"),
  ]);
});

test("errors begin with the path of the value, and with <nil> for a whole resource", () => {
  const wrong = 'Invalid value: "string": %s in body must be of type object: "string"';
  const schema = buildSchema({ type: "object", required: ["a"], properties: { b: letter } });
  assert.deepEqual(validateValue("x", schema).map(formatFieldError), [`<nil>: ${wrong.replace("%s", "")}`]);
  assert.deepEqual(validateValue("x", schema, { path: "spec" }).map(formatFieldError), [
    `spec: ${wrong.replace("%s", "")}`,
  ]);
  assert.deepEqual(validateValue({ b: "B" }, schema, { path: "spec" }).map(formatFieldError), [
    "spec.b: Invalid value: \"B\": b in body should match '^[a-z]$'",
    "spec.a: Required value",
  ]);
});
