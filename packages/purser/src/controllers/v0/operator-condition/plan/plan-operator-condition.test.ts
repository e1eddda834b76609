import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorCondition } from "../../../../apis/v0/operator-condition.ts";
import { notUpgradeableCause } from "../../cluster-service-version/plan/upgradeable.ts";
import { type OperatorConditionWorld, planOperatorCondition } from "./plan-operator-condition.ts";

const metadata = { namespace: "ns", name: "op.v1" };

function csvWith(spec: object): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { ...metadata, uid: "csv" },
    spec: { displayName: "op", install: { strategy: "deployment", spec } },
  } as ClusterServiceVersion;
}

const csv = csvWith({
  deployments: [{ name: "two" }, { name: "one" }],
  permissions: [{ serviceAccountName: "b" }, { serviceAccountName: "a" }],
  clusterPermissions: [{ serviceAccountName: "a" }],
});

const nothing: OperatorConditionWorld = {
  csv: undefined,
  condition: undefined,
  role: undefined,
  roleBinding: undefined,
};

const writesOf = (world: OperatorConditionWorld): readonly ObjectWrite[] =>
  planOperatorCondition(world).actions.map(({ write }) => write);

/** `verb Kind` of every write. */
const inShort = (world: OperatorConditionWorld): readonly string[] =>
  writesOf(world).map((write) => `${write.verb} ${write.type.kind}${"subresource" in write ? " status" : ""}`);

function created(world: OperatorConditionWorld): object {
  const [write] = writesOf(world);
  assert.ok(write?.verb === "create");
  return write.object;
}

/** The world after its missing objects were created, with uids. */
function complete(
  of: ClusterServiceVersion = csv,
): Required<OperatorConditionWorld> & { condition: OperatorCondition } {
  const made = created({ ...nothing, csv: of }) as OperatorCondition;
  const condition = { ...made, metadata: { ...made.metadata, uid: "condition", generation: 1 } };
  const [role, roleBinding] = writesOf({ ...nothing, csv: of, condition }).map((write) => {
    assert.ok(write.verb === "create");
    return write.object;
  });
  return { csv: of, condition, role: role as Role, roleBinding: roleBinding as RoleBinding };
}

const upgradeable = (status: Condition["status"], more: Partial<Condition> = {}): Condition => ({
  type: "Upgradeable",
  status,
  reason: "Because",
  message: "a migration runs",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});

test("a CSV gets an OperatorCondition that it controls, with accounts of cluster permissions first", () => {
  const condition = created({ ...nothing, csv }) as OperatorCondition;
  assert.deepEqual(condition.spec, { serviceAccounts: ["a", "b", "a"], deployments: ["two", "one"] });
  assert.deepEqual(condition.metadata.ownerReferences, [
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      name: "op.v1",
      uid: "csv",
      controller: true,
      blockOwnerDeletion: false,
    },
  ]);
  const none = created({ ...nothing, csv: csvWith({ deployments: [] }) }) as OperatorCondition;
  assert.deepEqual(none.spec?.serviceAccounts, ["default"]);
});

test("a copied or deleted CSV gets no OperatorCondition", () => {
  for (const change of [{ labels: { "olm.copiedFrom": "x" } }, { deletionTimestamp: "2026-01-01T00:00:00Z" }])
    assert.deepEqual(inShort({ ...nothing, csv: { ...csv, metadata: { ...csv.metadata, ...change } } }), []);
});

test("its accounts may edit this one OperatorCondition and not its status", () => {
  const { role, roleBinding } = complete();
  assert.deepEqual(role?.rules, [
    {
      apiGroups: ["operators.coreos.com"],
      resources: ["operatorconditions"],
      verbs: ["get", "update", "patch"],
      resourceNames: ["op.v1"],
    },
  ]);
  assert.deepEqual(
    roleBinding?.subjects?.map(({ kind, name }) => `${kind} ${name}`),
    ["ServiceAccount a", "ServiceAccount b", "ServiceAccount a"],
  );
  for (const object of [role, roleBinding]) {
    assert.deepEqual(object?.metadata.labels, { "olm.managed": "true" });
    assert.deepEqual(
      object.metadata.ownerReferences?.map(({ apiVersion, uid }) => `${apiVersion} ${uid}`),
      ["operators.coreos.com/v2 condition"],
    );
  }
});

