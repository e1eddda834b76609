import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at } from "../../scene.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const S = "spec.validation.openAPIV3Schema";

function withSpec(spec: JsonObject): JsonObject {
  return { type: "object", properties: { spec } };
}

/** `field: message` of all causes. */
function causesOf(object: JsonObject): readonly string[] {
  const causes = at(object, "details", "causes");
  if (!Array.isArray(causes)) return [];
  return (causes as readonly JsonValue[]).filter(isJsonObject).map((cause) => {
    const [field, message] = [member(cause, "field"), member(cause, "message")];
    return `${typeof field === "string" ? field : ""}: ${typeof message === "string" ? message : ""}`;
  });
}

/** A row with all errors of a schema, in any order; empty when it is accepted. */
function schemaRow(name: string, schema: JsonObject, expected: readonly string[], version?: JsonObject): Row {
  return {
    row: 231,
    name,
    run: async (scene) => {
      const body = scene.definition("foos", "Foo", schema, version);
      const answer = await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body });
      assert.equal(answer.code, expected.length === 0 ? 201 : 422, answer.text);
      assert.deepEqual(causesOf(answer.object).toSorted(), expected.toSorted());
    },
  };
}

const schemaRows: readonly Row[] = [
  schemaRow("Q1 null at the root", { type: "object", nullable: true }, [
    `${S}.nullable: Forbidden: nullable cannot be true at the root`,
  ]),
  schemaRow(
    "Q6 additionalProperties true beside properties",
    withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: true }),
    [],
  ),
  schemaRow(
    "Q6 additionalProperties false beside properties",
    withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }),
    [`${S}.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ),
  schemaRow("Q6 additionalProperties false at the root", { type: "object", additionalProperties: false }, [
    `${S}.additionalProperties: Forbidden: must not be used at the root`,
  ]),
  schemaRow(
    "Q7 nested alternatives of an integer or a string",
    withSpec({ type: "object", anyOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }] }),
    [
      `${S}.properties[spec].anyOf[0].anyOf[0].type: Forbidden: must be empty to be structural`,
      `${S}.properties[spec].anyOf[0].anyOf[1].type: Forbidden: must be empty to be structural`,
    ],
  ),
  schemaRow(
    "Q8 below declared properties",
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
      anyOf: [{ properties: { spec: { properties: { b: {} } } } }],
    },
    [
      `${S}.properties[spec].properties[b]: Required value: because it is defined in ${S}.anyOf[0].properties[spec].properties[b]`,
    ],
  ),
  schemaRow(
    "Q9 hides what is not structural",
    withSpec({ type: "object", properties: { a: {} }, definitions: { d: { type: "string" } } }),
    [`${S}.properties[spec].definitions: Forbidden: definitions is not supported`],
  ),
  schemaRow(
    "Q13 an object where a text is declared",
    withSpec({ type: "object", properties: { a: { type: "string", default: { kind: "x" } } } }),
    [
      `${S}.properties[spec].properties[a].default: Invalid value: {"kind":"x"}: must not have unknown fields`,
      `${S}.properties[spec].properties[a].default: Invalid value: "object":  in body must be of type string: "object"`,
    ],
  ),
  schemaRow("Q14 a default of the root", { type: "object", default: {} }, [
    `${S}.default.apiVersion: Required value`,
    `${S}.default.kind: Required value`,
  ]),
  schemaRow("Q11 a lone backslash", withSpec({ type: "string", pattern: "\\" }), [
    `${S}.properties[spec].pattern: Invalid value: "\\\\": must be a valid regular expression, but isn't: error parsing regexp: trailing backslash at end of expression: \`\``,
  ]),
  schemaRow(
    "a status subresource allows only properties at the root",
    { type: "array", items: { type: "string" } },
    [
      `${S}.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
      `${S}.type: Invalid value: "array": must be object at the root`,
    ],
    { subresources: { status: {} } },
  ),
  {
    row: 232,
    name: "unknown formats are reported per type",
    run: async (scene) => {
      const properties = {
        a: { type: "string", format: "zork" },
        b: { type: "string", format: "int32" },
        c: { type: "integer", format: "duration" },
        d: { type: "integer", format: "int64" },
        e: { type: "string", format: "date-time" },
        f: { type: "object", format: "uuid" },
      };
      const body = scene.definition("foos", "Foo", withSpec({ type: "object", properties }));
      const answer = await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body });
      assert.equal(answer.code, 201, answer.text);
      const formats = ["duration", "int32", "uuid", "zork"];
      assert.deepEqual(
        answer.warnings.toSorted(),
        formats.map((format) => `unrecognized format "${format}"`),
      );
    },
  },
  {
    row: 232,
    name: "an update reports only new unknown formats",
    run: async (scene) => {
      const made = scene.definition("foos", "Foo", withSpec({ type: "string", format: "zork" }));
      await scene.define(made);
      const path = `${definitions}/foos.${scene.group}`;
      const labelled = await scene.merge(`${path}?dryRun=All`, { metadata: { labels: { a: "b" } } });
      assert.deepEqual(labelled.warnings, []);
    },
  },
  schemaRow(
    "K8 a rule is shown as the server holds it",
    withSpec({ type: "integer", "x-kubernetes-validations": [{ rule: "self.a == 1 && b" }] }),
    [
      `${S}.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == 1 \\u0026\\u0026 b","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection\n | self.a == 1 && b\n | ....^\nERROR: <input>:1:16: undeclared reference to 'b' (in container '')\n | self.a == 1 && b\n | ...............^`,
    ],
  ),
];

/** A row with all errors of an object, in any order. */
function valueRow(name: string, schema: JsonObject, spec: string, expected: readonly string[]): Row {
  return {
    row: 233,
    name,
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", withSpec(schema)));
      // As text, so that numbers are sent as written.
      const body = `{"apiVersion":"${scene.group}/v1","kind":"Foo","metadata":{"name":"t"},"spec":${spec}}`;
      const headers = { "content-type": "application/json" };
      const answer = await scene.ask({ method: "POST", path: `${path}?dryRun=All`, body, headers });
      assert.equal(answer.code, expected.length === 0 ? 201 : 422, answer.text);
      assert.deepEqual(causesOf(answer.object).toSorted(), expected.toSorted());
    },
  };
}

function integers(more: JsonObject): JsonObject {
  return { type: "array", items: { type: "integer", ...more } };
}

const valueRows: readonly Row[] = [
  valueRow("E4 an integer beyond 64 bits", integers({}), "[9223372036854775807, 100000000000000000000]", [
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec[1]',
    'spec[1]: Invalid value: "number": spec[1] in body must be of type integer: "number"',
  ]),
  valueRow("E9 limits of numbers that happen to be whole", { type: "number", minimum: 0.5 }, "0", []),
  valueRow("E9 doubles print as doubles", { type: "number", maximum: 5 }, "2500000.5", [
    "spec: Invalid value: 2.5000005e+06: spec in body should be less than or equal to 5",
  ]),
  valueRow("E11 a factor that integers cannot have", integers({ multipleOf: 0.5 }), "[3]", [
    '<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in spec[0]',
  ]),
  valueRow("E13 doubles lose their fraction", integers({ enum: [1, 2, 3] }), "[2.5]", [
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec[0]',
    'spec[0]: Invalid value: "number": spec[0] in body must be of type integer: "number"',
  ]),
  valueRow(
    "E27 equal errors of two schemas are reported once",
    { type: "object", additionalProperties: { type: "string" }, allOf: [{ required: ["a"] }, { required: ["a"] }] },
    "{}",
    [
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      "spec.a: Required value",
    ],
  ),
];

const celSpec: JsonObject = {
  type: "object",
  properties: {
    s: { type: "string", maxLength: 20 },
    n: { type: "integer" },
    list: { type: "array", maxItems: 5, items: { type: "integer" } },
    set: { type: "array", maxItems: 5, items: { type: "string", maxLength: 8 }, "x-kubernetes-list-type": "set" },
    objs: {
      type: "array",
      maxItems: 4,
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string", maxLength: 8 }, v: { type: "integer" } },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    m: { type: "object", maxProperties: 4, additionalProperties: { type: "string", maxLength: 8 } },
    nul: { type: "string", maxLength: 5, nullable: true },
    const: { type: "integer" },
  },
};

const celValue: JsonObject = {
  s: "hello",
  n: 7,
  list: [3, 1, 2],
  set: ["x", "y"],
  objs: [{ k: "a", v: 1 }, { k: "b" }],
  m: { a: "1" },
  nul: null,
  const: 5,
};

/** A row with the results of expressions, printed by a template; or the error of a failing one. */
function celRow(name: string, expected: readonly (readonly [string, string])[]): Row {
  return {
    row: 240,
    name,
    run: async (scene) => {
      const rules = expected.map(([expression], index) => ({
        rule: `[${expression}].size() == 0`,
        messageExpression: `'#${index} %s'.format([${expression}])`,
        message: `#${index}`,
      }));
      const path = await scene.define(
        scene.definition("foos", "Foo", withSpec({ ...celSpec, "x-kubernetes-validations": rules })),
      );
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec: celValue }) });
      assert.equal(answer.code, 422, answer.text);
      const wanted = expected.map(([, text], index) =>
        text.endsWith("…")
          ? `spec: Invalid value: "object": ${text.slice(0, -1)} evaluating rule: #${index}`
          : `spec: Invalid value: #${index} ${text}`,
      );
      assert.deepEqual(causesOf(answer.object).toSorted(), wanted.toSorted());
    },
  };
}

