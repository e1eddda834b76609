import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { type Compat, improved } from "../../../../compat.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { permissionNames } from "./granted-roles.ts";
import {
  grantName,
  type OperatorPermissionsWorld,
  planConfirmed,
  planOperatorPermissions,
  wantedGrants,
} from "./plan-operator-permissions.ts";

const rules: readonly PolicyRule[] = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const account = { kind: "ServiceAccount", name: "sa", namespace: "ops" };
const apiVersion = "rbac.authorization.k8s.io/v1";

function csvOf(targets: string | undefined, change: { phase?: string; reason?: string; deleting?: true } = {}) {
  const { phase = "Succeeded", reason = "InstallSucceeded", deleting } = change;
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      namespace: "ops",
      name: "op.v1",
      uid: "csv-uid",
      annotations: {
        "olm.operatorGroup": "group",
        "olm.operatorNamespace": "ops",
        ...(targets === undefined ? {} : { "olm.targetNamespaces": targets }),
      },
      ...(deleting === undefined ? {} : { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: {
      displayName: "op",
      install: {
        strategy: "deployment",
        spec: { deployments: [], permissions: [{ serviceAccountName: "sa", rules }] },
      },
    },
    status: { phase, reason },
  } as unknown as ClusterServiceVersion;
}

const [name = ""] = permissionNames(csvOf(""));

test("the names of a CSV's permissions, with hashes of their rules, are derived once", () => {
  let reads = 0;
  const csv = csvOf("");
  const counted = {
    ...csv,
    get spec() {
      reads++;
      return csv.spec;
    },
  };
  const names = permissionNames(counted);
  assert.deepEqual([...names], [...permissionNames(csv)]);
  reads = 0;
  assert.equal(permissionNames(counted), names);
  assert.equal(reads, 0);
});

const labels = {
  "olm.owner": "op.v1",
  "olm.owner.kind": "ClusterServiceVersion",
  "olm.owner.namespace": "ops",
  "olm.managed": "true",
};
const ownerReferences = [{ apiVersion: "a", kind: "ClusterServiceVersion", name: "op.v1", uid: "csv-uid" }];
const role: Role = { apiVersion, kind: "Role", metadata: { namespace: "ops", name, labels, ownerReferences }, rules };
const binding: RoleBinding = {
  apiVersion,
  kind: "RoleBinding",
  metadata: { namespace: "ops", name, labels, ownerReferences },
  subjects: [{ kind: "ServiceAccount", name: "sa" }],
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
};

function groupOf(namespaces: readonly string[]): OperatorGroup {
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace: "ops", name: "group" },
    spec: { selector: { matchLabels: { a: "b" } } },
    status: { namespaces, lastUpdated: "" },
  };
}

function worldOf(
  namespaces: readonly string[],
  change: Partial<OperatorPermissionsWorld> = {},
): OperatorPermissionsWorld {
  return {
    compat: improved,
    source: "live",
    csv: csvOf(namespaces.toSorted().join(",")),
    group: groupOf(namespaces),
    own: { roles: [role], roleBindings: [binding] },
    clusterRoles: [],
    clusterRoleBindings: [],
    tenants: { roles: [], roleBindings: [] },
    namespaces: new Set(namespaces),
    copies: new Map(),
    ...change,
  };
}

type Write = {
  readonly verb: string;
  readonly type: ResourceType;
  readonly object?: KubeObject;
  readonly key?: object;
};

/** `verb Kind namespace/name` of each write. */
function lines(
  world: OperatorPermissionsWorld,
  existing: ReadonlyMap<string, KubeObject> = new Map(),
): readonly string[] {
  return planOperatorPermissions(world, existing).actions.map(({ write }) => {
    const { verb, type, object, key } = write as Write;
    const { namespace, name: held } = (key ?? keyOf(object as KubeObject)) as { namespace?: string; name: string };
    return `${verb} ${type.kind} ${namespace === undefined ? "" : `${namespace}/`}${held === name ? "NAME" : held}`;
  });
}

