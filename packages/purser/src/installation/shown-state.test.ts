import assert from "node:assert/strict";
import { test } from "node:test";
import type { Installation, InstallationState } from "./installation.ts";
import { hasUpdate, needsPerson, shownInstallation, shownStates, type Surroundings } from "./shown-state.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const installation = (state: InstallationState, more: Partial<Installation> = {}): Installation => ({
  api: "v1",
  reference: "ext/etcd",
  name: "etcd",
  packageName: "etcd",
  state,
  why: "",
  ...more,
});
const stalled = (stuckReason: string, stuckSince = "2026-01-01T00:50:00Z"): Partial<Installation> => ({
  stuck: { stuckSince, blockedBy: "Deployment etcd", nextRetry: "soon" },
  stuckReason,
});

test("the shown state follows from state, stall, newer version and rights", () => {
  const cases: readonly (readonly [Installation, Partial<Surroundings>, string])[] = [
    [installation("Ready"), {}, "Ready"],
    [installation("Ready"), { newer: "1.1.0" }, "Update"],
    [installation("Held"), { newer: "1.1.0" }, "Held"],
    [installation("Approve"), { newer: "1.1.0" }, "Approve"],
    [installation("Ready"), { newer: "1.1.0", unreadable: "you may not" }, "Unknown"],
    [installation("Upgrading", stalled("RolloutStuck")), {}, "Stuck"],
    [installation("Upgrading", stalled("RolloutStuck", "2026-01-01T00:50:01Z")), {}, "Upgrading"],
    [installation("Blocked", stalled("BundleUnavailable")), {}, "Stuck"],
    [installation("Blocked", stalled("ObjectOwnedElsewhere")), {}, "Stuck"],
    [installation("Installing", stalled("RolloutFailed")), {}, "Stuck"],
    [installation("Installing", stalled("CatalogUnavailable")), {}, "Stuck"],
    [installation("Blocked", stalled("NoUpgradePath")), {}, "Blocked"],
    [installation("Failed", stalled("RolloutFailed")), {}, "Failed"],
    [installation("Orphan", stalled("RolloutFailed")), {}, "Orphan"],
    [installation("Removing", stalled("RolloutFailed")), {}, "Removing"],
    [installation("Paused", stalled("RolloutFailed")), {}, "Paused"],
  ];
  for (const [one, more, expected] of cases) assert.equal(shownInstallation(one, { now, ...more }).state, expected);
});

test("what is stuck says since when and what it does not get past, an update its target", () => {
  const stuck = shownInstallation(installation("Upgrading", stalled("RolloutStuck")), { now });
  assert.deepEqual([stuck.since, stuck.why], ["2026-01-01T00:50:00Z", "Deployment etcd"]);
  const told = shownInstallation(installation("Upgrading", { ...stalled("RolloutStuck"), why: "no pod" }), { now });
  assert.equal(told.why, "no pod");
  assert.equal(shownInstallation(installation("Ready"), { now, newer: "1.1.0" }).target, "1.1.0");
  assert.equal(shownInstallation(installation("Ready"), { now, unreadable: "no right" }).why, "no right");
});

test("which states have an update, and which need a person", () => {
  const of = (rule: typeof hasUpdate) => shownStates.filter((state) => rule({ state, target: "1.1.0" }));
  assert.deepEqual(of(hasUpdate), ["Approve", "Update", "Held"]);
  assert.equal(hasUpdate({ state: "Approve" }), false, "a first installation is pending approval");
  assert.deepEqual(of(needsPerson), ["Approve", "Blocked", "Stuck", "Failed", "Orphan"]);
});
