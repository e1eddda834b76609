import assert from "node:assert/strict";
import { test } from "node:test";
import type { RevisionOutcome } from "../../../../rollout/plan/revision-outcome.ts";
import { afterApply } from "./after-apply.ts";
import { after, extensionOf, now, revisionOf, linesOf, wanting, worldOf } from "./testing/extension-world.ts";
import type { ExtensionWorld } from "./world.ts";

const applied: RevisionOutcome = { kind: "applied", name: "ext-1", created: true };
const found: RevisionOutcome = { kind: "applied", name: "ext-1", created: false };
const refused: RevisionOutcome = { kind: "refused", message: "creating new Revision: no" };
const rolledOut = [
  "Progressing=True Succeeded: Revision 1.0.0 has rolled out.",
  "Available=True ProbesSucceeded: Objects are available and pass all probes.",
  "Succeeded=True Succeeded: Revision succeeded rolling out.",
];
const installed = revisionOf(1, "1.0.0", ...rolledOut);
const rolling = (number: number, version: string) =>
  revisionOf(
    number,
    version,
    `Progressing=True RollingOut: Revision ${version} is rolling out.`,
    "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
  );
const { status: _status, ...silent } = revisionOf(1, "1.0.0");
const first = worldOf(wanting("1.0.0"));
const upgrade = worldOf(wanting("1.1.0"), { revisions: [installed, rolling(2, "1.1.0")] });