test("a complete OperatorCondition is left alone", () => {
  assert.deepEqual(inShort(complete()), []);
});

function unlabelled<Of extends Role | RoleBinding>(object: Of | undefined): Of {
  assert.ok(object !== undefined);
  return { ...object, metadata: { ...object.metadata, labels: { "olm.managed": "false" } } };
}
const repairs: readonly (readonly [string, (world: ReturnType<typeof complete>) => OperatorConditionWorld, string])[] =
  [
    [
      "changed accounts",
      (world) => ({
        ...world,
        condition: { ...world.condition, spec: { ...world.condition.spec, serviceAccounts: ["x"] } },
      }),
      "patch OperatorCondition",
    ],
    [
      "a removed owner",
      (world) => ({
        ...world,
        condition: { ...world.condition, metadata: { ...world.condition.metadata, ownerReferences: [] } },
      }),
      "patch OperatorCondition",
    ],
    [
      "other deployments of the CSV",
      (world) => ({ ...world, csv: csvWith({ ...csv.spec.install.spec, deployments: [{ name: "three" }] }) }),
      "patch OperatorCondition",
    ],
    ["a deleted Role", (world) => ({ ...world, role: undefined }), "create Role"],
    ["widened rules", (world) => ({ ...world, role: { ...world.role, rules: [] } as unknown as Role }), "replace Role"],
    ["a deleted RoleBinding", (world) => ({ ...world, roleBinding: undefined }), "create RoleBinding"],
    [
      "other subjects",
      (world) => ({ ...world, roleBinding: { ...world.roleBinding, subjects: [] } as unknown as RoleBinding }),
      "replace RoleBinding",
    ],
    ["a Role without its label", (world) => ({ ...world, role: unlabelled(world.role) }), "replace Role"],
    [
      "a RoleBinding without its label",
      (world) => ({ ...world, roleBinding: unlabelled(world.roleBinding) }),
      "replace RoleBinding",
    ],
    [
      "another Role in the RoleBinding",
      (world) => ({
        ...world,
        roleBinding: {
          ...world.roleBinding,
          roleRef: { apiGroup: "", kind: "Role", name: "x" },
        } as unknown as RoleBinding,
      }),
      "delete RoleBinding",
    ],
  ];
for (const [what, change, expected] of repairs)
  test(`${what}: ${expected}`, () => assert.deepEqual(inShort(change(complete())), [expected]));

test("a repair keeps what the operator reports and what the administrator overrides", () => {
  const world = complete();
  const spec = { ...world.condition.spec, deployments: [], conditions: [upgradeable("False")], overrides: [] };
  const [write] = writesOf({ ...world, condition: { ...world.condition, spec } });
  assert.ok(write?.verb === "patch" && write.patchType === "merge");
  assert.deepEqual(Object.keys((write.patch as { readonly spec: object }).spec), ["serviceAccounts", "deployments"]);
});

test("a Role or RoleBinding that is repaired keeps its own labels, annotations and version", () => {
  const world = complete();
  const own = { labels: { mine: "x", "olm.managed": "false" }, annotations: { a: "b" }, resourceVersion: "7" };
  const changed = <One extends Role | RoleBinding>(one: One | undefined): One => {
    assert.ok(one !== undefined);
    return { ...one, metadata: { ...one.metadata, ...own, ownerReferences: [] } };
  };
  const [role] = writesOf({ ...world, role: changed(world.role) });
  const [binding] = writesOf({ ...world, roleBinding: changed(world.roleBinding) });
  for (const [write, before] of [
    [role, world.role],
    [binding, world.roleBinding],
  ] as const) {
    assert.ok(write?.verb === "replace");
    assert.deepEqual(write.object.metadata, {
      ...before?.metadata,
      ...own,
      labels: { ...before?.metadata.labels, mine: "x" },
    });
  }
});

