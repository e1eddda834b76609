import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resolution } from "../resolver/resolution.ts";
import { stepsPerSlice, stepwise } from "../resolver/resolution.ts";
import { resolveInSlices } from "./resolve-in-slices.ts";

function* counting(steps: number): Generator<undefined, number> {
  for (let step = 0; step < steps; step++) yield;
  return steps;
}

test("a resolution runs a few steps at a time, and other work gets its turn in between", async () => {
  let slices = 0;
  const inner = stepwise(counting(stepsPerSlice * 10));
  const watched: Resolution<number> = {
    run: (maxSteps) => {
      assert.equal(maxSteps, stepsPerSlice);
      slices++;
      return inner.run(maxSteps);
    },
  };
  let turns = 0;
  let over = false;
  const other = (): void => {
    turns++;
    if (!over) setImmediate(other);
  };
  setImmediate(other);
  assert.equal(await resolveInSlices(watched, new AbortController().signal), stepsPerSlice * 10);
  over = true;
  assert.equal(slices, 11);
  assert.ok(turns >= 10, `${turns} turns`);
});

test("an aborted resolution stops at the end of its slice and does nothing more", async () => {
  const stop = new AbortController();
  let steps = 0;
  const endless = stepwise(
    (function* (): Generator<undefined, never> {
      for (;;) {
        steps++;
        if (steps === stepsPerSlice * 3) stop.abort();
        yield;
      }
    })(),
  );
  await assert.rejects(resolveInSlices(endless, stop.signal), { name: "AbortError" });
  assert.equal(steps, stepsPerSlice * 3);
});
