import assert from "node:assert/strict";
import { test } from "node:test";
import { isValid, mutantsOf, planted, sampleOf } from "./mutants.ts";

/** "before -> after" of every mutant of a text. */
const changes = (text: string): readonly string[] =>
  mutantsOf("x.ts", text).map(({ before, after }) => `${before} -> ${after}`);

for (const [what, text, expected] of [
  ["a condition is always true and always false", "const x = a ? b : c;", ["a -> true", "a -> false"]],
  ["a loop is never entered", "while (a) b;", ["a -> false"]],
  ["a comparison moves its border and turns round", "const x = a < b;", ["a < b -> a <= b", "a < b -> a >= b"]],
  ["an equality turns round", "const x = a === b;", ["a === b -> a !== b"]],
  [
    "a logical operator changes and keeps its operands together",
    "const x = a && b && c;",
    ["a && b && c -> (a && b || c)", "a && b -> (a || b)"],
  ],
  ["a default stands for what is there", "const x = a ?? b;", ["a ?? b -> (a && b)"]],
  ["a negation is left out", "const x = !a;", ["!a -> a"]],
  ["arithmetic changes", "const x = a + b * c;", ["a + b * c -> (a - b * c)", "b * c -> (b / c)"]],
  ["texts are only joined", 'const x = a + "ms" + b;', ['"ms" -> ""']],
  ["a counter runs the other way", "a++;", ["a++ -> a--"]],
  ["an assignment changes", "a -= 1;", ["a -= 1 -> a += 1"]],
  ["a boolean changes", "const x = true;", ["true -> false"]],
  ["a string is emptied", 'const x = ["a", ""];', ['["a", ""] -> []', '"a" -> ""', '"" -> "mutated"']],
  ["an object is emptied, its keys stay", 'const x = { "a": 1 };', ['{ "a": 1 } -> ({})']],
  ["a block is emptied", "function f() { a = 1; }", ["{ a = 1; } -> {}"]],
  ["a call is not made", "f(a);", ["f(a); -> ;"]],
  ["a call is not awaited", "await f(a);", ["await f(a); -> ;", "await f(a); -> void f(a);"]],
  ["a method is another one", "const x = a.some(f);", ["some -> every"]],
  ["a filter is left out", "const x = a.filter(f);", ["a.filter(f) -> a"]],
  ["chaining is not optional", "const x = a?.b?.[0];", ["?.b -> .b", "?.[0] -> [0]"]],
  [
    "a result that may be undefined is",
    "function f(): string | undefined { return a; }",
    ["{ return a; } -> {}", "a -> undefined"],
  ],
] as const)
  test(`${what}: ${text}`, () => assert.deepEqual(changes(text).toSorted(), [...expected].toSorted()));

for (const [what, text] of [
  ["types", 'type A = "a" | "b"; interface B { readonly c: "d" } declare const e: "f";'],
  ["the type of an assertion", 'const x = a as "b";'],
  ["imports and exports of others", 'import a from "b"; export { c } from "d"; export * from "e";'],
  ["logging", 'log("warn", "a", { b: 1 }); console.error("c"); this.#log("d");'],
  ["a flag of the JavaScript engine", 'setFlagsFromString("--a=1"); v8.setFlagsFromString("--b");'],
  ["a condition for logging alone", 'if (a === 1) log("b");'],
  ["a sentence", 'const x = "waits for b";'],
  ["a template that is a sentence", "const x = `${a} waits for ${b}`;"],
  ["the default of a field that is always set", "const x = a.metadata.name;"],
  ["the default of an element", 'const [x = ""] = a;'],
  ["the default of a field that is always set and is taken apart", 'const { name = "", uid: own = "" } = a.metadata;'],
  ["the same in a parameter", 'function f({ metadata: { name = "" } }) {}'],
  ["a copy of a list", "const x = a.slice();"],
  ["a function that does nothing", "function f() {}"],
  ["a result that the compiler would refuse", "const x = () => a;"],
] as const)
  test(`nothing is mutated in ${what}: ${text}`, () => assert.deepEqual(changes(text), []));

test("a default that only the compiler asks for is not mutated, its operator is", () => {
  assert.deepEqual(changes('const x = a[0] ?? "";'), ['a[0] ?? "" -> (a[0] && "")']);
  assert.deepEqual(changes('const x = metadata.name ?? "";'), ['metadata.name ?? "" -> (metadata.name && "")']);
  assert.deepEqual(changes('const x = metadata.deletionTimestamp ?? "";'), [
    'metadata.deletionTimestamp ?? "" -> (metadata.deletionTimestamp && "")',
    '"" -> "mutated"',
  ]);
  for (const text of [
    'const { name = "" } = a.spec;',
    'const { labels = "" } = a.metadata;',
    'const f = ({ name = "" }) => {};',
  ])
    assert.deepEqual(changes(text).slice(0, 1), ['"" -> "mutated"'], text);
});

test("a branch for a bug is not left out, but may not be taken for others", () =>
  assert.deepEqual(changes('if (a) { throw new Error("b"); }'), ["a -> true"]));

test("the border of an order is not moved", () =>
  assert.deepEqual(changes("const x = a < b ? -1 : 1;"), ["a < b -> true", "a < b -> false", "a < b -> a >= b"]));

test("a mutant has its place and gives the whole text", () => {
  const text = "const a = 1;\nconst b = a === 1;\n";
  const [mutant] = mutantsOf("dir/x.ts", text);
  assert.ok(mutant !== undefined);
  assert.deepEqual(mutant, {
    path: "dir/x.ts",
    line: 2,
    column: 11,
    operator: "equality",
    start: 23,
    end: 30,
    before: "a === 1",
    after: "a !== 1",
  });
  assert.equal(planted(text, mutant), "const a = 1;\nconst b = a !== 1;\n");
  assert.equal(isValid(text, mutant), true);
  assert.equal(isValid(text, { ...mutant, after: "a !==" }), false);
});

test("a text that is not valid is refused", () =>
  assert.throws(() => mutantsOf("x.ts", "const"), /^Error: x\.ts is not valid TypeScript$/));

test("a sample follows from its seed, and a larger one begins with it", () => {
  const all = Array.from({ length: 100 }, (_, at) => at);
  const ten = sampleOf(all, 7, 10);
  assert.deepEqual(sampleOf(all, 7, 30).slice(0, 10), ten);
  assert.notDeepEqual(sampleOf(all, 8, 10), ten);
  assert.equal(new Set(ten).size, 10);
  assert.deepEqual(
    sampleOf(all, 7, 1000).toSorted((a, b) => a - b),
    all,
  );
});

test("what is not wanted takes no place of a sample", () => {
  const sample = sampleOf([1, 2, 3, 4, 5, 6], 1, 3, (one) => one % 2 === 0);
  assert.deepEqual(new Set(sample), new Set([2, 4, 6]));
});