test("a repair is refused when the OperatorCondition has changed meanwhile", () => {
  const world = complete();
  const { metadata } = world.condition;
  const condition = { ...world.condition, metadata: { ...metadata, resourceVersion: "7" }, spec: { deployments: [] } };
  const [write] = writesOf({ ...world, condition });
  assert.ok(write?.verb === "patch" && write.patchType === "merge");
  const { metadata: patched } = write.patch as { readonly metadata: object };
  assert.deepEqual(patched, { ownerReferences: metadata.ownerReferences, resourceVersion: "7" });
});

/** Conditions of the status that the pass writes; undefined when it stays. */
function mirrored(spec: readonly Condition[], status: readonly Condition[], generation = 2) {
  const world = complete();
  const condition: OperatorCondition = {
    ...world.condition,
    metadata: { ...world.condition.metadata, generation },
    spec: { ...world.condition.spec, conditions: spec },
    status: { conditions: status },
  };
  const [write] = writesOf({ ...world, condition });
  return write?.verb === "replace" ? (write.object as OperatorCondition).status?.conditions : undefined;
}

const other = { ...upgradeable("True"), type: "Other" };
const mirroring: readonly (readonly [
  string,
  readonly Condition[],
  readonly Condition[],
  readonly Condition[] | undefined,
])[] = [
  ["is new", [upgradeable("False")], [], [upgradeable("False", { observedGeneration: 2 })]],
  [
    "has another status",
    [upgradeable("False")],
    [upgradeable("True", { observedGeneration: 2 })],
    [upgradeable("False", { observedGeneration: 2 })],
  ],
  [
    "was seen in another generation",
    [upgradeable("False")],
    [upgradeable("False", { observedGeneration: 1 })],
    [upgradeable("False", { observedGeneration: 2 })],
  ],
  [
    "has another message only",
    [upgradeable("True", { message: "m" })],
    [upgradeable("True", { observedGeneration: 2 })],
    undefined,
  ],
  ["is in the status only, as v1 writes it", [], [other], undefined],
  ["is new beside one of v1", [upgradeable("True")], [other], [other, upgradeable("True", { observedGeneration: 2 })]],
];
for (const [what, spec, status, expected] of mirroring)
  test(`a condition that ${what} is ${expected === undefined ? "not copied" : "copied"}`, () =>
    assert.deepEqual(mirrored(spec, status), expected));

const conditionWith = (spec: OperatorCondition["spec"], status: readonly Condition[]): OperatorCondition => ({
  apiVersion: "operators.coreos.com/v2",
  kind: "OperatorCondition",
  metadata: { ...metadata, generation: 2 },
  ...(spec === undefined ? {} : { spec }),
  status: { conditions: status },
});
const forbidden = "the operator is not upgradeable: a migration runs";
const causes: readonly (readonly [string, OperatorCondition, string | undefined])[] = [
  ["no condition", conditionWith({}, []), undefined],
  [
    "False in the spec before the status repeats it",
    conditionWith({ conditions: [upgradeable("False")] }, []),
    forbidden,
  ],
  ["False in the status, as v1 writes it", conditionWith({}, [upgradeable("False")]), forbidden],
  ["False of this generation", conditionWith({}, [upgradeable("False", { observedGeneration: 2 })]), forbidden],
  [
    "True of a former generation",
    conditionWith({}, [upgradeable("True", { observedGeneration: 1 })]),
    'the operatorcondition status "Upgradeable"="True" is outdated',
  ],
  ["Unknown", conditionWith({}, [upgradeable("Unknown", { observedGeneration: 2 })]), undefined],
  [
    "False, overridden with True",
    conditionWith({ overrides: [upgradeable("True")] }, [upgradeable("False", { observedGeneration: 2 })]),
    undefined,
  ],
  ["overridden with Unknown", conditionWith({ overrides: [upgradeable("Unknown")] }, []), forbidden],
];
for (const [what, condition, cause] of causes)
  test(`Upgradeable ${what} ${cause === undefined ? "allows" : "forbids"} the upgrade`, () =>
    assert.equal(notUpgradeableCause(condition), cause));