const celRows: readonly Row[] = [
  celRow("K10 templates print values as CEL writes them", [
    ["['a', self.s]", '["a", "hello"]'],
    ["{'b': [1], 'a': [2]}", '{"a":[2], "b":[1]}'],
    ["[1.5, 2.0]", "[1.500000, 2.000000]"],
    ["[duration('90s')]", '[duration("90s")]'],
    ["self.objs", '[{"k":"a", "v":1}, {"k":"b"}]'],
    ["'%f'.format([1234567.5])", "1,234,567.500000"],
    ["'%.0f'.format([2.5])", "2"],
    ["'%e'.format([123456.789])", "1.234568×10⁰⁵"],
    ["1000000.0", "1e+06"],
    ["type(self.objs[0])", "map"],
    ["timestamp('2024-01-01T00:00:00+01:00')", "2024-01-01T00:00:00+01:00"],
    [
      "'%d'.format([dyn(self.s)])",
      "error during formatting: decimal clause can only be used on integers, was given string…",
    ],
  ]),
  celRow("K10 sets and lists with keys add up as they are applied", [
    ["self.set + ['y', 'z']", '["x", "y", "z"]'],
    ["['y'] + self.set", '["y", "x", "y"]'],
    ["(self.set + ['z']) == ['z', 'y', 'x']", "true"],
    ["['y', 'x'] == self.set", "false"],
    ["self.objs + self.objs", '[{"k":"a", "v":1}, {"k":"b"}]'],
    ["has(self.nul)", "false"],
    ["self.?nul.hasValue()", "false"],
    ["self.const", "5"],
    ["self.__const__", "5"],
  ]),
  celRow("K6 what cannot be computed", [
    ["1 / (self.n - 7)", "division by zero…"],
    ["9223372036854775807 + self.n", "integer overflow…"],
    ["int(self.s)", "type conversion error from 'string' to 'int'…"],
    ["duration(self.s)", "type conversion error from 'string' to 'google.protobuf.Duration'…"],
    ["self.list[dyn(1.5)]", "unsupported index value 1.5 in list…"],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1h')", "timestamp overflow…"],
    ["quantity('1.5Gi').asInteger()", "cannot convert value to integer…"],
    ["self.list.transformMapEntry(i, v, {'same': i})", "insert failed: key same already exists…"],
  ]),
];

