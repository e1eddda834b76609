import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion, RequirementStatus } from "../../../../apis/v0/cluster-service-version.ts";
import { afterApply } from "./after-apply.ts";
import { withWait } from "./csv-wait.ts";
import type { PhaseReason } from "./phase-status.ts";
import { csvAt, entered, member, now, type Phase } from "./testing/csv-world.ts";

const since = "2026-01-01T00:00:00Z";

/** The annotation that a pass without anything else to do writes; `undefined` without a write, null when it is removed. */
function written(csv: ClusterServiceVersion, time = now): string | null | undefined {
  const [action, ...others] = withWait({ actions: [] }, csv, time).actions;
  assert.deepEqual(others, []);
  if (action?.kind !== "write" || action.write.verb !== "patch") return undefined;
  const patch = action.write.patch as { readonly metadata: { readonly annotations: Record<string, string | null> } };
  return patch.metadata.annotations["purser.dev/state"];
}

function waiting(phase: Phase, reason: PhaseReason, message: string, replaces?: string): ClusterServiceVersion {
  const csv = csvAt("op.v1", phase, reason, replaces);
  return { ...csv, status: { ...csv.status, message } };
}

const shows = (reason: string, blockedBy: string, nextRetry: string, stuckSince = since): string =>
  JSON.stringify({ state: "Stalled", reason, stuckSince, blockedBy, nextRetry });

const withRequirements = (...statuses: readonly (readonly [string, string, string])[]): ClusterServiceVersion => {
  const csv = waiting("Pending", "RequirementsNotMet", "one or more requirements couldn't be found");
  const requirementStatus = statuses.map(([kind, name, status]) => ({ kind, name, status }));
  return { ...csv, status: { ...csv.status, requirementStatus: requirementStatus as unknown as RequirementStatus[] } };
};

const anObject = "when an object of the operator changes";
const table: readonly (readonly [what: string, csv: ClusterServiceVersion, text: string | undefined])[] = [
  [
    "with one unmet requirement names it",
    withRequirements(
      ["CustomResourceDefinition", "a.example.com", "Present"],
      ["CustomResourceDefinition", "b.example.com", "NotPresent"],
    ),
    shows("DependencyMissing", "CustomResourceDefinition b.example.com is NotPresent", "when a requirement changes"),
  ],
  [
    "with several unmet requirements counts the others",
    withRequirements(
      ["ServiceAccount", "sa", "PresentNotSatisfied"],
      ["CustomResourceDefinition", "b.example.com", "NotPresent"],
      ["CustomResourceDefinition", "c.example.com", "NotPresent"],
    ),
    shows("DependencyMissing", "ServiceAccount sa is PresentNotSatisfied, and 2 more", "when a requirement changes"),
  ],
  [
    "without a list of requirements shows the message",
    waiting("Pending", "RequirementsNotMet", "requirements not met"),
    shows("DependencyMissing", "requirements not met", "when a requirement changes"),
  ],
  [
    "that its operator forbids names the CSV that decides",
    waiting("Pending", "OperatorConditionNotUpgradeable", "operator is not upgradeable: m", "op.v0"),
    shows("NotUpgradeable", "operator is not upgradeable: m", "when ClusterServiceVersion op.v0 changes"),
  ],
  [
    "that nothing precedes names no CSV that decides",
    waiting("Pending", "OperatorConditionNotUpgradeable", "operator is not upgradeable: m"),
    shows("NotUpgradeable", "operator is not upgradeable: m", anObject),
  ],
  [
    "whose pods do not start",
    waiting("Installing", "InstallWaiting", "installing: waiting for d\nmore"),
    shows("RolloutStuck", "installing: waiting for d", anObject),
  ],
  [
    "whose installation failed",
    waiting("Failed", "InstallComponentFailed", "install strategy failed: m"),
    shows("RolloutFailed", "install strategy failed: m", `${anObject}, and with back-off`),
  ],
  [
    "that is not allowed to be installed",
    waiting("Failed", "InstallComponentFailedNoRetry", "install strategy failed: forbidden"),
    shows("PermissionDenied", "install strategy failed: forbidden", "30 seconds after each attempt"),
  ],
  [
    "without an OperatorGroup",
    waiting("Failed", "NoOperatorGroup", "csv in namespace with no operatorgroups"),
    shows("OperatorGroupMissing", "csv in namespace with no operatorgroups", "when an OperatorGroup is created"),
  ],
  [
    "with two OperatorGroups",
    waiting("Failed", "TooManyOperatorGroups", "m"),
    shows("OperatorGroupAmbiguous", "m", "when an OperatorGroup is deleted"),
  ],
  [
    "that does not support its OperatorGroup",
    waiting("Failed", "UnsupportedOperatorGroup", "m"),
    shows("InstallModeUnsupported", "m", "when the OperatorGroup changes"),
  ],
  [
    "whose APIs another group has",
    waiting("Failed", "InterOperatorGroupOwnerConflict", "m"),
    shows("ApiConflict", "m", "when an OperatorGroup or the other operator changes"),
  ],
  [
    "whose specification is wrong shows the reason of its phase",
    waiting("Failed", "InvalidInstallModes", "m"),
    shows("InvalidInstallModes", "m", "when the ClusterServiceVersion changes"),
  ],
  [
    "that is being replaced",
    waiting("Replacing", "BeingReplaced", "being replaced by csv: op.v2"),
    shows("BeingReplaced", "being replaced by csv: op.v2", "when the replacement changes"),
  ],
  ["on its way", waiting("InstallReady", "AllRequirementsMet", "m"), undefined],
  ["that succeeded", waiting("Succeeded", "InstallSucceeded", "m"), undefined],
  ["that is deleted", waiting("Deleting", "Replaced", "m"), undefined],
];
for (const [what, csv, text] of table)
  test(`a CSV ${what}: ${text === undefined ? "no state" : "its state"}`, () => assert.equal(written(csv), text));

