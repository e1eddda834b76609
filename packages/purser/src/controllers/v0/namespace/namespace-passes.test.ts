import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { NamespacePasses } from "./namespace-passes.ts";

const signal = new AbortController().signal;

/** A controller whose passes end when the test says so, under observation. */
function observed() {
  const clock = new VirtualClock();
  const passes = new NamespacePasses(clock);
  const ends: PromiseWithResolvers<object>[] = [];
  const inner: Controller = {
    name: "inner",
    watches: [],
    wakes: [],
    concurrency: 1,
    passTimeoutMs: 1000,
    reconcile: () => {
      const end = Promise.withResolvers<object>();
      ends.push(end);
      return end.promise;
    },
  };
  const controller = passes.observing(inner);
  const pass = (name: string): Promise<unknown> => controller.reconcile({ name }, {} as ApplyContext).catch(String);
  return { clock, passes, pass, ends };
}

/** A wait for the namespace, and after how many virtual milliseconds it was over. */
function waitFor({ clock, passes }: ReturnType<typeof observed>, namespace: string) {
  const state: { overAt?: number } = {};
  const started = clock.monotonic();
  const over = async (): Promise<void> => {
    await passes.over(namespace, 1000, signal);
    state.overAt = clock.monotonic() - started;
  };
  return { state, wait: over() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("nobody waits for a namespace without a pass that is due", async () => {
  const world = observed();
  const running = world.pass("a");
  world.passes.expect("other");
  await world.passes.over("a", 1000, signal);
  world.ends[0]?.resolve({});
  await running;
});

test("a wait lasts until the pass that was due has ended, and through one that is due by then", async () => {
  const world = observed();
  world.passes.expect("a");
  const { state, wait } = waitFor(world, "a");
  const first = world.pass("a");
  world.passes.expect("a");
  world.ends[0]?.resolve({});
  await first;
  await turn();
  assert.equal(state.overAt, undefined);
  const second = world.pass("a");
  await turn();
  assert.equal(state.overAt, undefined);
  world.ends[1]?.resolve({});
  await second;
  await wait;
  assert.equal(state.overAt, 0);
});

test("a pass that fails is waited for until its retry has ended", async () => {
  const world = observed();
  world.passes.expect("a");
  const { state, wait } = waitFor(world, "a");
  const failing = world.pass("a");
  world.ends[0]?.reject(new Error("refused"));
  assert.equal(await failing, "Error: refused");
  await turn();
  assert.equal(state.overAt, undefined);
  const retry = world.pass("a");
  world.ends[1]?.resolve({});
  await retry;
  await wait;
  assert.equal(state.overAt, 0);
});

test("a pass that nobody expected is not waited for after it has failed", async () => {
  const world = observed();
  const failing = world.pass("a");
  world.ends[0]?.reject(new Error("refused"));
  await failing;
  await world.passes.over("a", 1000, signal);
});

test("a pass that does not end is waited for as long as the limit", async () => {
  const world = observed();
  world.passes.expect("a");
  const { state, wait } = waitFor(world, "a");
  world.clock.advance(999);
  await turn();
  assert.equal(state.overAt, undefined);
  world.clock.advance(1);
  await wait;
  assert.equal(state.overAt, 1000);
});

test("a wait ends with its signal", async () => {
  const world = observed();
  world.passes.expect("a");
  const ended = new AbortController();
  const wait = world.passes.over("a", 1000, ended.signal);
  ended.abort(new Error("stopped"));
  await assert.rejects(wait, /stopped/);
});
