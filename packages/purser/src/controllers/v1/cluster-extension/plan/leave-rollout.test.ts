import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionOutcome } from "../../../../resolver/v1/outcome.ts";
import { reasonToLeave, successorOf, type ReasonToLeave } from "./leave-rollout.ts";
import { bundleOf, revisionOf } from "./testing/extension-world.ts";

const progress = (text: string): ReasonToLeave | undefined => reasonToLeave(revisionOf(2, "1.1.0", text), true);

test("a roll-out whose bundle is still asked for is left only when its deadline has passed or it is blocked", () => {
  assert.equal(progress("Progressing=True RollingOut: x"), undefined);
  assert.equal(progress("Progressing=True Retrying: x"), undefined);
  assert.equal(progress("Progressing=False ProgressDeadlineExceeded: x"), "stuck");
  assert.equal(progress("Progressing=False Blocked: x"), "stuck");
});

test("a roll-out whose bundle is not asked for any more is left at once", () =>
  assert.equal(reasonToLeave(revisionOf(2, "1.1.0", "Progressing=True RollingOut: x"), false), "asked"));

const to = (version: string): ExtensionOutcome => ({
  kind: "resolved",
  version,
  metadata: { name: bundleOf(version).name, version },
  catalog: "c",
  bundle: { name: bundleOf(version).name } as never,
});
const nothing = { kind: "failed", upstream: "nothing" } as ExtensionOutcome;
const rolling = revisionOf(2, "1.1.0");

const table: readonly (readonly [string, ReasonToLeave, ExtensionOutcome, ExtensionOutcome, string | undefined])[] = [
  ["is replaced by what the installed bundle may become", "asked", to("1.2.0"), nothing, "1.2.0"],
  ["is replaced by the installed bundle when that is asked for", "asked", to("1.0.0"), nothing, "1.0.0"],
  ["is replaced by what it may become itself", "asked", nothing, to("1.2.0"), "1.2.0"],
  ["is not replaced by an older bundle that only its own edges allow", "asked", nothing, to("1.0.0"), "nothing"],
  ["is refused when nothing that is asked for can follow", "asked", nothing, nothing, "nothing"],
  ["is replaced by a newer bundle when it is stuck", "stuck", to("1.2.0"), nothing, "1.2.0"],
  ["is replaced by what may follow it when it is stuck", "stuck", to("1.1.0"), to("1.2.0"), "1.2.0"],
  ["goes on when it is stuck and there is only an older bundle", "stuck", to("1.0.0"), to("1.1.0"), undefined],
  ["goes on when it is stuck and nothing can be resolved", "stuck", nothing, nothing, undefined],
];

for (const [what, reason, fromInstalled, fromRollingOut, expected] of table)
  test(`a roll-out ${what} (${reason})`, () => {
    const successor = successorOf(rolling, reason, fromInstalled, fromRollingOut);
    assert.equal(successor?.kind === "failed" ? successor.upstream : successor?.version, expected);
  });
