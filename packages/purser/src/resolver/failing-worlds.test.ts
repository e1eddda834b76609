import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { CauseCode, Reason } from "../explanation/explanation.ts";
import { conditionText } from "../explanation/condition-text.ts";
import { summaryLimit } from "../explanation/summary.ts";
import { explanationLines } from "../explanation/tree.ts";
import { readYaml } from "@purser/kubernetes/text/documents";
import { resolveNow, stepwise } from "./resolution.ts";
import { restrictedTo } from "./solver/constraint-set.ts";
import type { Answer } from "./solver/solve.ts";
import { solve } from "./solver/solve.ts";
import type { ShortExtension, ShortNamespace } from "./testing/short-world.ts";
import { shortExtension, shortNamespace } from "./testing/short-world.ts";
import { upstreamText } from "./v0/explain/cause.ts";
import { namespaceWorld } from "./v0/namespace-steps.ts";
import { resolveNamespace } from "./v0/resolve-namespace.ts";
import { resolveExtension } from "./v1/resolve-extension.ts";

interface FailingWorld {
  readonly name: string;
  readonly v0?: ShortNamespace;
  readonly v1?: ShortExtension;
  readonly code: CauseCode;
  readonly upstream: string;
  readonly text: string;
}

const read = readYaml(readFileSync(new URL("testing/failing-worlds.yaml", import.meta.url), "utf8"));
assert.ok(read.ok);
const worlds = read.value as unknown as readonly FailingWorld[];

function outcomeOf({ v0, v1 }: FailingWorld) {
  if (v0 !== undefined) return resolveNow(resolveNamespace(shortNamespace(v0)));
  assert.ok(v1 !== undefined);
  return resolveNow(resolveExtension(shortExtension(v1)));
}

function leavesOf(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.flatMap((reason) => (reason.because === undefined ? [reason] : leavesOf(reason.because)));
}

test("there are at least sixty failing worlds, all different", () => {
  assert.ok(worlds.length >= 60, `${worlds.length} worlds`);
  assert.equal(new Set(worlds.map(({ name }) => name)).size, worlds.length);
});

for (const world of worlds)
  test(`refused with its reason: ${world.name}`, () => {
    const outcome = outcomeOf(world);
    assert.notEqual(outcome.kind, "resolved");
    if (outcome.kind === "resolved") return;
    assert.equal(outcome.explanation.code, world.code);
    assert.equal(outcome.upstream, world.upstream);
    assert.equal(explanationLines(outcome.explanation).join("\n"), world.text);
  });

test("every refusal names its objects in 200 characters, has leaves with upstream's text, and fits a condition", () => {
  for (const world of worlds) {
    const outcome = outcomeOf(world);
    if (outcome.kind === "resolved") continue;
    const { explanation } = outcome;
    assert.ok(explanation.summary.length <= summaryLimit, world.name);
    assert.ok(Buffer.byteLength(conditionText(explanation)) <= 1024, world.name);
    const leaves = leavesOf(explanation.derivation);
    assert.ok(leaves.length > 0, world.name);
    for (const { upstream } of leaves) assert.ok(upstream !== undefined && upstream !== "", world.name);
    if (outcome.kind === "unsatisfiable")
      assert.deepEqual(leaves.flatMap(({ upstream = "" }) => upstream).toSorted(), outcome.constraints, world.name);
  }
});

test("removing any leaf of its derivation removes the explained failure", () => {
  let tried = 0;
  for (const { name, v0 } of worlds) {
    if (v0 === undefined) continue;
    const world = resolveNow(stepwise(namespaceWorld(shortNamespace(v0))));
    if (world.kind === "error") continue;
    const answer = resolveNow(stepwise(solve(world.set)));
    if (answer.kind === "satisfiable") throw new Error(name);
    for (const leaf of answer.conflict) {
      const others = answer.conflict.filter((id) => id !== leaf);
      const without: Answer = resolveNow(stepwise(solve(restrictedTo(world.set, others))));
      const text = world.problem.causes
        .slice(leaf, leaf + 1)
        .map(upstreamText)
        .join("");
      assert.ok(without.kind === "satisfiable", `${name}: ${text}`);
      tried++;
    }
  }
  assert.ok(tried > 100, `${tried} leaves tried`);
});
