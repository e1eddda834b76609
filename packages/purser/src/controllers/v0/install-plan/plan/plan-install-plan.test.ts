import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan, InstallPlanCondition, InstallPlanStatus, Step } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { OwnedCrd } from "../../../../rollout/plan/crd-of-extension.ts";
import type { HoldExplanation } from "../../../../policy/held-install-plan.ts";
import { planInstallPlan } from "./plan-install-plan.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const step: Step = {
  resolving: "op.v1",
  resource: {
    name: "op",
    kind: "ServiceAccount",
    group: "",
    version: "v1",
    manifest: "{}",
    sourceName: "cat",
    sourceNamespace: "olm",
  },
  status: "Unknown",
};
const group: OperatorGroup = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "og", uid: "og" },
  spec: {},
  status: { namespaces: [""], lastUpdated: "" },
};
const bounded: OperatorGroup = { ...group, spec: { serviceAccountName: "sa" } };
const status: InstallPlanStatus = { phase: "Installing", catalogSources: [], plan: [step] };

function planOf(change: Partial<InstallPlanStatus>, approved = true): InstallPlan {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace: "ns", name: "p" },
    spec: { approval: "Manual", approved, clusterServiceVersionNames: ["op.v1"] },
    status: { ...status, ...change },
  };
}

const none: ReadonlySet<string> = new Set();

const decide = (
  plan: InstallPlan,
  groups: readonly OperatorGroup[],
  missing: readonly Step[] = [],
  pendingBundles: readonly string[] = [],
  ownedElsewhere: readonly OwnedCrd[] = [],
): readonly string[] => {
  const { actions, retry } = planInstallPlan(
    { plan, groups, missing, pendingBundles, ownedElsewhere, replaced: none, isWanted: true },
    now,
  );
  const kinds = actions.map((action) => (action.kind === "status" ? `status ${action.status.phase}` : action.kind));
  return retry === undefined ? kinds : [...kinds, "retry"];
};

const taken: OwnedCrd = { crd: "a.b.c", csv: "op.v1", owner: { kind: "ClusterExtension", name: "ext" } };

const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a plan that waits for approval does nothing", decide(planOf({ phase: "RequiresApproval" }, false), [group]), []],
  ["an approved plan starts", decide(planOf({ phase: "RequiresApproval" }), [group]), ["status Installing"]],
  ["a started plan is executed", decide(planOf({}), [group]), ["execute"]],
  [
    "a started plan with a CRD of OLM v1 is not executed",
    decide(planOf({}), [group], [], [], [taken]),
    ["status Installing"],
  ],
  [
    "a plan with a CRD of OLM v1 waits for approval as any other",
    decide(planOf({ phase: "RequiresApproval" }, false), [group], [], [], [taken]),
    [],
  ],
  [
    "a plan whose CRD was released takes that back",
    decide(planOf({ conditions: [{ type: "Installed", status: "False", reason: "ObjectOwnedElsewhere" }] }), [group]),
    ["status Installing"],
  ],
  ["a started plan whose bundle is being read waits", decide(planOf({}), [group], [], ["example.com/a:v1"]), []],
  [
    "a complete plan whose bundle is being read makes nothing again yet",
    decide(planOf({ phase: "Complete" }), [group], [step], ["example.com/a:v1"]),
    [],
  ],
  ["a complete plan does nothing", decide(planOf({ phase: "Complete" }), [group]), []],
  ["a complete plan makes what is missing again", decide(planOf({ phase: "Complete" }), [group], [step]), ["repair"]],
  ["a failed plan makes nothing again", decide(planOf({ phase: "Failed" }), [group], [step]), []],
  ["a plan without steps does nothing", decide(planOf({ plan: [] }), [group]), []],
  ["a plan without a group says so and is tried again", decide(planOf({}), []), ["status Installing", "retry"]],
  [
    "a plan whose account is missing says so and is tried again",
    decide(planOf({}), [bounded]),
    ["status Installing", "retry"],
  ],
  [
    "a plan whose account appeared takes that back",
    decide(planOf({ conditions: [{ type: "Installed", status: "False", reason: "InstallCheckFailed" }] }), [group]),
    ["status Installing"],
  ],
];