/** The world after its wanted grants were written. */
function granted(world: OperatorPermissionsWorld): {
  readonly world: OperatorPermissionsWorld;
  readonly existing: ReadonlyMap<string, KubeObject>;
} {
  const grants = wantedGrants(world) ?? [];
  const of = <Type extends KubeObject>(type: ResourceType<Type>): readonly Type[] =>
    grants.filter((grant) => grant.type === type).map(({ object }) => object as unknown as Type);
  return {
    world: {
      ...world,
      clusterRoles: of<ClusterRole>(clusterRoles),
      clusterRoleBindings: of<ClusterRoleBinding>(clusterRoleBindings),
      tenants: { roles: of<Role>(roles), roleBindings: of<RoleBinding>(roleBindings) },
    },
    existing: new Map(grants.map(({ type, object }) => [grantName(type, keyOf(object)), object])),
  };
}

const lifted = ["create ClusterRole NAME", "create ClusterRoleBinding NAME"];
const inA = ["create Role a/NAME", "create RoleBinding a/NAME"];
const unlifted = ["delete ClusterRoleBinding NAME", "delete ClusterRole NAME"];
const notInA = ["delete RoleBinding a/NAME", "delete Role a/NAME"];

const held: ClusterRole = { apiVersion, kind: "ClusterRole", metadata: { name: "op.v1-abc", labels }, rules };
const holds: ClusterRoleBinding = {
  apiVersion,
  kind: "ClusterRoleBinding",
  metadata: { name: "op.v1-abc", labels },
  subjects: [account],
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "op.v1-abc" },
};
const bundled: Role = { ...role, metadata: { ...role.metadata, name: "metrics-reader" } };

const renamed = <Type extends KubeObject>(object: Type, to: string): Type => ({
  ...object,
  metadata: { ...object.metadata, name: to },
});

/** Names that no InstallPlan gives. */
const byHand = (change: { readonly role?: Partial<Role>; readonly binding?: Partial<RoleBinding> } = {}) => ({
  roles: [{ ...role, metadata: { ...role.metadata, name: "sa-role" }, ...change.role }],
  roleBindings: [
    {
      ...binding,
      metadata: { ...binding.metadata, name: "sa-rb" },
      roleRef: { ...binding.roleRef, name: "sa-role" },
      ...change.binding,
    },
  ],
});
const liftedByHand = ["create ClusterRole sa-role", "create ClusterRoleBinding sa-rb"];

