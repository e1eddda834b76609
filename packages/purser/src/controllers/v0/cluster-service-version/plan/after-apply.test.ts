import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallOutcome } from "../../../../rollout/plan/strategy/install-outcome.ts";
import { afterApply } from "./after-apply.ts";
import { csvAt, now, worldOf } from "./testing/csv-world.ts";

const certificates = { lastUpdated: now - 1_000, rotateAt: now + 3_600_000 };
const table: readonly (readonly [string, InstallOutcome, readonly string[]])[] = [
  [
    "an install",
    { kind: "installed" },
    [
      "Installing/InstallSucceeded: waiting for install components to report healthy",
      "certificates: undefined, undefined",
    ],
  ],
  [
    "an install that issued certificates",
    { kind: "installed", certificates },
    [
      "Installing/InstallSucceeded: waiting for install components to report healthy",
      "certificates: 2026-01-01T00:09:59Z, 2026-01-01T01:10:00Z",
    ],
  ],
  [
    "a failed install",
    { kind: "failed", message: "no" },
    ["Failed/InstallComponentFailed: install strategy failed: no", "certificates: undefined, undefined", "retry: no"],
  ],
  [
    "a denied install",
    { kind: "forbidden", message: "install strategy failed: deployments.apps is forbidden" },
    [
      "Failed/InstallComponentFailedNoRetry: install strategy failed: install strategy failed: deployments.apps is forbidden",
      "certificates: undefined, undefined",
      "retry: install strategy failed: deployments.apps is forbidden",
    ],
  ],
  ["an install without its account", { kind: "noAccount", message: "not found" }, ["write", "retry: not found"]],
];

for (const [what, outcome, expected] of table)
  test(`after ${what} the CSV shows its phase, with one event, and a failure is retried`, () => {
    const { actions, retry, recheckAfterMs } = afterApply(worldOf(csvAt("op.v1", "InstallReady")), outcome, now);
    const lines = actions.flatMap((action): readonly string[] => {
      if (action.kind !== "status") return [action.kind];
      const { phase, reason, message, certsLastUpdated, certsRotateAt, conditions = [] } = action.status;
      assert.deepEqual(action.announce, { phase, reason, message });
      assert.deepEqual(
        conditions.map((entry) => [entry.phase, entry.reason, entry.message]),
        [[phase, reason, message]],
      );
      return [`${phase}/${reason}: ${message}`, `certificates: ${certsLastUpdated}, ${certsRotateAt}`];
    });
    assert.deepEqual([...lines, ...(retry === undefined ? [] : [`retry: ${retry}`])], expected);
    assert.equal(recheckAfterMs, undefined);
  });
