import assert from "node:assert/strict";
import { test } from "node:test";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { type Compat, improved } from "../../../../compat.ts";
import { type ApiRolesWorld, planApiRoles } from "./plan-api-roles.ts";

const upstream: Compat = { keepsUpstream: (name) => name === "api-roles" };

/** Owns the CRD `ghosts.ghouls` and the API `v1.fake.api.group`. */
function csvOf(namespace: string, change: Partial<ClusterServiceVersion> = {}): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name: "op.v1", uid: namespace },
    spec: {
      displayName: "op",
      install: { strategy: "deployment" },
      customresourcedefinitions: { owned: [{ name: "ghosts.ghouls", version: "v1alpha1", kind: "Ghost" }] },
      apiservicedefinitions: {
        owned: [{ name: "goblins", group: "fake.api.group", version: "v1", kind: "c1", deploymentName: "d" }],
      },
    },
    status: { phase: "Succeeded" },
    ...change,
  };
}

const serviceOf = (name: string, group: string, service?: { readonly name: string }): APIService =>
  ({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, uid: `${name}-uid` },
    spec: { group, ...(service === undefined ? {} : { service }) },
  }) as APIService;

const goblins = serviceOf("v1.fake.api.group", "fake.api.group", { name: "d" });

function worldOf(change: Partial<ApiRolesWorld> = {}): ApiRolesWorld {
  return {
    compat: improved,
    csv: csvOf("ns"),
    rivals: [],
    crds: new Map([["ghosts.ghouls", "crd-uid"]]),
    apiServices: [goblins],
    clusterRoles: new Map(),
    ...change,
  };
}

type Write = { readonly verb: string; readonly object: ClusterRole };
const writes = (world: ApiRolesWorld): readonly Write[] =>
  planApiRoles(world).actions.map(({ write }) => write as unknown as Write);
const lines = (world: ApiRolesWorld): readonly string[] =>
  writes(world).map(({ verb, object: { metadata, rules = [] } }) =>
    [
      verb,
      metadata.name,
      ...rules.map((rule) =>
        [rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames ?? []].map((list) => list?.join()).join(" "),
      ),
      Object.keys(metadata.labels ?? {}).join(" "),
      (metadata.ownerReferences ?? [])
        .map(({ apiVersion, kind, name, uid }) => `${apiVersion} ${kind} ${name} ${uid}`)
        .join(),
    ].join("; "),
  );

const [ghost, goblin] = [
  "apiextensions.k8s.io/v1 CustomResourceDefinition ghosts.ghouls crd-uid",
  "apiregistration.k8s.io/v1 APIService v1.fake.api.group v1.fake.api.group-uid",
];
const labels = (suffix: string, api: string): string =>
  `rbac.authorization.k8s.io/aggregate-to-${suffix} olm.opgroup.permissions/aggregate-to-${api}-${suffix} olm.managed`;
/** FNV-1a of `Ghost.v1alpha1.ghouls` and `c1.v1.fake.api.group`. */
const [ghostHash, goblinHash] = ["6435ab0d7c6bda64", "9f4c46c37bdff8d0"];
const ofGhosts = [
  `create; ghosts.ghouls-v1alpha1-admin; * ghouls ghosts ; ${labels("admin", ghostHash)}; ${ghost}`,
  `create; ghosts.ghouls-v1alpha1-edit; create,update,patch,delete ghouls ghosts ; ${labels("edit", ghostHash)}; ${ghost}`,
  `create; ghosts.ghouls-v1alpha1-view; get,list,watch ghouls ghosts ; ${labels("view", ghostHash)}; ${ghost}`,
  `create; ghosts.ghouls-v1alpha1-crdview; get apiextensions.k8s.io customresourcedefinitions ghosts.ghouls; ${labels("view", ghostHash)}; ${ghost}`,
];
const ofGoblins = [
  `create; goblins-v1-admin; * fake.api.group goblins ; ${labels("admin", goblinHash)}; ${goblin}`,
  `create; goblins-v1-edit; create,update,patch,delete fake.api.group goblins ; ${labels("edit", goblinHash)}; ${goblin}`,
  `create; goblins-v1-view; get,list,watch fake.api.group goblins ; ${labels("view", goblinHash)}; ${goblin}`,
];

