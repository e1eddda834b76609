import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { type Compat, improved } from "../../../../compat.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import { servedConditions } from "../testing/served-conditions.ts";
import { withGroupReadiness } from "./operator-group-readiness.ts";
import { aggregatedLabels, groupRole, type OperatorGroupWorld, planOperatorGroup } from "./plan-operator-group.ts";

const targets = ["a", "b"];

function worldOf(status: OperatorGroup["status"]): OperatorGroupWorld {
  const group: OperatorGroup = {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name: "group", namespace: "operators", uid: "1" },
    spec: { targetNamespaces: targets },
    ...(status === undefined ? {} : { status }),
  };
  return {
    group,
    groupsInNamespace: 1,
    namespaces: [],
    csvs: [],
    serviceAccount: undefined,
    clusterRoles: new Map(),
  };
}

/** Namespaces of the status that the pass writes; undefined when it writes none. */
function writtenNamespaces(status: OperatorGroup["status"]): unknown {
  const writes = planOperatorGroup(worldOf(status), 0, improved).actions.flatMap((action) =>
    action.kind === "write" && "subresource" in action.write && action.write.subresource === "status"
      ? [action.write]
      : [],
  );
  const [write] = writes as readonly { readonly object?: { readonly status?: { readonly namespaces?: unknown } } }[];
  return write?.object?.status?.namespaces;
}

const lastUpdated = "2026-01-01T00:00:00Z";
const conditions = servedConditions;

for (const [words, status, written] of [
  ["a group without a status gets its targets", undefined, targets],
  [
    "a status that lists the same namespaces in another order stays",
    { namespaces: ["b", "a"], lastUpdated, conditions },
    undefined,
  ],
  ["a status that lists a namespace twice stays", { namespaces: ["a", "b", "a"], lastUpdated, conditions }, undefined],
  ["a status that lacks a namespace is written", { namespaces: ["a"], lastUpdated, conditions }, targets],
  [
    "a status that lists one namespace more is written",
    { namespaces: ["a", "b", "c"], lastUpdated, conditions },
    targets,
  ],
] as const)
  test(words, () => {
    assert.deepEqual(writtenNamespaces(status), written);
  });

test("a CSV of a group that selects no namespace is written once, to remove its targets", () => {
  const world = worldOf({ namespaces: [], lastUpdated, conditions });
  const group: OperatorGroup = { ...world.group, spec: { selector: { matchLabels: { a: "b" } } } };
  const writesTo = (annotations: Readonly<Record<string, string>>): number => {
    const csv = {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      metadata: { namespace: "operators", name: "op.v1", annotations },
      spec: { displayName: "op", install: { strategy: "deployment" } },
    } as ClusterServiceVersion;
    const { actions } = planOperatorGroup({ ...world, group, csvs: [csv] }, 0, improved);
    return actions.filter(({ write }) => write.type.kind === "ClusterServiceVersion").length;
  };
  const member = { "olm.operatorGroup": "group", "olm.operatorNamespace": "operators" };
  assert.equal(writesTo({ ...member, "olm.targetNamespaces": "" }), 1);
  assert.equal(writesTo(member), 0);
});

const invalid: readonly (readonly [string, OperatorGroup["spec"], string])[] = [
  [
    "an empty name among its targets",
    { targetNamespaces: ["a", ""] },
    "TargetNamespaces cannot contain NamespaceAll: [a ]",
  ],
  [
    "an invalid selector",
    { selector: { matchExpressions: [{ key: "a", operator: "Has" as never }] } },
    '"Has" is not a valid label selector operator',
  ],
];
const only = (compat: Compat, spec: OperatorGroup["spec"], status: OperatorGroup["status"]) => {
  const { group, ...world } = worldOf(status);
  return planOperatorGroup({ ...world, group: { ...group, ...(spec === undefined ? {} : { spec }) } }, 0, compat);
};
const statusOf = (plan: ReturnType<typeof only>): OperatorGroup["status"] => {
  const [action] = plan.actions;
  return action !== undefined && "object" in action.write
    ? (action.write.object["status"] as OperatorGroup["status"])
    : undefined;
};

