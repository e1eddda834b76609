import assert from "node:assert/strict";
import { test } from "node:test";
import { flagsProblem, flagSet, flagText, transportProblem, wordsProblem } from "./opm-command.ts";

const line = (words: readonly [number, number] | { readonly atMost: number }) =>
  ({ path: "index add", words, flags: [] }) as never;

for (const [words, given, problem] of [
  [[1, 1], ["a"], undefined],
  [[1, 1], [], "accepts 1 arg(s), received 0"],
  [[1, 1], ["a", "b"], "accepts 1 arg(s), received 2"],
  [[0, 0], [], undefined],
  [[0, 0], ["a"], 'unknown command "a" for "opm index add"'],
  [[1, Infinity], ["a", "b"], undefined],
  [[1, Infinity], [], "requires at least 1 arg(s), only received 0"],
  [[1, 2], ["a", "b"], undefined],
  [[1, 2], ["a", "b", "c"], "accepts between 1 and 2 arg(s), received 3"],
  [{ atMost: 1 }, ["a"], undefined],
  [{ atMost: 1 }, ["a", "b"], "accepts at most 1 arg(s), received 2"],
] as const)
  test(`${JSON.stringify(words)} arguments with ${given.length} given: ${problem ?? "accepted"}`, () =>
    assert.equal(wordsProblem(line(words), given), problem));

const flags = [{ name: "b", required: true }, { name: "a", required: true }, { name: "c" }, { name: "d" }];
for (const [given, problem] of [
  [["a", "b"], undefined],
  [["a"], 'required flag(s) "b" not set'],
  [[], 'required flag(s) "a", "b" not set'],
  [["a", "b", "c"], undefined],
  [["a", "b", "d", "c"], "if any flags in the group [c d] are set none of the others can be; [c d] were all set"],
] as const)
  test(`the flags ${given.join(", ") || "of none"}: ${problem ?? "accepted"}`, () => {
    const values = new Map(given.map((name) => [name, ["x"]] as const));
    assert.equal(flagsProblem({ flags, exclusive: ["c", "d"] } as never, { values } as never), problem);
  });

test("the last value of a flag counts, and a fallback stands for none", () => {
  const parsed = { values: new Map([["a", ["1", "2"]]]) } as never;
  assert.deepEqual([flagText(parsed, "a"), flagText(parsed, "b"), flagText(parsed, "b", "x")], ["2", "", "x"]);
});

const invalid = "invalid flag combination:";
for (const [given, problem] of [
  [{ "skip-tls": "false", "use-http": "false" }, `${invalid} cannot use --use-http with --skip-tls`],
  [{ "skip-tls": "true", "skip-tls-verify": "false" }, `${invalid} cannot use --skip-tls-verify with --skip-tls`],
  [
    { "use-http": "true", "skip-tls-verify": "true" },
    `${invalid} --use-http and --skip-tls-verify cannot both be true`,
  ],
  [{ "use-http": "true", "skip-tls-verify": "false" }, undefined],
  [{ "use-http": "false", "skip-tls-verify": "true" }, undefined],
  [{ "skip-tls": "true" }, undefined],
  [{}, undefined],
] as const)
  test(`TLS flags ${JSON.stringify(given)}: ${problem ?? "accepted"}`, () => {
    const values = new Map(Object.entries(given).map(([name, value]) => [name, [value]] as const));
    assert.equal(transportProblem({ values } as never), problem);
  });

test("a flag is set when its last value is true", () => {
  const parsed = {
    values: new Map([
      ["a", ["false", "true"]],
      ["b", ["true", "false"]],
    ]),
  } as never;
  assert.deepEqual([flagSet(parsed, "a"), flagSet(parsed, "b"), flagSet(parsed, "c")], [true, false, false]);
});