const deleting = { namespace: "ns", name: "op.v1", deletionTimestamp: "2026-01-01T00:00:00Z" };
for (const [words, world, expected] of [
  ["an installed CSV gives roles for each CRD and APIService that it owns", worldOf(), [...ofGhosts, ...ofGoblins]],
  ["a CSV that does not exist gives none", worldOf({ csv: undefined }), []],
  ["a CSV that is not installed gives none", worldOf({ csv: csvOf("ns", { status: { phase: "Installing" } }) }), []],
  ["a CSV that is being deleted gives none", worldOf({ csv: csvOf("ns", { metadata: deleting }) }), []],
  ["an API whose CRD does not exist has none", worldOf({ crds: new Map() }), ofGoblins],
  ["an API whose APIService does not exist has none", worldOf({ apiServices: [] }), ofGhosts],
  [
    "another version of a group that kube-apiserver serves itself has none",
    worldOf({ apiServices: [goblins, serviceOf("v2.fake.api.group", "fake.api.group")] }),
    ofGhosts,
  ],
  [
    "with --compat=api-roles another version of a group that kube-apiserver serves itself has roles",
    worldOf({ compat: upstream, apiServices: [goblins, serviceOf("v2.fake.api.group", "fake.api.group")] }),
    [...ofGhosts, ...ofGoblins],
  ],
  ["of two CSVs that describe a role the first one decides", worldOf({ rivals: [csvOf("a")] }), []],
  [
    "of two CSVs that describe a role the second one does not decide",
    worldOf({ rivals: [csvOf("z")] }),
    [...ofGhosts, ...ofGoblins],
  ],
  [
    "a CSV that is not installed does not decide about a role",
    worldOf({ rivals: [csvOf("a", { status: { phase: "Failed" } })] }),
    [...ofGhosts, ...ofGoblins],
  ],
] as const)
  test(words, () => {
    assert.deepEqual(lines(world), expected);
  });

const others = serviceOf("v1.other.api.group", "other.api.group", { name: "d" });
function ofTwoGroups(): ApiRolesWorld {
  const [goblin] = csvOf("ns").spec.apiservicedefinitions?.owned ?? [];
  assert.ok(goblin !== undefined);
  const owned = [goblin, { ...goblin, group: "other.api.group" }, goblin];
  const { customresourcedefinitions: _, ...spec } = csvOf("ns").spec;
  const csv = csvOf("ns", { spec: { ...spec, apiservicedefinitions: { owned } } });
  return worldOf({ csv, apiServices: [goblins, others] });
}

test("two APIs whose roles have one name share the role, which is written once", () => {
  const written = writes(ofTwoGroups()).map(({ object }) => object);
  assert.deepEqual(
    written.map(({ metadata, rules }) => [
      metadata.name,
      (rules ?? []).map(({ apiGroups }) => apiGroups?.join()).join(" "),
      (metadata.ownerReferences ?? []).map(({ name }) => name).join(" "),
      Object.keys(metadata.labels ?? {}).length,
    ]),
    ["admin", "edit", "view"].map((suffix) => [
      `goblins-v1-${suffix}`,
      "fake.api.group other.api.group",
      "v1.fake.api.group v1.other.api.group",
      4,
    ]),
  );
  const clusterRoles = new Map(written.map((role) => [role.metadata.name ?? "", role]));
  assert.deepEqual(writes({ ...ofTwoGroups(), clusterRoles }), []);
});

/** All roles as they were written, the first one changed. */
function existing(change: (role: ClusterRole) => ClusterRole): ReadonlyMap<string, ClusterRole> {
  const roles = writes(worldOf()).map(({ object }) => object);
  return new Map(roles.map((role, index) => [role.metadata.name ?? "", index === 0 ? change(role) : role]));
}
const withMetadata =
  (change: ClusterRole["metadata"]) =>
  (role: ClusterRole): ClusterRole => ({
    ...role,
    metadata: { ...role.metadata, ...change },
  });

test("roles that exist as described are not written", () => {
  assert.deepEqual(lines(worldOf({ clusterRoles: existing((role) => role) })), []);
});

const oldOwner = { apiVersion: "v1", kind: "customresourcedefinition", name: "ghosts.ghouls", uid: "crd-uid" };
for (const [words, change] of [
  ["other rules", (role: ClusterRole) => ({ ...role, rules: [] })],
  ["an aggregation rule", (role: ClusterRole) => ({ ...role, aggregationRule: {} })],
  ["one label more", withMetadata({ labels: { ...writes(worldOf())[0]?.object.metadata.labels, a: "b" } })],
  ["the owner that OLM writes", withMetadata({ ownerReferences: [oldOwner] })],
  ["no label but that of managed objects", withMetadata({ labels: { "olm.managed": "true" } })],
  ["no label of managed objects", withMetadata({ labels: { "olm.opgroup.permissions/aggregate-to-1-admin": "true" } })],
] as const)
  test(`a role with ${words} is overwritten`, () => {
    const expected = ofGhosts[0]?.replace("create", "replace");
    assert.deepEqual(lines(worldOf({ clusterRoles: existing(change) })), [expected]);
  });

test("without --compat=api-roles a ClusterRole of the same name that belongs to nobody's API stays as it is", () => {
  assert.deepEqual(lines(worldOf({ clusterRoles: existing(withMetadata({ labels: { team: "a" } })) })), []);
});

test("with --compat=api-roles a ClusterRole of the same name is overwritten", () => {
  const clusterRoles = existing(withMetadata({ labels: { team: "a" } }));
  assert.equal(lines(worldOf({ compat: upstream, clusterRoles })).length, 1);
});
