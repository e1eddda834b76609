import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallOutcome } from "../../../../rollout/plan/strategy/install-outcome.ts";
import { afterApply } from "./after-apply.ts";
import { planCsv } from "./plan-csv.ts";
import { returnPauseMs } from "./return-pause.ts";
import { csvAt, entered, worldOf } from "./testing/csv-world.ts";
import type { CsvWorld } from "./world.ts";

/** Seconds at which an unchanged CSV enters a phase within the given time, and the phases. */
function historyOf(
  start: ClusterServiceVersion,
  outcome: InstallOutcome,
  seconds: number,
  worldFor: (csv: ClusterServiceVersion) => CsvWorld,
): readonly string[] {
  const history: string[] = [];
  let csv = start;
  for (let time = entered; time <= entered + seconds * 1000;) {
    const world = worldFor(csv);
    const plan = planCsv(world, time);
    const installs = plan.actions.some(({ kind }) => kind === "install");
    const { actions, recheckAfterMs } = installs ? afterApply(world, outcome, time) : plan;
    const change = actions.find((action) => action.kind === "status");
    if (change === undefined) {
      if (recheckAfterMs === undefined) break;
      time += recheckAfterMs;
      continue;
    }
    csv = { ...csv, status: change.status };
    history.push(`${Math.round((time - entered) / 1000)} ${change.status.phase}/${change.status.reason}`);
    assert.ok(history.length < 200, "the CSV moves in a circle without a pause");
  }
  return history;
}

const deploying = (csv: ClusterServiceVersion): ClusterServiceVersion =>
  ({
    ...csv,
    spec: { ...csv.spec, install: { strategy: "deployment", spec: { deployments: [{ name: "d", spec: {} }] } } },
  }) as unknown as ClusterServiceVersion;

const inStrategy = (csv: ClusterServiceVersion): CsvWorld => {
  const world = worldOf(csv);
  return { ...world, strategy: { ...world.strategy, csv, siblings: [csv] } };
};

test("an attempt that the status dates in the future is not waited for: the clock was set back", () => {
  const status = {
    lastUpdateTime: "2026-01-01T12:00:00Z",
    conditions: [{ phase: "Failed", reason: "InstallComponentFailed", message: "m" }],
  } as unknown as ClusterServiceVersionStatus;
  const change = { phase: "Failed", reason: "InstallComponentFailed", message: "m" } as const;
  const pauseAt = (time: string): number => returnPauseMs(status, change, "reason", Date.parse(time));
  assert.equal(pauseAt("2026-01-01T12:00:00Z"), 2000);
  assert.equal(pauseAt("2026-01-01T12:00:01Z"), 1000);
  assert.equal(pauseAt("2026-01-01T12:00:02Z"), 0);
  assert.equal(pauseAt("2026-01-01T11:59:59Z"), 0);
  assert.equal(pauseAt("2025-01-01T12:00:00Z"), 0);
});

test("a lasting install error is attempted again after 0, 2, 4, 8, 16, 32 seconds and then every minute", () => {
  const history = historyOf(
    deploying(csvAt("op.v1", "Pending")),
    { kind: "failed", message: "Deployment is invalid" },
    600,
    inStrategy,
  );
  const attempts = history
    .filter((line) => line.endsWith("Failed/InstallComponentFailed"))
    .map((line) => parseInt(line));
  assert.deepEqual(attempts.slice(0, 7), [0, 0, 2, 6, 14, 30, 62]);
  assert.ok(attempts.length <= 18, `${attempts.length} attempts in ten minutes`);
  const gaps = attempts.slice(6).map((at, index, all) => at - (all[index - 1] ?? at));
  assert.ok(Math.max(...gaps) <= 61, `an attempt came after ${Math.max(...gaps)} s`);
});

