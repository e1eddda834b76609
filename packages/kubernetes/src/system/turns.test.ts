import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns, workPerTurn } from "./turns.ts";
import { settle } from "../kube/testing/settle.ts";

test("steps run each in its turn, and the first at once", async () => {
  const begun: number[] = [];
  let turn = 0;
  function* steps() {
    for (let step = 0; step < 3; step++) {
      begun.push(turn);
      yield;
    }
    return "end";
  }
  const turns = new Turns();
  turns.add(workPerTurn);
  const value = turns.through(steps());
  for (; turn < 6; turn++) await settle(1);
  assert.equal(await value, "end");
  // The second begins at the end of the turn in which the first ran, before this test counts it.
  assert.deepEqual(begun, [0, 0, 1]);
});