for (const [words, world, expected] of [
  ["a group of all namespaces lifts the permissions", worldOf([""]), lifted],
  ["a group of target namespaces repeats the permissions in them", worldOf(["ops", "a"]), inA],
  ["a group of its own namespace grants nothing", worldOf(["ops"]), []],
  ["a target namespace that does not exist gets nothing", worldOf(["a"], { namespaces: new Set() }), []],
  [
    "a Role from the bundle's manifests is not lifted",
    worldOf([""], { own: { roles: [bundled], roleBindings: [] } }),
    [],
  ],
  [
    "a Role and RoleBinding of any name that give the account just its permissions are lifted",
    worldOf([""], { own: byHand() }),
    liftedByHand,
  ],
  [
    "a Role of any name with other rules than the permissions is not lifted",
    worldOf([""], { own: byHand({ role: { rules: [...rules, ...rules] } }) }),
    [],
  ],
  ...[
    { name: "other", kind: "ServiceAccount" },
    { name: "sa", kind: "ServiceAccount", namespace: "elsewhere" },
    { name: "sa", kind: "User" },
  ].map(
    (subject) =>
      [
        `a RoleBinding of any name for ${Object.values(subject).join(" ")} is not lifted`,
        worldOf([""], { own: byHand({ binding: { subjects: [account, subject] } }) }),
        [],
      ] as const,
  ),
  [
    "a RoleBinding of any name to a Role without the CSV's labels is not lifted",
    worldOf([""], { own: byHand({ binding: { roleRef: { ...binding.roleRef, name: "other" } } }) }),
    [],
  ],
  [
    "a Role that only a RoleBinding of the permissions binds is not lifted, nor is the RoleBinding",
    worldOf([""], {
      own: { ...byHand(), roleBindings: [{ ...binding, roleRef: { ...binding.roleRef, name: "sa-role" } }] },
    }),
    [],
  ],
  [
    "a Role and RoleBinding of an older release, named by the CSV and random characters, are lifted",
    worldOf([""], {
      own: {
        roles: [renamed(role, "op.v1-x7f2k")],
        roleBindings: [
          { ...renamed(binding, "op.v1-x7f2k-sa-9k2lq"), roleRef: { ...binding.roleRef, name: "op.v1-x7f2k" } },
        ],
      },
    }),
    ["create ClusterRole op.v1-x7f2k", "create ClusterRoleBinding op.v1-x7f2k-sa-9k2lq"],
  ],
  [
    "a RoleBinding of any name without subjects is not lifted",
    worldOf([""], { own: byHand({ binding: { subjects: [] } }) }),
    [],
  ],
  [
    "a RoleBinding of any name to a ClusterRole is not lifted",
    worldOf([""], {
      own: byHand({ binding: { roleRef: { ...binding.roleRef, kind: "ClusterRole", name: "sa-role" } } }),
    }),
    [],
  ],
  [
    "a Role that does not belong to this CSV is not repeated",
    worldOf(["a"], {
      own: { roles: [{ ...role, metadata: { ...role.metadata, ownerReferences: [] } }], roleBindings: [] },
    }),
    [],
  ],
  [
    "permissions that cluster permissions include are not lifted",
    worldOf([""], { clusterRoles: [held], clusterRoleBindings: [holds] }),
    [],
  ],
  [
    "permissions that cluster permissions include are not repeated",
    worldOf(["a"], { clusterRoles: [held], clusterRoleBindings: [holds] }),
    [],
  ],
  ["a CSV without a phase is granted nothing", worldOf([""], { csv: csvOf("", { phase: "" }) }), []],
  ["a CSV that waits is granted its permissions", worldOf([""], { csv: csvOf("", { phase: "Pending" }) }), lifted],
  [
    "a CSV that does not support its group is granted nothing",
    worldOf([""], { csv: csvOf("", { phase: "Failed", reason: "UnsupportedOperatorGroup" }) }),
    [],
  ],
  ["a CSV that does not name its group's targets is granted nothing", worldOf([""], { csv: csvOf("a") }), []],
  ["a CSV without a group is granted nothing", worldOf([""], { group: undefined }), []],
] as const)
  test(words, () => {
    assert.deepEqual(lines(world), expected);
  });

test("lifted permissions have the Role's name and labels, read namespaces and bind the account of the namespace", () => {
  assert.deepEqual(
    (wantedGrants(worldOf([""])) ?? []).map(({ object }) => object),
    [
      {
        apiVersion,
        kind: "ClusterRole",
        metadata: { name, labels },
        rules: [...rules, { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] }],
      },
      {
        apiVersion,
        kind: "ClusterRoleBinding",
        metadata: { name, labels },
        subjects: [account],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      },
    ],
  );
});

test("tenant permissions are labelled for the copy of the CSV and bind the account of the operator's namespace", () => {
  const metadata = { namespace: "a", name, labels: { ...labels, "olm.owner.namespace": "a", "olm.copiedFrom": "ops" } };
  assert.deepEqual(
    (wantedGrants(worldOf(["a"])) ?? []).map(({ object }) => object),
    [
      { apiVersion, kind: "Role", metadata, rules },
      { apiVersion, kind: "RoleBinding", metadata, subjects: [account], roleRef: binding.roleRef },
    ],
  );
});