for (const [what, found, expected] of table)
  test(what, () => {
    assert.deepEqual(found, expected);
  });

test("an execution leaves out the steps of operators that have been replaced", () => {
  const replaced = new Set(["op.v1"]);
  const { actions } = planInstallPlan(
    {
      plan: planOf({}),
      groups: [group],
      missing: [],
      pendingBundles: [],
      ownedElsewhere: [],
      replaced,
      isWanted: true,
    },
    now,
  );
  assert.deepEqual(actions, [{ kind: "execute", steps: [step], leftOut: replaced }]);
});

test("a plan without status and one that does not exist have no actions", () => {
  const { status: _none, ...plan } = planOf({});
  assert.deepEqual(decide(plan, [group]), []);
  assert.deepEqual(planInstallPlan(undefined, now), { actions: [] });
});

test("a missing account is shown once, and again when its text changes", () => {
  const shown = (message: string) =>
    decide(planOf({ conditions: [{ type: "Installed", status: "False", reason: "InstallCheckFailed", message }] }), []);
  assert.deepEqual(shown("no operator group found that is managing this namespace"), ["retry"]);
  assert.deepEqual(shown("another text"), ["status Installing", "retry"]);
});

test("a CRD of OLM v1 is reported once, with its owner and a remedy that deletes no object", () => {
  const decided = (plan: InstallPlan, owned: readonly OwnedCrd[]) =>
    planInstallPlan(
      { plan, groups: [group], missing: [], pendingBundles: [], ownedElsewhere: owned, replaced: none, isWanted: true },
      now,
    );
  const [action] = decided(planOf({}), [taken]).actions;
  assert.ok(action?.kind === "status");
  const message =
    'ObjectOwnedElsewhere: CustomResourceDefinition "a.b.c" of op.v1 belongs to ClusterExtension "ext"; nothing was written. Delete the ClusterExtension and keep its objects, and then remove its Deployments; or delete the Subscription to keep it: kubectl delete clusterextension ext --cascade=orphan && kubectl delete clusterobjectset -l olm.operatorframework.io/owner-name=ext --cascade=orphan';
  assert.equal(action.status.message, message);
  assert.deepEqual(
    action.status.conditions?.map(({ type, status: is, reason, message: text }) => [type, is, reason, text]),
    [["Installed", "False", "ObjectOwnedElsewhere", message]],
  );
  const shown = planOf(action.status);
  assert.deepEqual(decided(shown, [taken]), { actions: [] });
  assert.equal(decided(shown, [{ ...taken, crd: "d.e.f" }]).actions.length, 1);
  const [released] = decided(shown, []).actions;
  assert.ok(released?.kind === "status");
  assert.equal(released.status.message, undefined);
});

test("the account of the group is recorded before anything is executed, and again when it changes", () => {
  const reference = { kind: "ServiceAccount", namespace: "ns", name: "sa", uid: "u1" };
  const granted: OperatorGroup = {
    ...bounded,
    status: { namespaces: [""], lastUpdated: "", serviceAccountRef: reference },
  };
  const recorded = (attenuatedServiceAccountRef: NonNullable<InstallPlanStatus["attenuatedServiceAccountRef"]>) =>
    decide(planOf({ attenuatedServiceAccountRef }), [granted]);
  const first = planInstallPlan(
    {
      plan: planOf({}),
      groups: [granted],
      missing: [],
      pendingBundles: [],
      ownedElsewhere: [],
      replaced: none,
      isWanted: true,
    },
    now,
  ).actions;
  assert.deepEqual(
    first.map((action) => action.kind === "status" && action.status.attenuatedServiceAccountRef),
    [reference],
  );
  assert.deepEqual(recorded(reference), ["execute"]);
  assert.deepEqual(recorded({ ...reference, uid: "u2" }), ["status Installing"]);
});

