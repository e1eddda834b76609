import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { compileCel, fromJson, type CelProgram } from "./cel.ts";
import { EqualValues } from "./cel-equality.ts";
import { CelMap, CelUint, type CelValue, withIdentity } from "./cel-value.ts";
import { countedSteps } from "../counted-steps.ts";

/** Where a loop over many items may stand: `LOOP` is true after all of them. */
const places: readonly string[] = [
  "LOOP",
  "LOOP && true",
  "true && LOOP",
  "false || LOOP",
  "LOOP ? true : false",
  "true ? LOOP : false",
  "false ? false : LOOP",
  "!LOOP == false",
  "[LOOP][0]",
  "[true][LOOP ? 0 : 1]",
  "{'a': LOOP}.a",
  "{'a': LOOP}['a']",
  "has({'a': LOOP}.a)",
  "[1].all(one, one == 1 && LOOP)",
  "[1].exists(one, one == 1 && LOOP)",
  "[1].exists_one(one, LOOP)",
  "size([1].filter(one, LOOP)) == 1",
  "[1].map(one, LOOP)[0]",
  "[1].map(one, LOOP, one)[0] == 1",
  "optional.of(1).optMap(one, LOOP).value()",
];

const items = Array.from({ length: 30_000 }, (_, index) => index);
const variables = new Map([["items", fromJson(items, { kind: "list", items: { kind: "int" } })]]);

function programOf(rule: string): CelProgram {
  const compiled = compileCel(rule, {
    variables: new Map([["items", { kind: "list", items: { kind: "int" } }]]),
    library: "kubernetes",
  });
  assert.ok(compiled.ok, rule);
  return compiled.value;
}

for (const place of places)
  test(`${place}: goes through many items with pauses, to the same result at the same cost`, () => {
    const program = programOf(place.replaceAll("LOOP", "items.all(x, x >= 0)"));
    const options = { maxCost: 10_000_000 };
    const { value, pauses } = countedSteps(program.evaluateInSteps(variables, options));
    const atOnce = program.evaluate(variables, options);
    assert.deepEqual(value, atOnce);
    assert.ok(atOnce.ok && atOnce.value.value === true);
    assert.ok(pauses >= Math.floor(atOnce.value.cost / 20_000) - 1, `${pauses} pauses`);
  });

for (const [macro, rule] of [
  ["exists", "items.exists(x, x < 0) == false"],
  ["exists_one", "items.exists_one(x, x == 5)"],
  ["map", "size(items.map(x, x + 1)) == 30000"],
  ["filter", "size(items.filter(x, x > 10)) > 0"],
] as const)
  test(`${macro} goes through many items with pauses`, () => {
    const { value, pauses } = countedSteps(programOf(rule).evaluateInSteps(variables, { maxCost: 10_000_000 }));
    assert.ok(value.ok && value.value.value === true);
    assert.ok(pauses >= 3, `${pauses}`);
  });

test("an evaluation with pauses ends at its cost limit", () => {
  const steps = programOf("items.all(x, x >= 0)").evaluateInSteps(variables, { maxCost: 50_000 });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  assert.ok(!step.value.ok && step.value.problem.kind === "cost");
});

/** Maps that count how often one of their members is read. */
function countedMaps(count: number): { readonly maps: readonly CelValue[]; readonly reads: () => number } {
  let reads = 0;
  const maps = Array.from({ length: count }, (_, index): CelValue => {
    const members = new Map<string, CelValue>([
      ["k", `key ${index}`],
      ["v", BigInt(index)],
    ]);
    return new CelMap({
      keys: () => [...members.keys()],
      get: (key) => {
        reads++;
        return typeof key === "string" ? members.get(key) : undefined;
      },
    });
  });
  return { maps, reads: () => reads };
}

for (const [rule, kind] of [
  ["a == b", "set"],
  ["a == b", "map"],
  ["size(a + b) == 5000", "set"],
  ["size(a + b) == 5000", "map"],
  ["size(a.distinct()) == 5000", undefined],
  ["sets.contains(a, b)", undefined],
  ["sets.equivalent(a, b)", undefined],
  ["sets.intersects(a, b.slice(4999, 5000))", undefined],
] as const)
  test(`${rule}, lists declared as ${kind ?? "neither sets nor maps"}: 5,000 items are not compared each with each`, () => {
    const { maps, reads } = countedMaps(5_000);
    const identity =
      kind === "map" ? ({ kind, keys: ["k"] } as const) : kind === "set" ? ({ kind } as const) : undefined;
    const listed = (items: readonly CelValue[]): CelValue =>
      identity === undefined ? items : withIdentity([...items], identity);
    const list = { kind: "list", items: { kind: "dyn" } } as const;
    const compiled = compileCel(rule, {
      variables: new Map([
        ["a", list],
        ["b", list],
      ]),
      library: "kubernetes",
    });
    assert.ok(compiled.ok, JSON.stringify(compiled));
    const variables = new Map([
      ["a", listed(maps)],
      ["b", listed(maps.toReversed())],
    ]);
    const outcome = compiled.value.evaluate(variables, { maxCost: 1e9 });
    assert.ok(outcome.ok && outcome.value.value === true, JSON.stringify(outcome.ok || outcome.problem));
    assert.ok(reads() < 20 * 5_000, `${reads()} reads`);
  });

test("values are found among others by equality, numbers whatever their types", () => {
  const values = new EqualValues([1n, "1", true, null, new Uint8Array([1]), 1.5, [1n, 2n], Number.NaN]);
  for (const [value, expected] of [
    [1, true],
    [new CelUint(1n), true],
    ["1", true],
    ["2", false],
    [false, false],
    [null, true],
    [new Uint8Array([1]), true],
    [new Uint8Array([2]), false],
    [1.5, true],
    [-0, false],
    [[1, 2], true],
    [[2n, 1n], false],
    [Number.NaN, false],
  ] as const)
    assert.equal(values.has(value), expected, inspect(value));
  assert.equal(new EqualValues([0n]).has(-0), true);
});