test("a conversion webhook that an install does not make ready does not move the CSV in a circle", () => {
  const csv = csvAt("op.v1", "InstallReady");
  const webhook = { type: "ConversionWebhook", generateName: "c.g.io", conversionCRDs: ["as.g.io"] };
  const converting = {
    ...csv,
    spec: { ...csv.spec, webhookdefinitions: [webhook] },
  } as unknown as ClusterServiceVersion;
  const history = historyOf(converting, { kind: "installed" }, 600, inStrategy);
  const attempts = history.filter((line) => line.endsWith("Pending/NeedsReinstall"));
  assert.ok(attempts.length > 5 && attempts.length < 20, `${attempts.length} attempts in ten minutes`);
});

test("a CSV that succeeded for five seconds in between returns at once, one that failed sooner does not", () => {
  const failed = deploying(csvAt("op.v1", "Failed", "ComponentUnhealthy"));
  const [before, after] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"];
  const entry = (phase: string, reason: string, lastUpdateTime = before): object => ({ phase, reason, lastUpdateTime });
  const withHistory = (...conditions: readonly object[]): CsvWorld =>
    inStrategy({
      ...failed,
      status: { ...failed.status, lastUpdateTime: after, conditions },
    } as unknown as ClusterServiceVersion);
  const returned = entry("Pending", "NeedsReinstall");
  assert.deepEqual(planCsv(withHistory(returned), entered), { actions: [], recheckAfterMs: 2_001 });
  const succeeded = entry("Succeeded", "InstallSucceeded");
  const unhealthy = (time: string): object => entry("Failed", "ComponentUnhealthy", time);
  const lasting = withHistory(returned, succeeded, unhealthy("2026-01-01T00:00:05Z"));
  const [action] = planCsv(lasting, entered).actions;
  assert.equal(action?.kind === "status" ? action.status.phase : "", "Pending");
  const brief = withHistory(returned, succeeded, unhealthy("2026-01-01T00:00:04Z"));
  assert.deepEqual(planCsv(brief, entered), { actions: [], recheckAfterMs: 2_001 });
});

test("a configuration that was not rolled out before does not wait for the pause of former ones, the same change does", () => {
  const installing = deploying(csvAt("op.v1", "Installing", "InstallWaiting"));
  const time = "2026-01-01T00:00:00Z";
  const live = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "d",
      generation: 1,
      labels: {
        "olm.owner": "op.v1",
        "olm.owner.kind": "ClusterServiceVersion",
        "olm.owner.namespace": "ns",
        "olm.deployment-spec-hash": "old",
      },
    },
    status: { observedGeneration: 1, conditions: [{ type: "Available", status: "False" }] },
  } as unknown as Deployment;
  const planned = (...messages: readonly string[]): ReturnType<typeof planCsv> => {
    const conditions = messages.map((message) => ({
      phase: "InstallReady",
      reason: "InstallWaiting",
      lastUpdateTime: time,
      message,
    }));
    const csv = { ...installing, status: { ...installing.status, lastUpdateTime: time, conditions } };
    const world = inStrategy(csv as unknown as ClusterServiceVersion);
    return planCsv({ ...world, strategy: { ...world.strategy, deployments: [live] } }, entered);
  };
  const other = "installing: deployment changed old hash=older, new hash=old";
  const [action] = planned(other, other, other).actions;
  const message = action?.kind === "status" ? (action.status.message ?? "") : "";
  assert.match(message, /^installing: deployment changed old hash=old, new hash=\w+$/);
  assert.deepEqual(planned(other, message), { actions: [], recheckAfterMs: 2_001 });
  assert.deepEqual(planned(message, other, message), { actions: [], recheckAfterMs: 4_001 });
});

test("a strategy with a rule that is invalid stays Failed instead of moving between Failed and Pending", () => {
  const rules = [{ verbs: [], apiGroups: [""], resources: ["pods"] }];
  const csv = csvAt("op.v1", "Pending");
  const install = { strategy: "deployment", spec: { permissions: [{ serviceAccountName: "a", rules }] } };
  const invalid = { ...csv, spec: { ...csv.spec, install } } as unknown as ClusterServiceVersion;
  const accounts = new Map([["a", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } }]]);
  const history = historyOf(invalid, { kind: "installed" }, 600, (at) => ({
    ...inStrategy(at),
    serviceAccounts: accounts,
  }));
  assert.deepEqual(history, ["0 Failed/InvalidInstallStrategy"]);
});