const table: readonly (readonly [string, ExtensionWorld, RevisionOutcome, readonly string[]])[] = [
  ["the first revision is created", first, applied, ["again after 3 s"]],
  [
    "the first revision was created and reports nothing yet",
    worldOf(wanting("1.0.0"), { revisions: [silent] }),
    found,
    [
      "Installed=False Absent: No bundle installed (3)",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out. (3)",
      "active ext-1",
    ],
  ],
  [
    "the first revision rolls out",
    worldOf(wanting("1.0.0"), { revisions: [rolling(1, "1.0.0")] }),
    found,
    [
      "Installed=False Absent: No bundle installed (3)",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out. (3)",
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x (3)",
      "active ext-1 Progressing Available",
    ],
  ],
  [
    "the first revision collides with objects of another owner",
    worldOf(wanting("1.0.0"), { revisions: [revisionOf(1, "1.0.0", "Progressing=True Retrying: collisions")] }),
    found,
    [
      "Installed=False Failed: No bundle installed (3)",
      "Progressing=True Retrying: collisions (3)",
      "active ext-1 Progressing",
    ],
  ],
  [
    "the deadline of the first revision has passed",
    worldOf(wanting("1.0.0"), {
      revisions: [revisionOf(1, "1.0.0", "Progressing=False ProgressDeadlineExceeded: late")],
    }),
    found,
    [
      "Installed=False Absent: No bundle installed (3)",
      "Progressing=False ProgressDeadlineExceeded: late (3)",
      "active ext-1 Progressing",
    ],
  ],
  [
    "the revision has rolled out",
    worldOf(wanting("1.0.0"), { revisions: [installed] }),
    found,
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      "Progressing=True Succeeded: Desired state reached (3)",
      "Available=True ProbesSucceeded: Objects are available and pass all probes. (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "event Normal Installed",
    ],
  ],
  [
    "an upgrade is under way",
    upgrade,
    found,
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      "Progressing=True RollingOut: Revision 1.1.0 is rolling out. (3)",
      "Available=True ProbesSucceeded: Objects are available and pass all probes. (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "active ext-2 Progressing Available",
      "event Normal Installed",
    ],
  ],
  [
    "a second upgrade is under way before the first has ended",
    worldOf(wanting("1.2.0"), { revisions: [rolling(3, "1.2.0"), installed, rolling(2, "1.1.0")] }),
    found,
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      "Progressing=True RollingOut: Revision 1.2.0 is rolling out. (3)",
      "Available=True ProbesSucceeded: Objects are available and pass all probes. (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "active ext-2 Progressing Available",
      "active ext-3 Progressing Available",
      "event Normal Installed",
    ],
  ],
  [
    "the deadline of an upgrade has passed",
    worldOf(wanting("1.1.0"), {
      revisions: [installed, revisionOf(2, "1.1.0", "Progressing=False ProgressDeadlineExceeded: late")],
    }),
    found,
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      "Progressing=False ProgressDeadlineExceeded: late (3)",
      "Available=True ProbesSucceeded: Objects are available and pass all probes. (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "active ext-2 Progressing",
      "event Normal Installed",
    ],
  ],
  [
    "a write is refused",
    worldOf(wanting("1.1.0"), { revisions: [installed] }),
    refused,
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      'Progressing=True Retrying: RolloutFailed: ext: creating new Revision: no\nerror for resolved bundle "op.v1.1.0" with version "1.1.0": creating new Revision: no (3)',
      "Available=True ProbesSucceeded: Objects are available and pass all probes. (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "event Normal Installed",
      "event Warning Retrying",
      'retry: RolloutFailed: ext: creating new Revision: no\nerror for resolved bundle "op.v1.1.0" with version "1.1.0": creating new Revision: no',
    ],
  ],
  [
    "the objects make no revision",
    first,
    { kind: "invalid", message: "Object 'Kind' is missing in 'unstructured object has no kind'" },
    [
      "Installed=False Failed: No bundle installed (3)",
      `Progressing=True Retrying: BundleInvalid: op.v1.0.0: Object 'Kind' is missing in 'unstructured object has no kind'\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": Object 'Kind' is missing in 'unstructured object has no kind' (3)`,
      "event Warning Retrying",
      `retry: BundleInvalid: op.v1.0.0: Object 'Kind' is missing in 'unstructured object has no kind'\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": Object 'Kind' is missing in 'unstructured object has no kind'`,
    ],
  ],
  [
    "a CRD of the bundle is still being deleted",
    first,
    { kind: "terminating", crds: ["as.g.io"] },
    [
      "Installed=False Failed: No bundle installed (3)",
      'Progressing=True Retrying: RolloutFailed: ext: CustomResourceDefinition "as.g.io" is still being deleted; the roll-out begins when it is gone\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": CustomResourceDefinition "as.g.io" is still being deleted (3)',
      "event Warning Retrying",
      'retry: RolloutFailed: ext: CustomResourceDefinition "as.g.io" is still being deleted; the roll-out begins when it is gone\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": CustomResourceDefinition "as.g.io" is still being deleted',
    ],
  ],
  [
    "CRDs would break stored objects",
    first,
    {
      kind: "unsafe",
      refusals: [{ crd: "as.g.io", rules: ["scope"], messages: ['scope: scope changed : "Namespaced" -> "Cluster"'] }],
    },
    [
      "Installed=False Failed: No bundle installed (3)",
      'Progressing=True Retrying: CrdUnsafe: The upgrade would change CustomResourceDefinition "as.g.io" so that existing objects may break. List the objects: kubectl get as.g.io -A\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": validating upgrade for CRD "as.g.io": scope: scope changed : "Namespaced" -> "Cluster" (3)',
      "event Warning Retrying",
      'retry: CrdUnsafe: The upgrade would change CustomResourceDefinition "as.g.io" so that existing objects may break. List the objects: kubectl get as.g.io -A\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": validating upgrade for CRD "as.g.io": scope: scope changed : "Namespaced" -> "Cluster"',
    ],
  ],
];

for (const [what, world, outcome, expected] of table)
  test(`when ${what} the extension shows it`, () =>
    assert.deepEqual(linesOf(afterApply(world, outcome, now)), expected));

test("a refusal that the extension shows already is retried without a write", () => {
  const shown = after(extensionOf(), afterApply(first, refused, now));
  const { actions, retry } = afterApply(worldOf(wanting("1.0.0"), { extension: shown }), refused, now + 60_000);
  assert.deepEqual(actions, []);
  assert.match(retry ?? "", /^RolloutFailed: /);
});

test("an upgrade that continues after a refusal no longer shows the refusal", () => {
  const shown = after(extensionOf(), afterApply(upgrade, refused, now));
  const lines = linesOf(afterApply({ ...upgrade, extension: shown }, found, now));
  assert.ok(lines.includes("Progressing=True RollingOut: Revision 1.1.0 is rolling out. (3)"));
});