for (const targets of [[""], ["a", "b"]])
  test(`permissions that exist for the targets "${targets.join()}" are not written again`, () => {
    const { world, existing } = granted(worldOf(targets));
    assert.equal(existing.size, targets.length * 2);
    assert.deepEqual(lines(world, existing), []);
  });

const everywhere = granted(worldOf([""])).world;
const both = granted(worldOf(["a", "b"])).world;
for (const [words, world, expected] of [
  ["shrinks to a target", { ...everywhere, ...targetsOf(["a"]) }, [...inA, ...unlifted]],
  ["shrinks to its own namespace", { ...everywhere, ...targetsOf(["ops"]) }, unlifted],
  [
    "shrinks to a target that the operator does not support",
    {
      ...everywhere,
      ...targetsOf(["a"]),
      csv: csvOf("a", { phase: "Failed", reason: "UnsupportedOperatorGroup" }),
    },
    unlifted,
  ],
  [
    "loses one of its targets",
    { ...both, ...targetsOf(["b"]) },
    ["create Role b/NAME", "create RoleBinding b/NAME", ...notInA],
  ],
  ["grows to all namespaces", { ...granted(worldOf(["a"])).world, ...targetsOf([""]) }, [...lifted, ...notInA]],
  [
    "grows to all namespaces, which the operator does not support",
    {
      ...granted(worldOf(["a"])).world,
      ...targetsOf([""]),
      csv: csvOf("", { phase: "Failed", reason: "UnsupportedOperatorGroup" }),
    },
    [],
  ],
  [
    "no longer suits an operator that has its permissions everywhere",
    { ...everywhere, csv: csvOf("", { phase: "Failed", reason: "TooManyOperatorGroups" }) },
    [],
  ],
  [
    "no longer suits an operator that has its permissions in targets",
    { ...both, csv: csvOf("a,b", { phase: "Failed", reason: "TooManyOperatorGroups" }) },
    [],
  ],
  ["is not the one that the CSV names", { ...everywhere, ...targetsOf(["a"]), csv: csvOf("") }, []],
  ["selects no namespace any more", { ...everywhere, ...targetsOf([]), csv: csvOf(undefined) }, unlifted],
  [
    "loses a contest for an API",
    { ...everywhere, csv: csvOf("", { phase: "Failed", reason: "InterOperatorGroupOwnerConflict" }) },
    unlifted,
  ],
] as const)
  test(`when a group ${words}, permissions that it no longer covers are deleted last`, () => {
    assert.deepEqual(lines(world), expected);
  });

function targetsOf(namespaces: readonly string[]): Pick<OperatorPermissionsWorld, "csv" | "group" | "namespaces"> {
  const { csv, group, namespaces: found } = worldOf(namespaces);
  return { csv, group, namespaces: found };
}

test("lifted permissions are deleted also while the Roles that they repeat are missing", () => {
  const world = { ...everywhere, ...targetsOf(["ops"]), own: { roles: [], roleBindings: [] } };
  assert.deepEqual(lines(world), unlifted);
});

for (const [words, csv] of [
  ["is being deleted", csvOf("a,b", { deleting: true })],
  ["does not exist", undefined],
] as const)
  test(`the tenant permissions of a CSV that ${words} are deleted, its own cluster roles are not`, () => {
    const world = { ...both, csv, clusterRoles: everywhere.clusterRoles, clusterRoleBindings: [] };
    assert.deepEqual(lines(world), [
      "delete RoleBinding a/NAME",
      "delete RoleBinding b/NAME",
      "delete Role a/NAME",
      "delete Role b/NAME",
    ]);
  });

