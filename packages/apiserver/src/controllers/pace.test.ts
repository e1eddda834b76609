import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

/** Lets everything happen that waits for nothing. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

test("a small pass needs no rest, a large one rests until others have made passes in proportion", () => {
  const pace = new Pace();
  assert.equal(pace.restAfter(7), undefined);
  const due = pace.restAfter(800) ?? 0;
  for (let passes = 0; passes < 99; passes++) pace.count();
  assert.equal(pace.isOver(due), false);
  pace.count();
  assert.equal(pace.isOver(due), true);
});

test("who rests waits while another works, and no longer once nobody does", async () => {
  const pace = new Pace();
  const woken: string[] = [];
  const rest = (name: string, due: number): void => void pace.until(due, () => undefined).then(() => woken.push(name));
  for (let loops = 0; loops < 3; loops++) pace.begin();
  rest("late", 200);
  rest("early", 100);
  await turn();
  assert.deepEqual(woken, []);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["early"]);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["early", "late"]);
});

test("who rests is woken by work that may be done at once, and works from that moment on", async () => {
  const pace = new Pace();
  const woken: string[] = [];
  let interrupt = (): void => undefined;
  pace.begin();
  pace.begin();
  void pace.until(100, (end) => (interrupt = end)).then(() => woken.push("interrupted"));
  void pace.until(200, () => undefined).then(() => woken.push("rested"));
  interrupt();
  await turn();
  assert.deepEqual(woken, ["interrupted"]);
  pace.end();
  await turn();
  assert.deepEqual(woken, ["interrupted", "rested"]);
});