test("an account in the group's status that the spec does not name is not used", () => {
  const reference = { kind: "ServiceAccount", namespace: "ns", name: "sa", uid: "u1" };
  for (const change of [{ name: "other" }, { namespace: "kube-system" }]) {
    const forged: OperatorGroup = {
      ...bounded,
      status: { namespaces: [""], lastUpdated: "", serviceAccountRef: { ...reference, ...change } },
    };
    const world = { missing: [], pendingBundles: [], ownedElsewhere: [], replaced: none, isWanted: true };
    assert.equal(
      planInstallPlan({ plan: planOf({}), groups: [forged], ...world }, now).retry,
      "attenuated service account query failed - please make sure the service account exists. sa=sa operatorgroup=ns/og",
    );
  }
});

const held: HoldExplanation = {
  code: "VersionHeld",
  summary: "op.v1 is held back by UpdatePolicy ns/freeze: no upgrades",
  facts: {},
  derivation: [],
  remedies: [{ summary: "end the hold", command: "purser unhold sub/ns/op" }],
};
const message = "op.v1 is held back by UpdatePolicy ns/freeze: no upgrades. end the hold: purser unhold sub/ns/op";
const heldBack: InstallPlanCondition = { type: "Installed", status: "False", reason: "VersionHeld", message };

for (const [what, plan, world, expected] of [
  ["approved or not, does not begin, and says why", planOf({ phase: "RequiresApproval" }), { held }, [message]],
  ["and is not approved says why", planOf({ phase: "RequiresApproval" }, false), { held }, [message]],
  ["says it once", planOf({ phase: "RequiresApproval", conditions: [heldBack] }), { held }, []],
  [
    "says anew what holds it now",
    planOf({ phase: "RequiresApproval", conditions: [{ ...heldBack, message: "another policy" }] }),
    { held },
    [message],
  ],
  [
    "does not begin when the policy ends and no Subscription asks for it",
    planOf({ phase: "RequiresApproval", conditions: [heldBack] }),
    { isWanted: false },
    [],
  ],
] as const)
  test(`an InstallPlan that a policy holds back, ${what}`, () => {
    const rest = { groups: [group], missing: [], pendingBundles: [], ownedElsewhere: [], replaced: none };
    const { actions, retry } = planInstallPlan({ plan, isWanted: true, ...rest, ...world }, now);
    assert.equal(retry, undefined);
    assert.deepEqual(
      actions.map((action) => {
        assert.ok(action.kind === "status");
        assert.equal(action.status.phase, "RequiresApproval");
        assert.deepEqual(action.events, [{ type: "Warning", reason: "VersionHeld", message }]);
        return action.status.conditions?.find(({ type }) => type === "Installed")?.message;
      }),
      expected,
    );
  });

test("an InstallPlan whose policy ended gives up the condition, then begins as approved", () => {
  const rest = { groups: [group], missing: [], pendingBundles: [], ownedElsewhere: [], replaced: none };
  const plan = planOf({ phase: "RequiresApproval", conditions: [heldBack] });
  const [released] = planInstallPlan({ plan, isWanted: true, ...rest }, now).actions;
  assert.ok(released?.kind === "status");
  assert.deepEqual([released.status.phase, released.status.conditions?.[0]?.reason], ["RequiresApproval", "Unknown"]);
  assert.deepEqual(decide({ ...plan, status: released.status }, [group]), ["status Installing"]);
});

test("a complete plan runs the steps of a CSV that an upgrade goes back to, when their bundles are read", () => {
  const world = {
    plan: planOf({ phase: "Complete" }),
    groups: [group],
    missing: [],
    ownedElsewhere: [],
    replaced: none,
    isWanted: true,
    goingBack: { steps: [step], marks: [] },
  };
  assert.deepEqual(planInstallPlan({ ...world, pendingBundles: [] }, 0), {
    actions: [{ kind: "restore", steps: [step] }],
  });
  assert.deepEqual(planInstallPlan({ ...world, pendingBundles: ["b"] }, 0), { actions: [] });
});
