import assert from "node:assert/strict";
import { test } from "node:test";
import { compacted, type Constraint, restrictedTo } from "./constraint-set.ts";

const constraint = (kind: Constraint["kind"], subject: number, ...others: readonly number[]): Constraint => ({
  kind,
  subject,
  others,
  limit: kind === "atMost" ? 1 : 0,
});
const set = {
  variables: 9,
  constraints: [
    constraint("mandatory", 7),
    constraint("dependency", 7, 5, 3),
    constraint("mandatory", 1),
    constraint("atMost", 3, 3, 5),
  ],
  anchors: [7, 1],
};

test("a restricted set has only anchors that are still mandatory, and keeps its numbers", () => {
  assert.deepEqual(restrictedTo(set, [3, 0, 9]), {
    variables: 9,
    constraints: [set.constraints[3], set.constraints[0]],
    anchors: [7],
  });
});

test("a compacted set numbers variables by first mention and knows the old numbers", () => {
  const step = compacted(restrictedTo(set, [0, 1, 3])).next();
  assert.deepEqual(step, {
    done: true,
    value: {
      set: {
        variables: 3,
        constraints: [constraint("mandatory", 0), constraint("dependency", 0, 1, 2), constraint("atMost", 2, 2, 1)],
        anchors: [0],
      },
      originals: [7, 5, 3],
    },
  });
});

/** How often the caller may pause while these many constraints with as many others each are numbered. */
function pauses(constraints: number, others: number): number {
  const one = constraint("atMost", 0, ...Array.from({ length: others }, (_, index) => index));
  const all = { variables: others, constraints: Array.from({ length: constraints }, () => one), anchors: [] };
  let count = 0;
  const steps = compacted(all);
  while (steps.next().done !== true) count++;
  return count;
}

test("the caller may pause after every 2048 renumbered cells, of which a constraint has four and one for each other", () => {
  assert.deepEqual(
    [
      pauses(1, 2043),
      pauses(1, 2044),
      pauses(511, 0),
      pauses(512, 0),
      pauses(1023, 0),
      pauses(1024, 0),
      pauses(3, 2044),
    ],
    [0, 1, 0, 1, 1, 2, 3],
  );
});
