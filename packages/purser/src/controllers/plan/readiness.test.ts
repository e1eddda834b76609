import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { kstatusOf } from "../../engine/testing/kstatus.ts";
import { stalledOf } from "../../installation/stalled.ts";
import { type Readiness, withReadiness } from "./readiness.ts";

const time = "2026-01-01T00:00:00Z";
const later = "2026-01-01T01:00:00Z";
const lines = (conditions: readonly Condition[]): readonly string[] =>
  conditions.map(({ type, status, reason, message, lastTransitionTime }) =>
    [`${type}=${status}`, reason, lastTransitionTime.slice(11, 13), message].join(" ").trimEnd(),
  );
const stalled: Readiness = {
  kind: "stalled",
  reason: "RolloutFailed",
  blockedBy: "Object x: no",
  nextRetry: "at once",
};
const reconciling = { kind: "reconciling", reason: "r", message: "m" } as const;
const paused: Readiness = { kind: "paused", reason: "Paused", message: "p" };
const judged = (kind: string, conditions: readonly Condition[], metadata = {}): string =>
  kstatusOf({ apiVersion: "olm.operatorframework.io/v1", kind, metadata, status: { conditions } } as KubeObject);
const shown = (readiness: Readiness): readonly string[] =>
  lines(withReadiness([], readiness, { observedGeneration: 2, time }));

test("exactly the conditions of the state are True", () => {
  assert.deepEqual(shown({ kind: "ready", reason: "Succeeded", message: "done" }), [
    "Ready=True Succeeded 00 done",
    "Reconciling=False Succeeded 00",
    "Stalled=False Succeeded 00",
  ]);
  assert.deepEqual(shown({ kind: "reconciling", reason: "RollingOut", message: "one of two" }), [
    "Ready=False RollingOut 00 one of two",
    "Reconciling=True RollingOut 00 one of two",
    "Stalled=False RollingOut 00",
  ]);
  assert.deepEqual(shown(stalled), [
    "Ready=False RolloutFailed 00 Object x: no",
    "Reconciling=False RolloutFailed 00",
    `Stalled=True RolloutFailed 00 stuckSince ${time}; blockedBy Object x: no; nextRetry at once`,
  ]);
  assert.deepEqual(shown(paused), [
    "Ready=False Paused 00 p",
    "Reconciling=False Paused 00",
    "Stalled=False Paused 00",
  ]);
});

const befores: readonly (readonly [what: string, before: Readiness, ready: string, kstatus: string])[] = [
  ["is ready", { kind: "ready", reason: "r", message: "" }, "Ready=True Paused 00 p", "Current"],
  ["serves while it is reconciled", { ...reconciling, isUsable: true }, "Ready=True Paused 00 p", "Current"],
  ["is stalled and serves", { ...stalled, isUsable: true }, "Ready=True Paused 00 p", "Current"],
  ["is reconciled", reconciling, "Ready=False Paused 00 p", "InProgress"],
  ["is stalled", stalled, "Ready=False Paused 00 p", "InProgress"],
];
for (const [what, before, ready, kstatus] of befores)
  test(`a pause of what ${what} leaves Ready as it is, also in later passes, and kstatus reads ${kstatus}`, () => {
    const was = withReadiness([], before, { observedGeneration: 2, time });
    const once = withReadiness(was, paused, { observedGeneration: 2, time: later });
    assert.deepEqual(lines(once), [
      ready,
      `Reconciling=False Paused ${before.kind === "reconciling" ? "01" : "00"}`,
      `Stalled=False Paused ${before.kind === "stalled" ? "01" : "00"}`,
    ]);
    assert.deepEqual(withReadiness(once, paused, { observedGeneration: 2, time: "2026-01-01T02:00:00Z" }), once);
    assert.equal(judged("ClusterExtension", once), kstatus);
  });

const kinds = ["ClusterCatalog", "ClusterExtension", "ClusterObjectSet"];
const states: readonly (readonly [what: string, readiness: Readiness, kstatus: string])[] = [
  ["is ready", { kind: "ready", reason: "r", message: "" }, "Current"],
  ["is reconciled", reconciling, "InProgress"],
  ["is read again and serves", { ...reconciling, isUsable: true }, "InProgress"],
  ["is stalled", stalled, "Failed"],
  ["is stalled and serves", { ...stalled, isUsable: true }, "Failed"],
  ["is paused before it was ready", paused, "InProgress"],
];
for (const [what, readiness, kstatus] of states)
  test(`kstatus reads of an object that ${what}: ${kstatus}, and Terminating once it is deleted`, () => {
    const conditions = withReadiness([], readiness, { observedGeneration: 2, time });
    assert.deepEqual(
      kinds.map((kind) => [judged(kind, conditions), judged(kind, conditions, { deletionTimestamp: time })]),
      kinds.map(() => [kstatus, "Terminating"]),
    );
  });

test("what still serves is Ready while it is read again or cannot be", () => {
  const reading: Readiness = { kind: "reconciling", reason: "Reading", message: "m", isUsable: true };
  assert.deepEqual(shown(reading).slice(0, 2), ["Ready=True Reading 00 m", "Reconciling=True Reading 00 m"]);
  assert.equal(shown({ ...stalled, isUsable: true })[0], "Ready=True RolloutFailed 00 Object x: no");
});

test("a state that lasts changes nothing, and another cause keeps the time since when nothing moves", () => {
  const before = withReadiness([], stalled, { observedGeneration: 2, time });
  assert.deepEqual(withReadiness(before, stalled, { observedGeneration: 2, time: later }), before);
  const other = withReadiness(
    before,
    { ...stalled, blockedBy: "Object y: no" },
    { observedGeneration: 2, time: later },
  );
  assert.equal(
    lines(other)[2],
    `Stalled=True RolloutFailed 00 stuckSince ${time}; blockedBy Object y: no; nextRetry at once`,
  );
});

test("a state that was left and comes back counts from its return", () => {
  const ready: Readiness = { kind: "ready", reason: "Succeeded", message: "" };
  const first = withReadiness([], stalled, { observedGeneration: 2, time });
  const healthy = withReadiness(first, ready, { observedGeneration: 2, time: "2026-01-01T00:30:00Z" });
  const again = withReadiness(healthy, stalled, { observedGeneration: 2, time: later });
  assert.equal(stalledOf(again)?.stuckSince, later);
});

test("a given time since when nothing moves is shown, also before the condition is", () => {
  const given = withReadiness([], { ...stalled, stuckSince: time }, { observedGeneration: undefined, time: later });
  assert.deepEqual(stalledOf(given), {
    reason: "RolloutFailed",
    stuckSince: time,
    blockedBy: "Object x: no",
    nextRetry: "at once",
  });
  assert.equal("observedGeneration" in (given[0] ?? {}), false);
});

test("nothing is read from a condition Stalled that is absent, False or of another writer", () => {
  assert.equal(stalledOf(undefined), undefined);
  const ready = withReadiness([], { kind: "ready", reason: "R", message: "" }, { observedGeneration: 1, time });
  assert.equal(stalledOf(ready), undefined);
  const foreign = { type: "Stalled", status: "True", reason: "R", message: "hm", lastTransitionTime: time } as const;
  assert.equal(stalledOf([foreign]), undefined);
  const message = `stuckSince ${time}; blockedBy a; nextRetry b`;
  assert.equal(stalledOf([{ ...foreign, status: "False", message }]), undefined);
});