for (const [words, spec, problem] of invalid) {
  const served = { namespaces: ["a"], lastUpdated, conditions };
  const time = "1970-01-01T00:00:00Z";
  const stalled = {
    namespaces: [],
    conditions: withGroupReadiness(
      conditions,
      { targets: problem, hasNeighbours: false, missingAccount: undefined },
      { observedGeneration: undefined, time },
    ),
    lastUpdated: time,
  } as const;

  test(`without --compat=group-targets a group with ${words} serves no namespace and reports why, once`, () => {
    assert.deepEqual(statusOf(only(improved, spec, served)), stalled);
    assert.equal(statusOf(only(improved, spec, stalled)), undefined);
    assert.equal(only(improved, spec, stalled).retry, undefined);
  });

  test(`with --compat=group-targets a group with ${words} keeps its last status`, () => {
    const upstream: Compat = { keepsUpstream: (name) => name === "group-targets" };
    assert.deepEqual(only(upstream, spec, served), { actions: [], retry: problem });
  });

  test(`a group that no longer has ${words} serves its targets again and is not stalled`, () => {
    const again = statusOf(only(improved, { targetNamespaces: ["a"] }, stalled));
    assert.deepEqual(again?.namespaces, ["a"]);
    assert.deepEqual(
      again?.conditions?.map(({ type, status }) => `${type} ${status}`),
      ["Ready True", "Reconciling False", "Stalled False"],
    );
  });
}

test("a ClusterRole of the group loses what it aggregated when no API is provided any more, and only then", () => {
  const world = worldOf({ namespaces: targets, lastUpdated, conditions });
  const role = groupRole(world.group, "edit", []);
  const patchOf = (live: ClusterRole, group = world.group): unknown => {
    const clusterRoles = new Map([[live.metadata.name ?? "", live]]);
    const { actions } = planOperatorGroup({ ...world, group, clusterRoles }, 0, improved);
    const patches = actions.flatMap(({ write }) =>
      write.verb === "patch" && write.type.kind === "ClusterRole" ? [write.patch] : [],
    );
    assert.ok(patches.length < 2);
    return patches[0];
  };
  const rules = [{ verbs: ["create"], apiGroups: ["a.example.com"], resources: ["as"] }];
  const aggregating = { ...groupRole(world.group, "edit", aggregatedLabels(["A.v1.a.example.com"])), rules };
  const { labels } = role.metadata;
  assert.deepEqual(patchOf(aggregating), { metadata: { labels }, aggregationRule: null, rules: [] });
  assert.equal(patchOf({ ...role, rules }), undefined);
  const annotations = { "olm.providedAPIs": "A.v1.a.example.com" };
  const providing = { ...world.group, metadata: { ...world.group.metadata, annotations } };
  assert.deepEqual(patchOf({ ...role, rules }, providing), {
    metadata: { labels },
    aggregationRule: aggregating.aggregationRule,
  });
});

test("a ClusterRole of the group is written again when its selectors differ in anything, and not otherwise", () => {
  const annotations = { "olm.providedAPIs": "A.v1.a.example.com,B.v1.b.example.com" };
  const world = worldOf({ namespaces: targets, lastUpdated, conditions });
  const group = { ...world.group, metadata: { ...world.group.metadata, annotations } };
  const role = groupRole(group, "edit", aggregatedLabels(["A.v1.a.example.com", "B.v1.b.example.com"]));
  const [first = {}, second = {}] = role.aggregationRule?.clusterRoleSelectors ?? [];
  const isWritten = (selectors: readonly LabelSelector[], labels = role.metadata.labels): boolean => {
    const live = {
      ...role,
      metadata: { ...role.metadata, ...(labels === undefined ? {} : { labels }) },
      aggregationRule: { clusterRoleSelectors: selectors },
    };
    const clusterRoles = new Map([[live.metadata.name ?? "", live]]);
    const { actions } = planOperatorGroup({ ...world, group, clusterRoles }, 0, improved);
    return actions.some(({ write }) => write.verb === "patch" && write.type.kind === "ClusterRole");
  };
  const [key = ""] = Object.keys(first.matchLabels ?? {});
  const expressions = [{ key: "a", operator: "Exists" }];
  for (const [selectors, expected] of [
    [[first, second], false],
    [[second, first], true],
    [[first], true],
    [[first, second, second], true],
    [[{ matchLabels: { [key]: "false" } }, second], true],
    [[{ matchLabels: { ...first.matchLabels, more: "true" } }, second], true],
    [[{ ...first, matchExpressions: expressions }, second], true],
    [[{}, second], true],
  ] as const)
    assert.equal(isWritten(selectors), expected, JSON.stringify(selectors));
  assert.equal(isWritten([first, second], {}), true);
});

for (const [what, change, reasons] of [
  ["has several", { groupsInNamespace: 2 }, ["MultipleOperatorGroup", "OperatorGroupAmbiguous"]],
  ["has one", { groupsInNamespace: 1 }, ["Serving"]],
] as const)
  test(`the conditions of a group whose namespace ${what} say what is wrong`, () => {
    const { conditions: shown = [] } =
      statusOf(planOperatorGroup({ ...worldOf(undefined), ...change }, 0, improved)) ?? {};
    const said = shown.flatMap(({ type, reason }) =>
      type === "MultipleOperatorGroup" ? [type] : type === "Ready" ? [reason] : [],
    );
    assert.deepEqual(said, reasons);
  });
