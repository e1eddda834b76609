import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

/** Runs all pending microtasks. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

test("a small pass is not deferred, a large one is until other loops have made passes in proportion", () => {
  const pace = new Pace();
  assert.equal(pace.deferUntil(7), undefined);
  const due = pace.deferUntil(800) ?? 0;
  for (let passes = 0; passes < 99; passes++) pace.count();
  assert.equal(pace.isOver(due), false);
  pace.count();
  assert.equal(pace.isOver(due), true);
});

test("a deferred key waits while other loops work, and no longer", async () => {
  const pace = new Pace();
  const woken: string[] = [];
  const wait = (name: string, due: number): void => void pace.until(due, () => undefined).then(() => woken.push(name));
  for (let loops = 0; loops < 3; loops++) pace.begin();
  wait("late", 200);
  wait("early", 100);
  await turn();
  assert.deepEqual(woken, []);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["early"]);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["early", "late"]);
});

test("a waiting loop is woken by a key that is not deferred, and counts as working immediately", async () => {
  const pace = new Pace();
  const woken: string[] = [];
  let interrupt = (): void => undefined;
  pace.begin();
  pace.begin();
  void pace.until(100, (end) => (interrupt = end)).then(() => woken.push("interrupted"));
  void pace.until(200, () => undefined).then(() => woken.push("deferred"));
  interrupt();
  await turn();
  assert.deepEqual(woken, ["interrupted"]);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["interrupted", "deferred"]);
});