const liftedRoleName = grantName(clusterRoles, { name });
const liftedBindingName = grantName(clusterRoleBindings, { name });
for (const [words, at, change, expected] of [
  ["other rules", liftedRoleName, { rules: [] }, ["replace ClusterRole NAME"]],
  ["other subjects", liftedBindingName, { subjects: [] }, ["replace ClusterRoleBinding NAME"]],
  ["no labels", liftedRoleName, { metadata: { name } }, ["replace ClusterRole NAME"]],
  [
    "another role",
    liftedBindingName,
    { roleRef: { ...binding.roleRef, name: "other" } },
    ["delete ClusterRoleBinding NAME"],
  ],
] as const)
  test(`a lifted object with ${words} is repaired`, () => {
    const { world, existing } = granted(worldOf([""]));
    const changed = { ...(existing.get(at) as KubeObject), ...change };
    assert.deepEqual(lines(world, new Map([...existing, [at, changed as KubeObject]])), expected);
  });

test("a Role of another operator under the wanted name stays, and the pass is retried", () => {
  const world = worldOf(["a"]);
  const foreign = {
    ...role,
    metadata: { ...role.metadata, namespace: "a", labels: { ...labels, "olm.owner.namespace": "a" } },
  };
  const existing = new Map([[grantName(roles, { namespace: "a", name }), foreign]]);
  assert.deepEqual(lines(world, existing), ["create RoleBinding a/NAME"]);
  assert.equal(
    planOperatorPermissions(world, existing).retry,
    `Role a/${name} belongs to the ClusterServiceVersion a/op.v1`,
  );
});

test("what was lifted from a Role of any name is kept, and deleted when the group shrinks", () => {
  const { world, existing } = granted(worldOf([""], { own: byHand() }));
  assert.deepEqual(lines(world, existing), []);
  assert.deepEqual(lines({ ...world, ...targetsOf(["ops"]) }), [
    "delete ClusterRoleBinding sa-rb",
    "delete ClusterRole sa-role",
  ]);
});

test("a repaired object keeps its other labels", () => {
  const { world, existing } = granted(worldOf([""]));
  const at = {
    ...(existing.get(liftedRoleName) as ClusterRole),
    metadata: { name, labels: { ...labels, team: "x" } },
    rules: [],
  };
  const [action] = planOperatorPermissions(world, new Map([...existing, [liftedRoleName, at]])).actions;
  const { object } = (action?.write ?? {}) as Partial<Write>;
  assert.deepEqual(object?.metadata.labels, { ...labels, team: "x" });
});

const secrets: readonly PolicyRule[] = [{ verbs: ["*"], apiGroups: [""], resources: ["secrets"] }];
const aggregated = {
  ...labels,
  "rbac.authorization.k8s.io/aggregate-to-view": "true",
  "vendor.example/aggregate": "true",
};
const edited: Role = { ...role, metadata: { ...role.metadata, labels: aggregated }, rules: secrets };
const user = { kind: "User", name: "eve", apiGroup: "rbac.authorization.k8s.io" };
const stranger = { kind: "ServiceAccount", name: "eve" };
const shared: RoleBinding = { ...binding, subjects: [...(binding.subjects ?? []), user, stranger] };
const added: Role = { ...role, metadata: { ...role.metadata, name: "op.v1-eve" }, rules: secrets };
const addedBinding: RoleBinding = {
  ...shared,
  metadata: { ...binding.metadata, name: "op.v1-eve" },
  roleRef: { ...binding.roleRef, name: "op.v1-eve" },
};
const tampered = { own: { roles: [edited, added], roleBindings: [shared, addedBinding] } };
const readsNamespaces = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };
const summary = (world: OperatorPermissionsWorld): readonly unknown[] =>
  (wantedGrants(world) ?? []).map(({ type, object }) => {
    const { rules: held, subjects } = object as Role & RoleBinding;
    return [type.kind, object.metadata.name === name ? "NAME" : object.metadata.name, held ?? subjects];
  });