function ruleRefusal(name: string, rule: string, expected: string): Row {
  return {
    row: 240,
    name,
    run: async (scene: Scene) => {
      const schema = withSpec({ ...celSpec, "x-kubernetes-validations": [{ rule }] });
      const body = scene.definition("foos", "Foo", schema);
      const answer = await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body });
      assertAnswer(answer, { code: 422 });
      assert.ok(answer.message.includes(expected), `${answer.message}\n  has not\n  ${expected}`);
    },
  };
}

const ruleRows: readonly Row[] = [
  ruleRefusal(
    "K8 an invalid duration literal",
    "duration('1d') > duration('1s')",
    "ERROR: <input>:1:10: invalid duration argument",
  ),
  ruleRefusal(
    "K8 an invalid timestamp literal",
    "timestamp('2024-01-01') == timestamp(0)",
    "ERROR: <input>:1:11: invalid timestamp argument",
  ),
  ruleRefusal("K8 an invalid pattern literal", "self.s.matches('[')", "ERROR: <input>:1:16: invalid matches argument"),
  ruleRefusal(
    "K8 an invalid pattern for find",
    "self.s.find('(') == ''",
    "program instantiation failed: error parsing regexp: missing closing ): `(`",
  ),
  ruleRefusal(
    "K8 a literal that cannot be converted",
    "int('x') == 1",
    "program instantiation failed: type conversion error from 'string' to 'int'",
  ),
  ruleRefusal(
    "K8 an integer literal out of range",
    "self.n < 9223372036854775808",
    "ERROR: <input>:1:10: invalid int literal",
  ),
  ruleRefusal(
    "K8 a list of several types",
    "[1, 'a'].size() == 2",
    "ERROR: <input>:1:5: expected type 'int' but found 'string'",
  ),
  ruleRefusal(
    "K8 a format string with too many clauses",
    "'%s %s'.format(['a']) == ''",
    "ERROR: <input>:1:15: index 1 out of range",
  ),
  ruleRefusal(
    "K8 a format clause for another type",
    "'%d'.format(['a']) == ''",
    "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string",
  ),
  ruleRefusal(
    "K8 a condition that is not bool",
    "self.list.filter(x, x) == []",
    "ERROR: <input>:1:17: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'",
  ),
];

