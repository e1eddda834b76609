import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { hasNotBegun, heldInstallPlan } from "./held-install-plan.ts";
import type { HeldVersions } from "./held-versions.ts";
import { judgeContents, looksAtContents } from "./upgrade-contents.ts";

const planOf = (phase: string | undefined, ...names: readonly string[]): InstallPlan =>
  ({
    metadata: { namespace: "ns", name: "plan" },
    spec: { clusterServiceVersionNames: names },
    ...(phase === undefined ? {} : { status: { phase } }),
  }) as unknown as InstallPlan;

for (const [phase, expected] of [
  [undefined, false],
  ["", true],
  ["Planning", true],
  ["RequiresApproval", true],
  ["Installing", false],
  ["Complete", false],
  ["Failed", false],
] as const)
  test(`an InstallPlan ${phase === undefined ? "without a status" : `of phase "${phase}"`} ${expected ? "has not" : "has"} begun`, () =>
    assert.equal(hasNotBegun(planOf(phase)), expected));

const remedy = { summary: "wait" };
const held = [
  { code: "VersionHeld", bundles: ["a.v1"], reason: "policy a", remedy },
  { code: "OutsideWindow", bundles: ["b.v1"], reason: "policy b", remedy },
] as unknown as readonly HeldVersions[];

test("an InstallPlan that waits is held by what holds the first of its bundles", () => {
  assert.deepEqual(heldInstallPlan(planOf("RequiresApproval", "c.v1", "b.v1", "a.v1"), held), {
    code: "OutsideWindow",
    summary: "b.v1 is held back by policy b",
    facts: { installPlan: "ns/plan", bundle: "b.v1", reason: "policy b" },
    derivation: [{ relation: "excluded", subject: "b.v1", text: "b.v1 is held back by policy b" }],
    remedies: [remedy],
  });
  assert.equal(heldInstallPlan(planOf("RequiresApproval", "c.v1"), held), undefined);
  assert.equal(heldInstallPlan(planOf("Installing", "a.v1"), held), undefined);
});

const long = "x".repeat(161);
const contents = {
  permissions: ["get pods", "get nodes", long],
  crds: [
    { rule: "scope", text: "scope changes" },
    { rule: "enum", text: "a value is removed" },
  ],
};
for (const [what, spec, expected] of [
  ["nothing by itself", {}, []],
  ["nothing that it allows", { permissionIncrease: "Allow", crdChange: "Allow" }, []],
  [
    "new permissions, of which two are named",
    { permissionIncrease: "Deny" },
    [{ mode: "Deny", text: "new permissions (get pods, get nodes and 1 more)" }],
  ],
  [
    "CRDs that may break objects, after the permissions",
    { permissionIncrease: "RequireApproval", crdChange: "Deny" },
    [
      { mode: "RequireApproval", text: "new permissions (get pods, get nodes and 1 more)" },
      { mode: "Deny", text: "CRDs that may break stored objects (scope changes and a value is removed)" },
    ],
  ],
  [
    "no CRD whose rule is only shown",
    { crdChange: "Deny", crdRules: { scope: "Warn", enum: "Error" } },
    [{ mode: "Deny", text: "CRDs that may break stored objects (a value is removed)" }],
  ],
  ["no CRD whose rules are off", { crdChange: "Deny", crdRules: { scope: "Off", enum: "Warn" } }, []],
] as const)
  test(`a policy judges ${what}`, () => assert.deepEqual(judgeContents(spec, contents), expected));

test("a line of more than 160 characters is cut", () => {
  const of = (line: string) =>
    judgeContents({ permissionIncrease: "Deny" }, { permissions: [line], crds: [] })[0]?.text;
  assert.equal(of(long), `new permissions (${"x".repeat(159)}…)`);
  assert.equal(of(long.slice(1)), `new permissions (${"x".repeat(160)})`);
});

test("an upgrade without changes is judged by nothing", () =>
  assert.deepEqual(
    judgeContents({ permissionIncrease: "Deny", crdChange: "Deny" }, { permissions: [], crds: [] }),
    [],
  ));

test("a bundle is read only for a policy with a rule on what it holds", () => {
  assert.deepEqual(
    [{}, { crdChange: "Deny" }, { permissionIncrease: "RequireApproval" }, { permissionIncrease: "Allow" }].map(
      (spec) => looksAtContents(spec as Parameters<typeof looksAtContents>[0]),
    ),
    [false, true, true, false],
  );
});
