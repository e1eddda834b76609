import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { failed } from "@purser/kubernetes/result";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { bundleDigestAnnotation } from "../../../../apis/v1/labels.ts";
import { planExtension } from "./plan-extension.ts";
import {
  after,
  extensionOf,
  linesOf,
  now,
  revisionOf,
  wanting,
  worldOf,
  rendering,
} from "./testing/extension-world.ts";
import type { ExtensionDecision, WantedBundle } from "./world.ts";

const [a, b] = [digestOf("a"), digestOf("b")];

function pinnedTo(
  digest: string | undefined,
  revision = revisionOf(1, "1.0.0", "Succeeded=True Succeeded: done"),
): ClusterObjectSet {
  const pin = digest === undefined ? {} : { [bundleDigestAnnotation]: digest };
  return { ...revision, metadata: { ...revision.metadata, annotations: { ...revision.metadata.annotations, ...pin } } };
}

function holding(
  digest: typeof a,
  rendered: WantedBundle["rendered"] = rendering(),
  version = "1.0.0",
): ExtensionDecision {
  const decision = wanting(version, rendered);
  assert.ok(decision.kind === "want");
  return { ...decision, wanted: { ...decision.wanted, content: { kind: "ready", digest }, digest } };
}

const text = `Bundle op.v1.0.0 has different content (${b}) than revision ext-1 (${a}), which stays installed. To roll the new content out: kubectl annotate clusterextensions.olm.operatorframework.io ext --overwrite purser.dev/bundle-digest=${b}`;
const stays = [
  "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
  `BundleChanged=True DigestChanged: ${text} (3)`,
  "installed op.v1.0.0 1.0.0",
  "active ext-1",
  "event Normal Installed",
  "event Warning DigestChanged",
];
const asked = {
  ...extensionOf(),
  metadata: { ...extensionOf().metadata, annotations: { [bundleDigestAnnotation]: b } },
};
const broken = failed({ message: "x", reason: "Retrying", violations: ["x"] } as const);

const applies = ["apply op.v1.0.0, 0 objects"];
const table: readonly (readonly [string, Parameters<typeof planExtension>[0], readonly string[]])[] = [
  ["the content that was rolled out is applied", worldOf(holding(a), { revisions: [pinnedTo(a)] }), applies],
  [
    "other content under the same version is shown, with one event, and not applied",
    worldOf(holding(b), { revisions: [pinnedTo(a)] }),
    stays,
  ],
  [
    "broken content under the same version is shown as a change",
    worldOf(holding(b, broken), { revisions: [pinnedTo(a)] }),
    stays,
  ],
  [
    "other content that an annotation asks for is applied",
    worldOf(holding(b), { revisions: [pinnedTo(a)], extension: asked }),
    applies,
  ],
  [
    "an annotation for other content than what there is asks for nothing",
    worldOf(holding(digestOf("c")), { revisions: [pinnedTo(a)], extension: asked }),
    stays.map((line) => line.replaceAll(b, digestOf("c"))),
  ],
  [
    "content of a revision without a digest is applied",
    worldOf(holding(b), { revisions: [pinnedTo(undefined)] }),
    applies,
  ],
  [
    "content of another version is applied",
    worldOf(holding(b, rendering(), "1.1.0"), { revisions: [pinnedTo(a)] }),
    ["apply op.v1.1.0, 0 objects"],
  ],
  [
    "content without a digest is applied",
    worldOf(wanting("1.0.0", rendering()), { revisions: [pinnedTo(a)] }),
    applies,
  ],
];

for (const [claim, world, expected] of table)
  test(claim, () => assert.deepEqual(linesOf(planExtension(world, now)), expected));

test("the revision that is being rolled out decides, not the installed one", () => {
  const revisions = [
    pinnedTo(b, revisionOf(1, "1.0.0", "Succeeded=True Succeeded: done")),
    pinnedTo(a, revisionOf(2, "1.0.0")),
  ];
  const lines = linesOf(planExtension(worldOf(holding(b), { revisions }), now));
  assert.ok(
    lines.includes(`BundleChanged=True DigestChanged: ${text.replace("ext-1", "ext-2")} (3)`),
    lines.join("\n"),
  );
});

test("the change is written once, and is not shown any more when the former content is back", () => {
  const revisions = [pinnedTo(a)];
  const first = planExtension(worldOf(holding(b), { revisions }), now);
  const extension = after(extensionOf(), first);
  assert.deepEqual(planExtension(worldOf(holding(b), { revisions, extension }), now + 1).actions, []);
  const [action] = planExtension(worldOf(holding(a), { revisions, extension }), now).actions;
  assert.equal(action?.kind, "apply");
});

test("the digest of what is rolled out is recorded in the revision", () => {
  const [action] = planExtension(worldOf(holding(a)), now).actions;
  assert.ok(action?.kind === "apply");
  assert.equal(action.request.bundle.digest, a);
});

test("an invalid configuration is shown beside the change", () => {
  const invalid = failed({ message: "x", reason: "InvalidConfiguration", violations: ["x"] } as const);
  const lines = linesOf(planExtension(worldOf(holding(b, invalid), { revisions: [pinnedTo(a)] }), now));
  assert.ok(lines.includes(`BundleChanged=True DigestChanged: ${text} (3)`));
  assert.ok(lines.includes("event Warning InvalidConfiguration"));
});

test("a change that is shown already is no event, whatever else changes", () => {
  const revisions = [pinnedTo(a)];
  const shown = after(extensionOf(), planExtension(worldOf(holding(b), { revisions }), now));
  const extension = { ...shown, metadata: { ...shown.metadata, generation: 4 } };
  const lines = linesOf(planExtension(worldOf(holding(b), { revisions, extension }), now));
  assert.deepEqual(
    lines,
    stays.slice(0, -2).map((line) => line.replace("(3)", "(4)")),
  );
});

test("the change is not shown any more when nothing is known of the content", () => {
  const revisions = [pinnedTo(a)];
  const extension = after(extensionOf(), planExtension(worldOf(holding(b), { revisions }), now));
  const lines = linesOf(planExtension(worldOf(wanting("1.0.0"), { revisions, extension }), now));
  assert.deepEqual(lines, [stays[0], ...stays.slice(2, -2)]);
});
