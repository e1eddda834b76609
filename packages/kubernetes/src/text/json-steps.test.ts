import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../json.ts";
import { knownKeys } from "../known-keys.ts";
import { allSteps } from "../steps.ts";
import { parseJson } from "./json-document.ts";
import { parseJsonInSteps } from "./json-steps.ts";
import { TextError } from "./problem.ts";

/** What the reader makes of a text, or what it says of it. */
function outcome(read: () => JsonValue): { readonly value: JsonValue } | { readonly problem: string } {
  try {
    return { value: read() };
  } catch (problem) {
    assert.ok(problem instanceof TextError, String(problem));
    return { problem: problem.message };
  }
}

const longText = fc
  .array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 6 })
  .chain((values) =>
    fc.record({ values: fc.constant(values), keys: fc.array(fc.string(), { minLength: 1, maxLength: 5 }) }),
  )
  .map(({ values, keys }) => {
    const filler = "x".repeat(30_000);
    const list = [...values, ...Array.from({ length: 5 }, (_, number) => ({ [`k${number}`]: filler })), ...values];
    const members = keys.map((key, number) => [key, number === 0 ? list : (values[number % values.length] ?? null)]);
    return JSON.stringify({ a: 1, ...Object.fromEntries(members), "7": list, z: values, "3": 1 }, undefined, 1);
  });

test("a long text is read as in one go, in its order", () => {
  fc.assert(
    fc.property(longText, (text) => {
      const read = allSteps(parseJsonInSteps(text));
      assert.equal(JSON.stringify(read), JSON.stringify(parseJson(text)));
    }),
    { numRuns: 50 },
  );
});

test("a long text that breaks somewhere is refused in the same words", () => {
  const breaks = fc.constantFrom("", "}", "]", ",", ":", '"', "[", "{", "x", "1", " ");
  fc.assert(
    fc.property(longText, fc.nat(), breaks, fc.boolean(), (text, place, mark, isCut) => {
      const at = place % text.length;
      const broken = isCut ? text.slice(0, at) + mark : text.slice(0, at) + mark + text.slice(at + 1);
      const found = outcome(() => allSteps(parseJsonInSteps(broken)));
      assert.deepEqual(
        found,
        outcome(() => parseJson(broken)),
      );
    }),
    { numRuns: 200 },
  );
});

/** The object that is read of a text with these members, which is longer than a piece. */
function readMembers(keys: readonly string[]): Record<string, JsonValue> {
  const text = `{${keys.map((key) => `"${key}":"x"`).join(",")}}`;
  return allSteps(parseJsonInSteps(text)) as Record<string, JsonValue>;
}

const manyKeys = Array.from({ length: 20_000 }, (_, number) => `key-${number}`);

test("the keys of a large object are not listed again once it was read", () => {
  const read = readMembers(manyKeys);
  delete read["key-7"];
  assert.deepEqual(knownKeys(read), manyKeys);
});

for (const [which, keys] of [
  ["a key that occurs again", [...manyKeys, "key-5", "key-5"]],
  ["a key that is an index", [...manyKeys, "7"]],
  ["a key named __proto__", ["a", "__proto__", ...manyKeys]],
] as const)
  test(`the keys of a large object have JavaScript's order, with ${which}`, () => {
    const read = readMembers(keys);
    assert.deepEqual(knownKeys(read), Object.keys(read));
  });

test("the members of a large object, the items of a long list and what is nested are read in pieces", () => {
  const object = Object.fromEntries(Array.from({ length: 50_000 }, (_, number) => [`key-${number}`, "x"]));
  for (const value of [object, Object.keys(object), { a: { b: object } }, [[Object.keys(object)]]]) {
    let pauses = 0;
    const steps = parseJsonInSteps(JSON.stringify(value));
    while (steps.next().done !== true) pauses++;
    assert.ok(pauses >= 8, `${pauses} pauses`);
  }
});

test("a text that is nested too deeply is refused before V8 reads it", () => {
  const { parse } = JSON;
  let longest = 0;
  JSON.parse = (text: string, ...rest: []) => {
    longest = Math.max(longest, text.length);
    return parse(text, ...rest) as unknown;
  };
  try {
    for (const text of ["[".repeat(500_000), `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`])
      assert.deepEqual(
        outcome(() => allSteps(parseJsonInSteps(text))),
        { problem: "exceeded max depth" },
      );
  } finally {
    JSON.parse = parse;
  }
  assert.ok(longest < 100_000, `${longest} characters at once`);
});
