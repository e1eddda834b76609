import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { SingleFlight, Slots } from "./single-flight.ts";

const { signal } = new AbortController();
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("SingleFlight", () => {
  test("runs once for all who ask at the same time, and again afterwards", async () => {
    const flights = new SingleFlight<number>();
    let runs = 0;
    const run = async (): Promise<number> => ++runs;
    const both = await Promise.all([flights.join("a", signal, run), flights.join("a", signal, run)]);
    assert.deepEqual(both, [
      { started: true, value: 1 },
      { started: false, value: 1 },
    ]);
    assert.deepEqual(await flights.join("a", signal, run), { started: true, value: 2 });
    await Promise.all([flights.join("b", signal, run), flights.join("c", signal, run)]);
    assert.equal(runs, 4);
  });

  test("one that leaves takes the operation from nobody, the last one ends it", async () => {
    const flights = new SingleFlight<number>();
    let ended = false;
    const run = (inner: AbortSignal): Promise<number> =>
      new Promise((_, reject) =>
        inner.addEventListener("abort", () => {
          ended = true;
          reject(inner.reason as Error);
        }),
      );
    const [one, two] = [new AbortController(), new AbortController()];
    const joined = [flights.join("a", one.signal, run), flights.join("a", two.signal, run)];
    one.abort(new Error("one"));
    await assert.rejects(joined[0] ?? settled(), /one/);
    assert.equal(ended, false);
    two.abort(new Error("two"));
    await assert.rejects(joined[1] ?? settled(), /two/);
    assert.equal(ended, true);
    assert.deepEqual(await flights.join("a", signal, async () => 7), { started: true, value: 7 });
  });

  test("nothing listens to a signal whose operation has ended", async () => {
    const flights = new SingleFlight<number>();
    const asking = new AbortController();
    const joined = flights.join("a", asking.signal, async () => 1);
    assert.equal(getEventListeners(asking.signal, "abort").length, 1);
    await joined;
    assert.equal(getEventListeners(asking.signal, "abort").length, 0);
  });

  test("an error reaches all", async () => {
    const flights = new SingleFlight<number>();
    const run = async (): Promise<number> => {
      await settled();
      throw new Error("broken");
    };
    const joined = [flights.join("a", signal, run), flights.join("a", signal, run)];
    for (const one of joined) await assert.rejects(one, /broken/);
  });
});

describe("Slots", () => {
  test("never more at once than there are slots, in their order", async () => {
    const slots = new Slots(2);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 7 }, (_, index) =>
        slots.use(signal, async () => {
          order.push(index);
          most = Math.max(most, ++running);
          await settled();
          running--;
        }),
      ),
    );
    assert.equal(most, 2);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6]);
  });

  test("a failure and an aborted wait give their slot back", async () => {
    const slots = new Slots(1);
    await assert.rejects(
      slots.use(signal, () => Promise.reject(new Error("broken"))),
      /broken/,
    );
    let free = (): void => undefined;
    const holding = slots.use(signal, () => new Promise<void>((resolve) => (free = resolve)));
    const waiting = new AbortController();
    const aborted = slots.use(waiting.signal, () => Promise.resolve());
    waiting.abort(new Error("gone"));
    await assert.rejects(aborted, /gone/);
    free();
    await holding;
    assert.equal(await slots.use(signal, async () => "free"), "free");
  });
});
