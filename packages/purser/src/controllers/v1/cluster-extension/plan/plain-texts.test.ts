import assert from "node:assert/strict";
import { test } from "node:test";
import { failed } from "@purser/kubernetes/result";
import { afterApply } from "./after-apply.ts";
import { planExtension } from "./plan-extension.ts";
import { bundleOf, linesOf, now, wanting, worldOf, rendering } from "./testing/extension-world.ts";
import type { ExtensionDecision, ExtensionWorld } from "./world.ts";

const about = 'error for resolved bundle "op.v1.0.0" with version "1.0.0": ';
const plain = (decision: ExtensionDecision): ExtensionWorld => ({ ...worldOf(decision), hasPlainTexts: true });
const progressOf = (lines: readonly string[]): string | undefined =>
  lines.find((line) => line.startsWith("Progressing="));

const refused: ExtensionDecision = {
  kind: "refused",
  upstream: "OLM's text",
  explanation: { code: "NoUpgradePath", summary: "ours", facts: {}, derivation: [], remedies: [] },
};
const unreadable: ExtensionDecision = {
  kind: "want",
  wanted: {
    bundle: bundleOf("1.0.0"),
    content: { kind: "failing", since: 0, cause: "no such image", remedy: "Push it." },
  },
};
const broken = wanting("1.0.0", failed({ message: "OLM's text", reason: "Retrying", violations: ["one"] }));

const table: readonly (readonly [string, ExtensionDecision, string])[] = [
  ["an extension that is refused", refused, "OLM's text"],
  [
    "an extension whose error names a source port, which differs between retries,",
    { ...refused, upstream: "dial tcp: lookup r.io: read udp 10.0.0.7:48613->10.0.0.10:53: i/o timeout" },
    "dial tcp: lookup r.io: i/o timeout",
  ],
  ["an extension whose bundle cannot be had", unreadable, `${about}no such image`],
  ["an extension whose bundle breaks rules", broken, `${about}OLM's text`],
];

for (const [what, decision, text] of table)
  test(`${what} shows OLM's text alone where that is wanted`, () =>
    assert.equal(progressOf(linesOf(planExtension(plain(decision), now))), `Progressing=True Retrying: ${text} (3)`));

test("a revision that was refused shows OLM's text alone where that is wanted", () => {
  const plan = afterApply(plain(wanting("1.0.0", rendering())), { kind: "refused", message: "denied" }, now);
  assert.equal(progressOf(linesOf(plan)), `Progressing=True Retrying: ${about}denied (3)`);
});

test("an extension whose bundle only another request can bring is Blocked, and Installed stays as it is", () => {
  const content = { kind: "refused", cause: "not signed", remedy: "Sign it.", code: "SignatureRejected" } as const;
  const decision: ExtensionDecision = { kind: "want", wanted: { bundle: bundleOf("1.0.0"), content } };
  const lines = linesOf(planExtension(worldOf(decision), now));
  assert.deepEqual(lines.slice(0, 1), [
    `Progressing=False Blocked: SignatureRejected: op.v1.0.0: not signed. Sign it.\n${about}not signed (3)`,
  ]);
});
