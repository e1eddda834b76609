import assert from "node:assert/strict";
import { test } from "node:test";
import { fromJson } from "@purser/kubernetes/cel/cel";
import type { Values } from "./expression-budget.ts";
import { matchConditions } from "./match-conditions.ts";
import { judge } from "./policy-judgement.ts";
import { countedSteps } from "@purser/kubernetes/testing/counted-steps";

const data = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, "x"]));
const values: Values = new Map([["object", () => fromJson({ data }, { kind: "dyn" })]]);
const everyKey = "object.data.all(key, key != '')";

const twenty = <Item>(item: (index: number) => Item): Item[] => Array.from({ length: 20 }, (_, index) => item(index));

test("a policy with twenty rules over one object is judged with pauses", () => {
  const validations = twenty((index) => ({ expression: `${everyKey} && ${index} >= 0` }));
  const { value, pauses } = countedSteps(judge({ validations }, false, values));
  assert.deepEqual(value, []);
  assert.ok(pauses >= 8, `${pauses} pauses`);
});

test("a variable of a policy is evaluated with pauses before the rule that reads it, at the same cost", () => {
  const rules = {
    variables: [
      { name: "all", expression: "object.data.map(key, key)" },
      { name: "often", expression: "lists.range(20).map(n, variables.all.map(key, key)).size()" },
      { name: "unused", expression: "object.data.map(key, object.data)" },
    ],
    validations: [{ expression: "variables.often == 20 && variables.all.size() == 3000" }],
  };
  const { value, pauses } = countedSteps(judge(rules, false, values));
  assert.deepEqual(value, []);
  assert.ok(pauses >= 2, `${pauses} pauses`);
});

test("a variable that cannot be evaluated denies with its own text", () => {
  const rules = {
    variables: [{ name: "none", expression: "object.none" }],
    validations: [{ expression: "variables.none == 1" }],
  };
  assert.deepEqual(
    countedSteps(judge(rules, false, values)).value.map(({ message }) => message),
    [
      `expression 'variables.none == 1' resulted in error: composited variable "none" fails to evaluate: no such key: none`,
    ],
  );
});

test("the match conditions of a webhook over a large object are evaluated with pauses", () => {
  const conditions = twenty((index) => ({ name: `c${index}`, expression: `${everyKey} && ${index} >= 0` }));
  const input = { request: {}, object: { data }, oldObject: null };
  const { value, pauses } = countedSteps(matchConditions(conditions, input, null));
  assert.deepEqual(value, { kind: "call" });
  assert.ok(pauses >= 8, `${pauses} pauses`);
});
