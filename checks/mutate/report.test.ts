import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mutant } from "./mutants.ts";
import type { Fate } from "./record.ts";
import { jsonOf, textOf } from "./report.ts";

const mutant = (path: string, start: number): Mutant => ({
  path,
  line: 3,
  column: 4,
  operator: "equality",
  start,
  end: start + 7,
  before: "a ===\n  1",
  after: "a !==\n  1",
});
const judged = (path: string, start: number, fate: Fate) => ({
  mutant: mutant(path, start),
  outcome: { fate, by: undefined },
});
const result = {
  version: "abc",
  seed: 7,
  candidates: 90,
  judged: [
    judged("packages/purser/src/bundle/x.ts", 9, "survived"),
    judged("packages/purser/src/bundle/x.ts", 1, "survived"),
    judged("packages/purser/src/bundle/x.ts", 2, "killed"),
    judged("packages/purser/src/bundle/x.ts", 3, "refused by the compiler"),
    judged("packages/purser/src/apis/x.ts", 4, "timed out"),
  ],
  unusable: ["packages/purser/src/bundle/y.test.ts"],
};

test("rooms are counted apart, what the compiler refuses is on neither side, survivors come by place", () =>
  assert.equal(
    textOf(result),
    `version abc, seed 7: 5 of 90 mutants
room           killed  timed out  survived  refused by the compiler  noticed
purser/apis         0          1         0                        0    100 %
purser/bundle       1          0         2                        1     33 %
all                 1          1         2                        1     50 %
packages/purser/src/bundle/x.ts:3:4  equality: a === 1 -> a !== 1
packages/purser/src/bundle/x.ts:3:4  equality: a === 1 -> a !== 1
left out, fails without a mutant: packages/purser/src/bundle/y.test.ts`,
  ));

test("JSON holds rooms and survivors with the whole change", () => {
  const { rooms, survivors, ...rest } = JSON.parse(jsonOf(result)) as Record<string, readonly unknown[]>;
  assert.deepEqual(rest, {
    version: "abc",
    seed: 7,
    candidates: 90,
    judged: 5,
    unusable: ["packages/purser/src/bundle/y.test.ts"],
  });
  assert.deepEqual(rooms?.[1], { room: "purser/bundle", killed: 1, timedOut: 0, survived: 2, refusedByCompiler: 1 });
  assert.deepEqual(survivors?.[0], {
    path: "packages/purser/src/bundle/x.ts",
    line: 3,
    column: 4,
    operator: "equality",
    before: "a ===\n  1",
    after: "a !==\n  1",
  });
});
