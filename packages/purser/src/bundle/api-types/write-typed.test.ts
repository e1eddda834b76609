import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { allSteps } from "@purser/kubernetes/steps";
import { writeListInSteps, writeTyped } from "./write-typed.ts";

const cases: readonly (readonly [given: string, type: string, value: JsonValue, text: string])[] = [
  [
    "members of a struct come in declared order, whatever the order given, and unknown ones are left out",
    "[]PolicyRule",
    [{ resources: ["a"], other: 1, verbs: ["get"], apiGroups: [""] }],
    '[{"verbs":["get"],"apiGroups":[""],"resources":["a"]}]',
  ],
  [
    "keys of a map are sorted, and those of any JSON too",
    "ObjectMeta",
    { labels: { b: "1", a: "2" }, annotations: { z: "", "A/b": "" } },
    '{"labels":{"a":"2","b":"1"},"annotations":{"A/b":"","z":""}}',
  ],
  [
    "keys that look like integers are sorted as texts",
    "ObjectMeta",
    { labels: { 9: "x", 10: "y", "-": "z" } },
    '{"labels":{"-":"z","10":"y","9":"x"}}',
  ],
  [
    "what HTML may misread is escaped, in keys and texts",
    "ObjectMeta",
    { name: "<a>&", labels: { "<": "\u2028" } },
    '{"name":"\\u003ca\\u003e\\u0026","labels":{"\\u003c":"\\u2028"}}',
  ],
  [
    "half of a character is written as Go writes it",
    "ObjectMeta",
    { name: "a\ud800", labels: { b: "1", a: "2" } },
    '{"name":"a\ufffd","labels":{"a":"2","b":"1"}}',
  ],
  [
    "a key that is special in JavaScript is one as any other",
    "ObjectMeta",
    JSON.parse('{"labels":{"__proto__":"x"}}') as JsonValue,
    '{"labels":{"__proto__":"x"}}',
  ],
  [
    "a schema in place of a list or a truth value is a struct",
    "ext.JSONSchemaProps",
    { type: "object", items: { type: "string", description: "d" }, additionalProperties: { type: "x", title: "t" } },
    '{"type":"object","items":{"description":"d","type":"string"},"additionalProperties":{"type":"x","title":"t"}}',
  ],
  ["null and an absent list", "Role", { rules: null }, '{"rules":null}'],
];

for (const [given, type, value, text] of cases)
  test(`writes as Go does: ${given}`, () => assert.equal(writeTyped(type, value), text));

test("a list is written in pieces of 1024 items with a pause between two, and the pieces are the whole", () => {
  const rules = Array.from({ length: 2500 }, (_, i) => ({ verbs: ["get"], resources: [`r${i}`] }));
  const steps = writeListInSteps("PolicyRule", rules);
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done !== true) {
      pauses++;
      continue;
    }
    assert.equal(step.value, writeTyped("[]PolicyRule", rules));
    break;
  }
  assert.equal(pauses, 2);
  assert.equal(allSteps(writeListInSteps("PolicyRule", [])), "[]");
});