const counted: JsonObject = withSpec({ type: "object", properties: { replicas: { type: "integer" } } });

const lifeRows: readonly Row[] = [
  {
    row: 242,
    name: "violated rules of unchanged fields cause warnings",
    run: async (scene) => {
      const loose = withSpec({ type: "object", properties: { a: { type: "string" }, b: { type: "string" } } });
      const path = await scene.define(scene.definition("foos", "Foo", loose));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: { a: "x" } }) });
      const rule = { rule: "self != 'x'", message: "no x" };
      const field = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/x-kubernetes-validations";
      const answer = await scene.patch("json-patch", `${definitions}/foos.${scene.group}`, [
        { op: "add", path: field, value: [rule] },
      ]);
      assert.equal(answer.code, 200, answer.text);
      await eventually(async () => {
        const next = await scene.merge(`${path}/t?dryRun=All`, { metadata: { labels: { a: "b" } } });
        assertAnswer(next, { code: 200, warnings: ['spec.a: Invalid value: "x": no x'] });
      });
    },
  },
  {
    row: 249,
    name: "a change of group or plural is refused for that alone",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      const path = `${definitions}/foos.${scene.group}`;
      const group = await scene.merge(path, { spec: { group: "x.y" } });
      assert.deepEqual(causesOf(group.object), ['spec.group: Invalid value: "x.y": field is immutable']);
      const plural = await scene.merge(path, { spec: { names: { plural: "foz" } } });
      assert.deepEqual(causesOf(plural.object), ['spec.names.plural: Invalid value: "foz": field is immutable']);
    },
  },
  {
    row: 231,
    name: "Q29 selectable fields of one version while all versions share the schema",
    run: async (scene) => {
      const own = { served: true, schema: { openAPIV3Schema: counted } };
      const versions = [
        { name: "v1", storage: true, ...own, selectableFields: [{ jsonPath: ".spec.replicas" }] },
        { name: "v2", storage: false, ...own },
      ];
      const body = scene.definition("foos", "Foo", counted, {}, { versions });
      const answer = await scene.ask({ method: "POST", path: `${definitions}?dryRun=All`, body });
      assert.equal(answer.code, 422, answer.text);
      assert.deepEqual(causesOf(answer.object), [
        'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ]);
    },
  },
  {
    row: 243,
    name: "a scale supports neither create nor delete, and other subresources do not exist",
    run: async (scene) => {
      const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
      const path = await scene.define(scene.definition("foos", "Foo", counted, { subresources: { scale } }));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: { replicas: 1 } }) });
      const subject = `foos.${scene.group}`;
      for (const [method, verb] of [
        ["DELETE", "delete"],
        ["POST", "create"],
      ] as const)
        assertAnswer(await scene.ask({ method, path: `${path}/t/scale`, ...(method === "POST" ? { body: {} } : {}) }), {
          code: 405,
          message: `${verb} is not supported on resources of kind "${subject}"`,
        });
      assertAnswer(await scene.ask({ path: `${path}/t/nope` }), { code: 404, message: `${subject} "t" not found` });
    },
  },
  {
    row: 245,
    name: "a column has its declared format",
    run: async (scene) => {
      const column = { name: "R", type: "integer", format: "int32", jsonPath: ".spec.replicas" };
      const path = await scene.define(scene.definition("foos", "Foo", counted, { additionalPrinterColumns: [column] }));
      const table = await scene.ok({ path, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
      const columns = at(table, "columnDefinitions") as readonly JsonObject[];
      assert.deepEqual(
        columns.map((held) => [member(held, "name"), member(held, "format")]),
        [
          ["Name", "name"],
          ["R", "int32"],
        ],
      );
    },
  },
];

export const definitionDetailRows: readonly Row[] = [...schemaRows, ...valueRows, ...celRows, ...ruleRows, ...lifeRows];
