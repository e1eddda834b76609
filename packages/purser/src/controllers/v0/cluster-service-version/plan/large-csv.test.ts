import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { ServiceAccount } from "@purser/kubernetes/apis/core";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { improved } from "../../../../compat.ts";
import { withVariables } from "../../../../bundle/render/pod-overrides.ts";
import { planOperatorGroup } from "../../operator-group/plan/plan-operator-group.ts";
import { permissionRequirements } from "./permission.ts";
import { decideProvidedApis } from "./provided-api.ts";
import type { RequirementWorld } from "./world.ts";
import { servedConditions } from "../../operator-group/testing/served-conditions.ts";

const numbered = (count: number, text: string): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${text}${number}`);

/** How often `includes` and `some` look through the items of a list while `run` runs; each look counts with its length. */
function searchedWhile(run: () => void): number {
  let searched = 0;
  const methods = ["includes", "indexOf", "some", "find", "findIndex"] as const;
  const before = methods.map((name) => [name, Object.getOwnPropertyDescriptor(Array.prototype, name)] as const);
  for (const [name, descriptor] of before) {
    const search = descriptor?.value as (...of: unknown[]) => unknown;
    Object.defineProperty(Array.prototype, name, {
      ...descriptor,
      value(this: readonly unknown[], ...of: unknown[]) {
        searched += this.length;
        return search.apply(this, of);
      },
    });
  }
  try {
    run();
  } finally {
    for (const [name, descriptor] of before)
      if (descriptor !== undefined) Object.defineProperty(Array.prototype, name, descriptor);
  }
  return searched;
}

function csvOf(permissions: readonly PolicyRule[], kinds: readonly string[] = []): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "op" },
    spec: {
      displayName: "op",
      install: {
        strategy: "deployment",
        spec: { deployments: [], permissions: [{ serviceAccountName: "op", rules: permissions }] },
      },
      customresourcedefinitions: {
        owned: kinds.map((kind) => ({ name: `${kind.toLowerCase()}s.g.io`, version: "v1", kind })),
      },
    },
  } as unknown as ClusterServiceVersion;
}

function judged(
  wanted: readonly PolicyRule[],
  held: readonly PolicyRule[],
): { readonly message: string | undefined; readonly statuses: readonly string[] } {
  const account = { metadata: { namespace: "ns", name: "op", uid: "account" } } as ServiceAccount;
  const world = {
    csv: csvOf(wanted),
    serviceAccounts: new Map([["op", account]]),
    rbac: {
      roles: [{ metadata: { namespace: "ns", name: "r" }, rules: held }],
      roleBindings: [
        {
          metadata: { namespace: "ns", name: "b" },
          roleRef: { kind: "Role", name: "r" },
          subjects: [{ kind: "ServiceAccount", namespace: "ns", name: "op" }],
        },
      ],
      clusterRoles: [],
      clusterRoleBindings: [],
    },
  } as unknown as RequirementWorld;
  const result = permissionRequirements(world);
  assert.ok(result.ok);
  const { message, dependents = [] } = result.value[0]?.[0] ?? {};
  return { message, statuses: dependents.map(({ status }) => status) };
}

test("12,000 rules of a CSV are judged by 12,000 rules of a Role without comparing each with each", () => {
  const rules = numbered(12_000, "g").map((group) => ({ apiGroups: [group], resources: ["things"], verbs: ["get"] }));
  let satisfied = 0;
  const searched = searchedWhile(() => {
    satisfied = judged(rules, rules).statuses.filter((status) => status === "Satisfied").length;
  });
  assert.equal(satisfied, 12_000);
  assert.ok(searched <= 50 * 12_000, `${searched} items were looked at`);
});

test("a rule of a CSV that stands for billions of rights is judged up to a limit, and then counts as not satisfied", () => {
  const wide = { apiGroups: numbered(3000, "g"), resources: numbered(3000, "r"), verbs: numbered(3000, "v") };
  const narrow = { apiGroups: ["g0"], resources: ["r0"], verbs: ["v0"] };
  assert.deepEqual(judged([narrow, wide], [wide]), {
    message:
      'Policy rule not satisfied for service account: the rules of this ClusterServiceVersion need more than 500,000 comparisons with the rules of its accounts; the rest counts as not satisfied. List fewer groups, resources and verbs in its rules, or use "*".',
    statuses: ["Satisfied", "NotSatisfied"],
  });
  assert.deepEqual(judged([narrow, wide], [narrow]), {
    message: "Policy rule not satisfied for service account",
    statuses: ["Satisfied", "NotSatisfied"],
  });
});

function groupOf(targets: readonly string[], provided: readonly string[]): OperatorGroup {
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace: targets[0] ?? "", name: "og", annotations: { "olm.providedAPIs": provided.join(",") } },
    spec: { targetNamespaces: targets },
    status: { namespaces: targets, lastUpdated: "", conditions: servedConditions },
  };
}

test("10,000 namespaces and 10,000 provided APIs are compared as sets", () => {
  const kinds = numbered(10_000, "Kind");
  const apis = kinds.map((kind) => `${kind}.v1.g.io`).toSorted();
  const group = groupOf(numbered(10_000, "a"), apis);
  const other = groupOf(numbered(10_000, "b"), apis);
  const overlapping = groupOf(["c", ...numbered(10_000, "a")], apis);
  const searched = searchedWhile(() => {
    assert.equal(decideProvidedApis(apis, group, [group, other]), "none");
    assert.equal(decideProvidedApis(apis, group, [group, other, overlapping]), "remove");
    const csv = csvOf([], kinds);
    const world = {
      group,
      groupsInNamespace: 1,
      namespaces: [],
      csvs: [csv],
      serviceAccount: undefined,
      clusterRoles: new Map(),
    };
    const { actions } = planOperatorGroup(world, 0, improved);
    assert.equal(actions.length, 4, "the membership and three roles");
  });
  assert.ok(searched <= 500_000, `${searched} items were looked at`);
});

test("12,000 variables of a configuration replace those of a container by name in one pass", () => {
  const variables = (value: string) => numbered(12_000, "V").map((name) => ({ name, value }));
  let merged: readonly unknown[] | undefined;
  const searched = searchedWhile(() => {
    merged = withVariables([...variables("old"), { name: "V0", value: "second" }], variables("new"));
  });
  assert.deepEqual(merged, [...variables("new"), { name: "V0", value: "new" }]);
  assert.ok(searched <= 100_000, `${searched} items were looked at`);
});
