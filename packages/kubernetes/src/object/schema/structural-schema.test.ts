import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../../json.ts";
import { formatFieldError, formatFieldErrors } from "../field-error.ts";
import { compileSchema } from "./structural-schema.ts";
import { validateValue } from "./validate.ts";
import { acceptedOddities, ruledSpec, ruleVectors, schemaRefusals, withField } from "../testing/schema-vectors.ts";

const prefix = "S";

function problemsOf(schema: JsonObject): readonly string[] {
  const result = compileSchema(schema, { path: prefix });
  return result.ok ? [] : result.problem.map(formatFieldError);
}

for (const [name, schema, expected] of schemaRefusals) {
  test(`schema problem ${name}`, () => {
    const found = problemsOf(schema);
    assert.ok(found.includes(expected), JSON.stringify(found, null, 1));
  });
}

test("metadata may not be specified in a branch, and the problem has its path", () =>
  assert.deepEqual(
    problemsOf(
      withField({
        type: "object",
        properties: { metadata: { type: "object" } },
        anyOf: [{ properties: { metadata: {} } }],
      }),
    ),
    ["S.properties[a].anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"],
  ));

test("compile errors of a rule have the compiler's text after the rule", () => {
  const [text] = problemsOf(withField({ type: "string", "x-kubernetes-validations": [{ rule: "self.zz" }] }));
  assert.match(
    text ?? "",
    /^S\.properties\[a\]\.x-kubernetes-validations\[0\]\.rule: Invalid value: \{.*\}: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection/,
  );
  const [other] = problemsOf(withField({ type: "integer", "x-kubernetes-validations": [{ rule: "self + 1" }] }));
  assert.match(other ?? "", /: cel expression must evaluate to a bool$/);
});

for (const [index, schema] of acceptedOddities.entries()) {
  test(`odd schema ${index} is accepted`, () => assert.deepEqual(problemsOf(schema), []));
}

function ruled(spec: JsonObject): (value: JsonValue, old?: JsonValue) => string {
  const compiled = compileSchema({ type: "object", properties: { spec } });
  assert.ok(compiled.ok, compiled.ok ? "" : formatFieldErrors(compiled.problem));
  return (value, old) =>
    formatFieldErrors(validateValue({ spec: value }, compiled.value, old === undefined ? {} : { old: { spec: old } }));
}

for (const [name, value, old, expected] of ruleVectors) {
  test(`validation rule ${name}`, () => assert.equal(ruled(ruledSpec)(value, old), expected));
}

test("an expensive rule is stopped by the cost limit", () => {
  const check = ruled({
    type: "object",
    properties: {
      l: {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, self.all(c, c == c)))" }],
      },
    },
  });
  assert.match(
    check({ l: Array.from({ length: 300 }, (_, i) => `${i}`) }),
    /call cost exceeds limit for rule: self\.all/,
  );
});

test("rules at every level of a schema do not make its check read the innermost one more often", () => {
  const readsWith = (isRuled: (level: number) => boolean): number => {
    let reads = 0;
    const rule = { rule: "has(self.below)" };
    let schema: JsonObject = {
      get type() {
        reads++;
        return "string";
      },
    };
    for (let level = 40; level >= 0; level--)
      schema = {
        type: "object",
        properties: { below: schema },
        ...(isRuled(level) ? { "x-kubernetes-validations": [rule] } : {}),
      };
    assert.ok(compileSchema(schema, { path: prefix }).ok);
    return reads;
  };
  assert.equal(
    readsWith(() => true),
    readsWith((level) => level === 0),
  );
});