test("the state is shown after half a minute, and until then is looked at again when that is over", () => {
  const csv = waiting("Failed", "InstallComponentFailed", "m");
  assert.equal(written(csv, entered + 29_999), undefined);
  assert.deepEqual(withWait({ actions: [], recheckAfterMs: 60_000 }, csv, entered + 29_999), {
    actions: [],
    recheckAfterMs: 1,
  });
  assert.equal(withWait({ actions: [], recheckAfterMs: 5 }, csv, entered).recheckAfterMs, 5);
  assert.notEqual(written(csv, entered + 30_000), undefined);
});

const stated = (csv: ClusterServiceVersion, text: string): ClusterServiceVersion => ({
  ...csv,
  metadata: { ...csv.metadata, annotations: { ...member, "purser.dev/state": text } },
});

test("a CSV that is stuck since a time in the future shows its state at once: the clock was set back", () => {
  const csv = waiting("Installing", "InstallWaiting", "not available");
  assert.equal(written(csv, entered), undefined);
  assert.notEqual(written(csv, entered - 1000), undefined);
});

test("a state that is shown is written again when it differs, with the time since which the CSV is stuck", () => {
  const early = "2025-12-31T00:00:00Z";
  const held = shows("RolloutFailed", "install strategy failed: m", `${anObject}, and with back-off`, early);
  const same = waiting("Failed", "InstallComponentFailed", "install strategy failed: m");
  assert.equal(written(stated(same, held)), undefined);
  const other = waiting("Failed", "InstallComponentFailed", "install strategy failed: other");
  assert.equal(
    written(stated(other, held), entered),
    shows("RolloutFailed", "install strategy failed: other", `${anObject}, and with back-off`, early),
  );
});

test("a state is removed when the CSV succeeded, whatever it says", () => {
  assert.equal(written(stated(waiting("Succeeded", "InstallSucceeded", "m"), "anything")), null);
});

test("a CSV is stuck since it left the phase Succeeded, not since its last phase began", () => {
  const entry = (phase: Phase, lastUpdateTime: string) => ({ phase, lastUpdateTime });
  const csv = waiting("Failed", "ComponentUnhealthy", "m");
  const history = [
    entry("Failed", "2025-12-01T00:00:00Z"),
    entry("Succeeded", "2025-12-02T00:00:00Z"),
    entry("Failed", "2025-12-03T00:00:00Z"),
    entry("Pending", "2025-12-04T00:00:00Z"),
  ];
  const whole = { ...csv, status: { ...csv.status, conditions: history } } as ClusterServiceVersion;
  assert.match(written(whole) ?? "", /"stuckSince":"2025-12-03T00:00:00Z"/);
});

test("a pass that changes something writes no state", () => {
  const csv = waiting("Failed", "InstallComponentFailed", "m");
  const action = { kind: "status", csv, status: {} } as const;
  assert.deepEqual(withWait({ actions: [action] }, csv, now).actions, [action]);
});

test("a copy has no state of its own", () => {
  assert.equal(written(waiting("Failed", "Copied" as PhaseReason, "m")), undefined);
});

test("a CSV whose account cannot be used shows that, which no phase does", () => {
  const csv = waiting("InstallReady", "AllRequirementsMet", "m");
  const { actions, retry } = afterApply({ csv }, { kind: "noAccount", message: "no account" }, now);
  assert.equal(retry, "no account");
  assert.equal(actions.length, 1);
  assert.match(
    JSON.stringify(actions[0]),
    /PermissionDenied.*no account.*when the OperatorGroup changes, and with back-off/,
  );
});
