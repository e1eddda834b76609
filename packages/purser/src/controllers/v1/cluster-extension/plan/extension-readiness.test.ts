import assert from "node:assert/strict";
import { test } from "node:test";
import { failed } from "@purser/kubernetes/result";
import { afterApply } from "./after-apply.ts";
import { planExtension } from "./plan-extension.ts";
import {
  after,
  bundleOf,
  extensionOf,
  now,
  revisionOf,
  wanting,
  worldOf,
  rendering,
} from "./testing/extension-world.ts";
import type { ExtensionDecision, ExtensionWorld } from "./world.ts";

const time = "2026-01-01T00:00:00Z";
const applied = wanting("1.0.0", rendering());
const succeeded = "Succeeded=True Succeeded: Revision succeeded rolling out.";
const rolled = "Progressing=True Succeeded: Revision 1.0.0 has rolled out.";
const available = "Available=True ProbesSucceeded: Objects are available and pass all probes.";
const under = "Progressing=True RollingOut: Revision 1.0.0 is rolling out.";
const nextRetry = "nextRetry when the extension, its bundle or its catalogs change";
const refusal: Extract<ExtensionDecision, { readonly kind: "refused" }> = {
  kind: "refused",
  upstream: "OLM's text",
  explanation: { code: "NoUpgradePath", summary: "no edge", facts: {}, derivation: [], remedies: [] },
};

/** `TYPE REASON: MESSAGE` of the conditions of readiness that are True after a pass. */
function shown(world: ExtensionWorld): readonly string[] {
  const plan = planExtension(world, now);
  const isApplied = plan.actions.some(({ kind }) => kind === "apply");
  const written = isApplied ? afterApply(world, { kind: "applied", name: "ext-1", created: false }, now) : plan;
  return (after(world.extension, written).status?.conditions ?? []).flatMap(({ type, status, reason, message }) =>
    ["Ready", "Reconciling", "Stalled"].includes(type) && status === "True" ? [`${type} ${reason}: ${message}`] : [],
  );
}

const table: readonly (readonly [string, ExtensionWorld, readonly string[]])[] = [
  ["whose first revision was just created", worldOf(applied), ["Reconciling Resolving: No revision reports yet"]],
  [
    "whose revision rolls out",
    worldOf(applied, { revisions: [revisionOf(1, "1.0.0", under)] }),
    ["Reconciling RollingOut: Revision 1.0.0 is rolling out."],
  ],
  [
    "whose revision is available",
    worldOf(applied, { revisions: [revisionOf(1, "1.0.0", rolled, available, succeeded)] }),
    ["Ready Succeeded: Installed bundle example.com/op:1.0.0 successfully"],
  ],
  [
    "whose installed revision broke",
    worldOf(applied, {
      revisions: [
        revisionOf(1, "1.0.0", rolled, "Available=False ProbeFailure: Object x: no\nObject y: no", succeeded),
      ],
    }),
    ["Reconciling ProbeFailure: Object x: no"],
  ],
  [
    "whose revision is stuck",
    worldOf(applied, {
      revisions: [
        revisionOf(
          1,
          "1.0.0",
          under,
          `Stalled=True RolloutStuck: stuckSince 2025-12-31T23:00:00Z; blockedBy Object x: no; nextRetry when an object of the revision changes`,
        ),
      ],
    }),
    [
      "Stalled RolloutStuck: stuckSince 2025-12-31T23:00:00Z; blockedBy revision ext-1: Object x: no; nextRetry when an object of the revision changes",
    ],
  ],
  [
    "whose newer revision rolls out beside a stalled installed one",
    worldOf(applied, {
      revisions: [
        revisionOf(
          1,
          "1.0.0",
          rolled,
          succeeded,
          `Stalled=True RolloutFailed: stuckSince ${time}; blockedBy a; nextRetry b`,
        ),
        revisionOf(2, "2.0.0", "Progressing=True RollingOut: Revision 2.0.0 is rolling out."),
      ],
    }),
    ["Reconciling RollingOut: Revision 2.0.0 is rolling out."],
  ],
  [
    "whose revision gave up and shows no readiness of its own",
    worldOf(applied, { revisions: [revisionOf(1, "1.0.0", "Progressing=False Blocked: a\nb")] }),
    [`Stalled Blocked: stuckSince ${time}; blockedBy a; ${nextRetry}`],
  ],
  [
    "that cannot be resolved while an older bundle is available",
    worldOf(refusal, { revisions: [revisionOf(1, "1.0.0", rolled, available, succeeded)] }),
    [`Stalled NoUpgradePath: stuckSince ${time}; blockedBy no edge; ${nextRetry}, and with back-off`],
  ],
  [
    "that cannot be resolved while its installed revision is stuck",
    worldOf(refusal, {
      revisions: [
        revisionOf(
          1,
          "1.0.0",
          under,
          succeeded,
          `Stalled=True RolloutStuck: stuckSince ${time}; blockedBy a; nextRetry b`,
        ),
      ],
    }),
    [`Stalled NoUpgradePath: stuckSince ${time}; blockedBy no edge; ${nextRetry}, and with back-off`],
  ],
  [
    "whose configuration is not valid",
    worldOf(wanting("1.0.0", failed({ message: "bad", reason: "InvalidConfiguration", violations: ["bad"] }))),
    [
      `Stalled ConfigurationInvalid: stuckSince ${time}; blockedBy ext: spec.config.inline does not fit the bundle; ${nextRetry}`,
    ],
  ],
  [
    "whose bundle is pulled again at a time",
    worldOf({
      kind: "want",
      wanted: {
        bundle: bundleOf("1.0.0"),
        content: { kind: "failing", since: now, cause: "host answered 503", remedy: "wait", retryAt: now + 2000 },
      },
    }),
    [
      `Stalled BundleUnavailable: stuckSince ${time}; blockedBy op.v1.0.0: host answered 503. Wait; ${nextRetry}, and at 2026-01-01T00:00:02Z`,
    ],
  ],
  [
    "whose dependencies are being installed",
    worldOf({ ...refusal, explanation: { ...refusal.explanation, code: "DependencyMissing" }, isComing: true }),
    ["Reconciling DependencyMissing: no edge"],
  ],
  [
    "whose bundle is being read",
    worldOf(wanting("1.0.0")),
    [
      'Reconciling RollingOut: error for resolved bundle "op.v1.0.0" with version "1.0.0": the bundle\'s content is being read',
    ],
  ],
];
for (const [what, world, expected] of table)
  test(`an extension ${what} shows what it waits for`, () => assert.deepEqual(shown(world), expected));

test("an extension whose state lasts is not written again", () => {
  const first = worldOf(refusal);
  const extension = after(first.extension, planExtension(first, now));
  assert.notEqual(extension.status, extensionOf().status);
  assert.deepEqual(planExtension({ ...first, extension }, now + 3_600_000).actions, []);
});
