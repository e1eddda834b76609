import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { Turns, workPerTurn } from "./turns.ts";

/** Announces pieces of work and returns how many of them began in each turn of the event loop. */
async function begunPerTurn(turns: Turns, pieces: readonly number[]): Promise<readonly number[]> {
  let begun = 0;
  const perTurn: number[] = [];
  const all = pieces.map(async (work) => {
    await turns.before(work);
    begun++;
  });
  for (let seen = 0; seen < pieces.length;) {
    await Promise.resolve();
    await nextTurn();
    perTurn.push(begun - seen);
    seen = begun;
  }
  await Promise.all(all);
  return perTurn.filter((count) => count > 0);
}

test("no turn takes on more work than one turn may have", async () => {
  const perTurn = await begunPerTurn(
    new Turns(),
    Array.from({ length: 40 }, () => workPerTurn / 4),
  );
  assert.equal(Math.max(...perTurn) <= 8, true, `${perTurn.join(", ")}`);
  assert.equal(
    perTurn.reduce((sum, count) => sum + count, 0),
    40,
  );
});

test("work that fits into the turn begins without waiting, and work that was counted leaves less room", () => {
  const turns = new Turns();
  assert.equal(turns.before(workPerTurn / 2), undefined);
  turns.add(workPerTurn / 2);
  assert.notEqual(turns.before(1), undefined);
});

test("work larger than a turn begins nevertheless, and what was announced after it comes after it", async () => {
  const turns = new Turns();
  const order: string[] = [];
  const announce = async (name: string, work: number): Promise<void> => {
    await turns.before(work);
    order.push(name);
  };
  await Promise.all([announce("first", 1), announce("large", workPerTurn * 10), announce("small", 1)]);
  assert.deepEqual(order, ["first", "large", "small"]);
});