test("without --compat=tenant-grants what a tenant adds to the Roles of an operator is not repeated elsewhere", () => {
  assert.deepEqual(summary(worldOf([""], tampered)), [
    ["ClusterRole", "NAME", [...rules, readsNamespaces]],
    ["ClusterRoleBinding", "NAME", [account]],
  ]);
  assert.deepEqual(summary(worldOf(["a", "ops"], tampered)), [
    ["Role", "NAME", rules],
    ["RoleBinding", "NAME", [account]],
  ]);
  for (const { object } of wantedGrants(worldOf([""], tampered)) ?? [])
    assert.deepEqual(object.metadata.labels, labels);
});

test("where the account of the group writes the permissions, refused ones do not keep others from being deleted", () => {
  const { world: before } = granted(worldOf(["a", "ops"]));
  const group = { ...groupOf([""]), spec: { serviceAccountName: "sa" } };
  const next = { ...before, csv: csvOf(""), group };
  assert.deepEqual(lines(next), [...notInA, ...lifted]);
  assert.deepEqual(lines({ ...next, group: { ...group, spec: { serviceAccountName: "" } } }), [...lifted, ...notInA]);
  assert.deepEqual(lines({ ...next, compat: { keepsUpstream: (word) => word === "tenant-grants" } }), [
    ...lifted,
    ...notInA,
  ]);
});

test("the Roles of older releases, with other names, are repeated when the CSV declares their rules", () => {
  const old = { ...role, metadata: { ...role.metadata, name: "op.v1-x7f9a" } };
  const oldBinding = { ...binding, roleRef: { ...binding.roleRef, name: "op.v1-x7f9a" } };
  const world = worldOf([""], { own: { roles: [old], roleBindings: [oldBinding] } });
  assert.deepEqual(summary(world), [
    ["ClusterRole", "op.v1-x7f9a", [...rules, readsNamespaces]],
    ["ClusterRoleBinding", "NAME", [account]],
  ]);
});

test("a binding to a ClusterRole, or for nobody that the CSV names, is not repeated", () => {
  const toCluster = { ...binding, roleRef: { ...binding.roleRef, kind: "ClusterRole" } };
  const forOthers = { ...binding, subjects: [user, { ...account, namespace: "else" }] };
  for (const roleBinding of [toCluster, forOthers])
    assert.deepEqual(summary(worldOf([""], { own: { roles: [role], roleBindings: [roleBinding] } })), [
      ["ClusterRole", "NAME", [...rules, readsNamespaces]],
    ]);
});

test("with --compat=tenant-grants Roles are repeated as they are, with every label", () => {
  const upstream: Compat = { keepsUpstream: (word) => word === "tenant-grants" };
  const world = worldOf([""], { ...tampered, compat: upstream });
  assert.deepEqual(summary(world), [
    ["ClusterRole", "NAME", [...secrets, readsNamespaces]],
    ["ClusterRole", "op.v1-eve", [...secrets, readsNamespaces]],
    ["ClusterRoleBinding", "NAME", [account, user, { namespace: "ops", ...stranger }]],
    ["ClusterRoleBinding", "op.v1-eve", [account, user, { namespace: "ops", ...stranger }]],
  ]);
  assert.deepEqual(wantedGrants(world)?.[0]?.object.metadata.labels, aggregated);
});

test("a deletion that informers ask for needs a live read of its reasons first; a plan without one does not", () => {
  const world = worldOf(["ops"], {
    tenants: { roles: [{ ...role, metadata: { ...role.metadata, namespace: "a" } }], roleBindings: [] },
  });
  assert.deepEqual(planConfirmed({ ...world, source: "cached" }, new Map()), { needs: "liveRead" });
  assert.deepEqual(planConfirmed(world, new Map()), planOperatorPermissions(world, new Map()));
  assert.equal(planOperatorPermissions(world, new Map()).actions.length, 1);
  assert.deepEqual(planConfirmed({ ...worldOf(["ops"]), source: "cached" }, new Map()), { actions: [] });
});
