import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../apis/object.ts";
import type { Needs, Plan } from "../plan.ts";
import { defineController, type ApplyContext, type Controller, type ReconcileSteps } from "./controller.ts";

type Seen = readonly string[];

/** Needs `b`, then `c`, and writes what it has seen. */
function plan(seen: Seen): Plan<string> | Needs<string> {
  if (!seen.includes("b")) return { needs: "b" };
  if (!seen.includes("c")) return { needs: "c" };
  return { actions: [seen.join(" ")], recheckAfterMs: 7 };
}

function staged(change: Partial<ReconcileSteps<Seen, string, string, string>> = {}) {
  const applied: string[] = [];
  const controller: Controller = defineController<Seen, string, KubeObject[], string, string>({
    name: "staged",
    watches: [],
    steps: {
      observe: async () => ["a"],
      plan,
      supply: async (seen, need) => [...seen, need],
      async apply(_key, action) {
        applied.push(action);
        return undefined;
      },
      ...change,
    },
  });
  const pass = (signal = new AbortController().signal) =>
    controller.reconcile({ name: "k" }, { now: 5, signal } as ApplyContext);
  return { applied, pass };
}

test("what a plan needs is supplied, one need after the other, and only the last plan is applied", async () => {
  const { applied, pass } = staged();
  assert.deepEqual(await pass(), { recheckAfterMs: 7 });
  assert.deepEqual(applied, ["a b c"]);
});

test("all stages of a pass see one time, and an outcome is judged on the last world", async () => {
  const times: number[] = [];
  const judged: Seen[] = [];
  const { pass } = staged({
    plan(seen, { now }) {
      times.push(now);
      return plan(seen);
    },
    apply: async () => "outcome",
    afterApply(seen) {
      judged.push(seen);
      return { actions: [] };
    },
  });
  await pass();
  assert.deepEqual(times, [5, 5, 5]);
  assert.deepEqual(judged, [["a", "b", "c"]]);
});

test("an aborted pass supplies nothing more and applies nothing", async () => {
  const stop = new AbortController();
  const supplied: string[] = [];
  const { applied, pass } = staged({
    async supply(seen, need) {
      supplied.push(need);
      stop.abort();
      return [...seen, need];
    },
  });
  await assert.rejects(pass(stop.signal), { name: "AbortError" });
  assert.deepEqual([supplied, applied], [["b"], []]);
});
