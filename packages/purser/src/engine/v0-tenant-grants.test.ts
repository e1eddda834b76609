import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  events,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { JsonValue } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import { improved, parseCompat } from "../compat.ts";
import { ensureNamespace } from "./catalog-objects.ts";
import { applyOwnCrds } from "./own-manifests.ts";
import { World } from "./testing/world.ts";

const { signal } = new AbortController();
const rbac = "rbac.authorization.k8s.io";
let world: World;
/** May write all kinds of OLM v0 and all RBAC in three namespaces, and nothing elsewhere. */
const eve = "eve";
const tenantRules: readonly PolicyRule[] = [
  { apiGroups: ["operators.coreos.com"], resources: ["*"], verbs: ["*"] },
  { apiGroups: [rbac], resources: ["roles", "rolebindings"], verbs: ["*"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["*"] },
];

async function bind(at: World, namespace: string, role: string, subject: object): Promise<void> {
  await at.create(roleBindings, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { namespace, name: role },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [subject as never],
  });
}

async function clusterRole(at: World, name: string, rules: readonly PolicyRule[]): Promise<void> {
  await at.create(clusterRoles, { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules });
}

/** A CatalogSource of an administrator as the owner of ConfigMaps, by namespace. */
const catalogOwners = new Map<string, Record<string, string>>();

async function addCatalogOwner(namespace: string): Promise<void> {
  const metadata = { namespace, name: "of-others" };
  const created = v1alpha1("CatalogSource", namespace, {
    metadata,
    spec: { sourceType: "grpc", address: "127.0.0.1:1" },
  });
  await world.create(catalogSources as ResourceType, created);
  const { uid = "" } = (await world.client.get(catalogSources, metadata))?.metadata ?? {};
  catalogOwners.set(namespace, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    name: "of-others",
    uid,
  });
}

before(async () => {
  world = await World.open();
  await world.tenant("open", {});
  await world.tenant("bounded", { targetNamespaces: ["bounded"], serviceAccountName: "installer" });
  await ensureNamespace(world.client, "groupless", signal);
  await clusterRole(world, "tenant", tenantRules);
  await clusterRole(world, "token", [
    { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: ["mine"], verbs: ["create"] },
  ]);
  await clusterRole(world, "impersonator", [
    { apiGroups: [""], resources: ["serviceaccounts"], resourceNames: ["ours"], verbs: ["impersonate"] },
  ]);
  const user = { apiGroup: rbac, kind: "User", name: eve };
  for (const namespace of ["open", "bounded", "groupless"]) await bind(world, namespace, "tenant", user);
  for (const role of ["token", "impersonator"]) await bind(world, "groupless", role, user);
  for (const namespace of ["open", "bounded"]) await addCatalogOwner(namespace);
});
after(() => world.stop());

const v1alpha1 = (kind: string, namespace: string, more: object): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind,
    metadata: { namespace, name: "tenants" },
    ...more,
  }) as KubeObject;
const subscribed = {
  name: "logbook-db",
  source: "demo",
  sourceNamespace: "olm",
  channel: "stable",
  installPlanApproval: "Manual",
};
const kinds: readonly (readonly [string, ResourceType, (namespace: string) => KubeObject])[] = [
  [
    "a CatalogSource",
    catalogSources,
    (place) => v1alpha1("CatalogSource", place, { spec: { sourceType: "grpc", address: "127.0.0.1:1" } }),
  ],
  ["a Subscription", subscriptions, (place) => v1alpha1("Subscription", place, { spec: subscribed })],
  [
    "a ClusterServiceVersion",
    clusterServiceVersions,
    (place) =>
      v1alpha1("ClusterServiceVersion", place, {
        spec: { displayName: "crafted", install: { strategy: "deployment" }, cleanup: { enabled: false } },
      }),
  ],
];

async function answer(type: ResourceType, object: KubeObject): Promise<string> {
  const created = await world.clientOf(eve).write({ verb: "create", type, object }, signal);
  return created.ok ? "created" : created.problem.status.message;
}

async function patched(type: ResourceType, name: string, patch: JsonValue, subresource?: "status"): Promise<string> {
  const [namespace = "", held = ""] = name.split("/");
  const status = subresource === undefined ? {} : { subresource };
  const written = await world
    .clientOf(eve)
    .write({ verb: "patch", type, key: { namespace, name: held }, patchType: "merge", patch, ...status }, signal);
  return written.ok ? "patched" : written.problem.status.message;
}

const denied = (policy: string, text: string): string =>
  `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${text}`;
const unboundedGroup =
  "OperatorGroup group names no service account, so that operators are installed with more rights than eve may grant. Ask a cluster administrator to set spec.serviceAccountName of the OperatorGroup to an account with the rights that operators may have in this namespace, or to make this change";
const refusal = denied("operators-bounded-by-service-account", unboundedGroup);
const contentRefusal = denied("catalog-contents-bounded-by-service-account", unboundedGroup);

for (const [words, type, object] of kinds) {
  test(`${words} of a tenant is refused where operators are installed with all rights`, async () => {
    const answered = await answer(type, object("open"));
    assert.ok(answered.endsWith(refusal), answered);
    assert.equal(await world.client.get(type, { namespace: "open", name: "tenants" }), undefined);
  });

  test(`${words} of a tenant is accepted where the group names a service account`, async () => {
    assert.equal(await answer(type, object("bounded")), "created");
    await world.remove(type, { namespace: "bounded", name: "tenants" });
  });

  test(`${words} of an administrator may be labelled by a tenant and not changed`, async () => {
    await world.create(type, object("open"));
    const name = "open/tenants";
    assert.equal(await patched(type, name, { metadata: { labels: { mine: "yes" } } }), "patched");
    const changed = await patched(type, name, { spec: { displayName: "changed", channel: "other" } });
    assert.ok(changed.endsWith(refusal), changed);
    await world.remove(type, { namespace: "open", name: "tenants" });
  });

  test(`with --compat=tenant-grants ${words} of a tenant is accepted`, async () => {
    const upstream = parseCompat("tenant-grants");
    assert.ok(upstream.ok);
    await applyOwnCrds(world.client, systemClock, signal, upstream.value);
    try {
      assert.equal(await answer(type, object("open")), "created");
      await world.remove(type, { namespace: "open", name: "tenants" });
    } finally {
      await applyOwnCrds(world.client, systemClock, signal, improved);
    }
  });
}

test("without an OperatorGroup administrators and tenants may write, and nothing is installed", async () => {
  const subscription = v1alpha1("Subscription", "groupless", {
    spec: { ...subscribed, installPlanApproval: "Automatic" },
  });
  assert.equal(await answer(subscriptions, subscription), "created");
  await world.settled();
  assert.deepEqual(await world.client.list(clusterServiceVersions, { namespace: "groupless" }), []);
  await world.remove(subscriptions, { namespace: "groupless", name: "tenants" });
});

test("the steps of an InstallPlan are not written by a tenant, who may approve it", async () => {
  const key = { namespace: "open", name: "install-crafted" };
  const spec = { approval: "Manual", approved: false, clusterServiceVersionNames: ["a"] };
  await world.create(installPlans as ResourceType, { ...v1alpha1("InstallPlan", "open", { spec }), metadata: key });
  const manifest = JSON.stringify({ apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "stolen" } });
  const resource = { group: rbac, version: "v1", kind: "ClusterRole", name: "stolen", manifest };
  const step = {
    resolving: "a",
    status: "Unknown",
    resource: { ...resource, sourceName: "", sourceNamespace: "" },
  };
  const status = { phase: "Installing", catalogSources: [], plan: [step] };
  const written = await patched(installPlans, "open/install-crafted", { status }, "status");
  assert.ok(written.endsWith(refusal), written);
  assert.equal(await patched(installPlans, "open/install-crafted", { spec: { approved: true } }), "patched");
  await world.remove(installPlans, key);
});

const content = (namespace: string, more: object = { data: { clusterServiceVersions: "[]" } }): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "content" }, ...more }) as KubeObject;
/** As OLM unpacks a bundle: no keys of catalogs, and a CatalogSource that owns it. */
const unpacked = (namespace: string): KubeObject =>
  content(namespace, {
    metadata: { namespace, name: "content", ownerReferences: [catalogOwners.get(namespace)] },
    binaryData: { "csv.yaml": "YQ==" },
  });

for (const [words, object, change] of [
  ["a catalog in a ConfigMap", content, { data: { clusterServiceVersions: "[{}]" } }],
  ["a definition in a catalog's ConfigMap", content, { data: { customResourceDefinitions: "[{}]" } }],
  ["what makes a ConfigMap a catalog", content, { data: { clusterServiceVersions: null } }],
  ["a bundle that OLM unpacked", unpacked, { binaryData: { "csv.yaml": "Yg==" } }],
  ["how a bundle that OLM unpacked is encoded", unpacked, { metadata: { annotations: { "olm.contentEncoding": "" } } }],
] as const)
  test(`${words} is not written by a tenant where operators are installed with all rights`, async () => {
    const answered = await answer(configMaps, object("open"));
    assert.ok(answered.endsWith(contentRefusal), answered);
    await world.create(configMaps, object("open") as never);
    const changed = await patched(configMaps, "open/content", change);
    assert.ok(changed.endsWith(contentRefusal), changed);
    assert.equal(await patched(configMaps, "open/content", { metadata: { labels: { mine: "yes" } } }), "patched");
    await world.remove(configMaps, { namespace: "open", name: "content" });
    assert.equal(await answer(configMaps, object("bounded")), "created");
    assert.equal(await patched(configMaps, "bounded/content", change), "patched");
    await world.remove(configMaps, { namespace: "bounded", name: "content" });
  });

test("a ConfigMap of a tenant is no catalog until it is written as one, and the owner of one may be removed", async () => {
  assert.equal(await answer(configMaps, content("open", { data: { packages: "[]", colour: "red" } })), "created");
  assert.equal(await patched(configMaps, "open/content", { data: { colour: "blue" } }), "patched");
  for (const change of [
    { data: { clusterServiceVersions: "[]" } },
    { metadata: { ownerReferences: [catalogOwners.get("open") ?? {}] } },
  ]) {
    const changed = await patched(configMaps, "open/content", change);
    assert.ok(changed.endsWith(contentRefusal), changed);
  }
  await world.remove(configMaps, { namespace: "open", name: "content" });
  await world.create(configMaps, unpacked("open") as never);
  assert.equal(await patched(configMaps, "open/content", { metadata: { ownerReferences: null } }), "patched");
  await world.remove(configMaps, { namespace: "open", name: "content" });
});

test("with --compat=tenant-grants a tenant writes the content of catalogs", async () => {
  const upstream = parseCompat("tenant-grants");
  assert.ok(upstream.ok);
  await applyOwnCrds(world.client, systemClock, signal, upstream.value);
  try {
    assert.equal(await answer(configMaps, content("open")), "created");
    await world.remove(configMaps, { namespace: "open", name: "content" });
  } finally {
    await applyOwnCrds(world.client, systemClock, signal, improved);
  }
});

test("a tenant's OperatorGroup names an account that the tenant may act as, and keeps it", async () => {
  const group = (serviceAccountName?: string): KubeObject =>
    ({
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { namespace: "groupless", name: serviceAccountName ?? "none" },
      spec: { ...(serviceAccountName === undefined ? {} : { serviceAccountName }), targetNamespaces: ["groupless"] },
    }) as KubeObject;
  const policy = "operatorgroups-name-service-account";
  const unbounded = denied(
    policy,
    "operators of this group would be installed with all rights of the lifecycle manager. Set spec.serviceAccountName to an account that you may impersonate, or ask a cluster administrator to make this change",
  );
  const foreign = denied(
    policy,
    "operators of this group would be installed with the rights of service account theirs, and eve may neither impersonate it nor create tokens for it",
  );
  const refused = async (made: Promise<string>, text: string): Promise<void> => {
    const answered = await made;
    assert.ok(answered.endsWith(text), answered);
  };
  await refused(answer(operatorGroups, group()), unbounded);
  await refused(answer(operatorGroups, group("theirs")), foreign);
  for (const name of ["mine", "ours"]) {
    assert.equal(await answer(operatorGroups, group(name)), "created");
    await refused(patched(operatorGroups, `groupless/${name}`, { spec: { serviceAccountName: null } }), unbounded);
    await refused(patched(operatorGroups, `groupless/${name}`, { spec: { serviceAccountName: "theirs" } }), foreign);
    assert.equal(await patched(operatorGroups, `groupless/${name}`, { metadata: { labels: { a: "b" } } }), "patched");
    await world.remove(operatorGroups, { namespace: "groupless", name });
  }
});

test("the account in the status of an OperatorGroup is not written by a tenant", async () => {
  const serviceAccountRef = {
    kind: "ServiceAccount",
    namespace: "kube-system",
    name: "clusterrole-aggregation-controller",
  };
  const status = { lastUpdated: "2020-01-01T00:00:00Z", namespaces: ["bounded"], serviceAccountRef };
  const written = await patched(operatorGroups, "bounded/group", { status }, "status");
  const text =
    "the status of an OperatorGroup holds its namespaces and the account that installs; only the lifecycle manager writes it";
  assert.ok(written.endsWith(denied("operatorgroups-status", text)), written);
});

/** A tenant's group that reaches into a namespace of others; its account may install in the own namespace alone. */
async function reaching(at: World): Promise<void> {
  await ensureNamespace(at.client, "victim", signal);
  await at.tenant("reaching", { targetNamespaces: ["reaching", "victim"], serviceAccountName: "installer" });
  const account = { kind: "ServiceAccount", namespace: "reaching", name: "installer" };
  const metadata = { namespace: account.namespace, name: account.name };
  await at.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await bind(at, "reaching", "cluster-admin", account);
  await clusterRole(at, "grants", [
    { apiGroups: [rbac], resources: ["clusterroles", "clusterrolebindings"], verbs: ["*"] },
    { apiGroups: ["logbook.demo.purser.dev"], resources: ["*"], verbs: ["*"] },
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["create", "update"] },
  ]);
  await at.create(clusterRoleBindings, {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "grants" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "grants" },
    subjects: [account],
  });
  await at.subscribe("reaching", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
}

const inVictim = async (at: World): Promise<readonly string[]> =>
  (
    await Promise.all([
      at.client.list(roles, { namespace: "victim", labelSelector: "olm.owner" }),
      at.client.list(roleBindings, { namespace: "victim", labelSelector: "olm.owner" }),
    ])
  )
    .flat()
    .map(({ kind }) => kind);

test("an operator's permissions reach only the namespaces where the account of its group holds them", async () => {
  await reaching(world);
  const refused = await world.until("a refused grant", async () => {
    const found = await world.client.list(events, { namespace: "reaching" });
    return found.find((event) => (event as { readonly reason?: string }).reason === "PermissionsRefused");
  });
  assert.match(
    (refused as { readonly message?: string }).message ?? "",
    /User "system:serviceaccount:reaching:installer" cannot create resource "roles" in API group "rbac\.authorization\.k8s\.io" in the namespace "victim"/,
  );
  assert.deepEqual(await inVictim(world), []);
  await bind(world, "victim", "cluster-admin", { kind: "ServiceAccount", namespace: "reaching", name: "installer" });
  await world.until("the permissions in the other namespace", async () => (await inVictim(world)).length === 2);
  // Revoked also when the account may not delete them.
  await world.remove(roleBindings, { namespace: "victim", name: "cluster-admin" });
  await world.merge(
    operatorGroups,
    { namespace: "reaching", name: "group" },
    { spec: { targetNamespaces: ["reaching"] } },
  );
  await world.until("no permissions in the other namespace", async () => (await inVictim(world)).length === 0);
});

test("with --compat=tenant-grants an operator's permissions reach every namespace of its group", async () => {
  const upstream = parseCompat("tenant-grants");
  assert.ok(upstream.ok);
  const kept = await World.open({ compat: upstream.value });
  try {
    await reaching(kept);
    await kept.until("the permissions in the other namespace", async () => (await inVictim(kept)).length === 2);
  } finally {
    await kept.stop();
  }
});

test("an operator that a tenant subscribes to gets no rights that the account of the group does not hold", async () => {
  await world.create(serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "bounded", name: "installer" },
  });
  await bind(world, "bounded", "cluster-admin", { kind: "ServiceAccount", namespace: "bounded", name: "installer" });
  const object = v1alpha1("Subscription", "bounded", { spec: { ...subscribed, installPlanApproval: "Automatic" } });
  assert.equal(await answer(subscriptions, object), "created");
  const plan = await world.until("a plan that is refused", async () => {
    const found = await world.client.list(installPlans, { namespace: "bounded" });
    return found.find(({ status }) => status?.message?.includes("forbidden"));
  });
  // The account may not write the CRD either, which exists as it is wanted since another namespace installed the operator.
  assert.match(
    plan.status?.message ?? "",
    /system:serviceaccount:bounded:installer" cannot create resource "clusterroles"/,
  );
  const granted = await world.client.list(clusterRoles, { labelSelector: "olm.owner.namespace=bounded" });
  assert.deepEqual(
    granted.filter(({ metadata }) => metadata.name?.startsWith("logbook-db.")),
    [],
  );
});

test("a CRD that the account of the group may not create makes the plan wait, until an administrator creates it", async () => {
  const namespace = "definitions";
  await world.tenant(namespace, { targetNamespaces: [namespace], serviceAccountName: "installer" });
  const metadata = { namespace, name: "installer" };
  await world.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await bind(world, namespace, "cluster-admin", { kind: "ServiceAccount", ...metadata });
  const crd = { name: "caches.ballast.demo.purser.dev" };
  await world.subscribe(namespace, "ballast-cache");
  const refused = await world.until("a plan that is refused", async () =>
    (await world.client.list(installPlans, { namespace })).find(({ status }) => status?.message?.includes("forbidden")),
  );
  assert.match(
    refused.status?.message ?? "",
    /User "system:serviceaccount:definitions:installer" cannot create resource "customresourcedefinitions".* at the cluster scope\. A cluster administrator grants this to the service account of the OperatorGroup, or creates the definition\nPermissionDenied: ServiceAccount definitions\/installer may not /,
  );
  assert.equal(await world.client.get(customResourceDefinitions, crd), undefined);
  const { manifest = "{}" } =
    refused.status?.plan?.find(({ resource }) => resource.kind === "CustomResourceDefinition")?.resource ?? {};
  await world.create(customResourceDefinitions, JSON.parse(manifest) as CustomResourceDefinition);
  await world.until("a plan that is refused for another object", async () =>
    (await world.client.list(installPlans, { namespace })).find(
      ({ status }) =>
        /^.*forbidden/.test(status?.message ?? "") && !/^.*customresourcedefinitions/.test(status?.message ?? ""),
    ),
  );
});

test("what a tenant adds to the Role of an operator for all namespaces does not reach other namespaces", async () => {
  const name = "logbook-db.v1.2.0";
  // Groups that share an API with this one would take it from the operator.
  await world.stop();
  world = await World.open();
  await world.tenant("global", {});
  await clusterRole(world, "tenant", tenantRules);
  await bind(world, "global", "tenant", { apiGroup: rbac, kind: "User", name: eve });
  await world.subscribe("global", "logbook-db", { startingCSV: name });
  await world.reaches(
    clusterServiceVersions,
    { namespace: "global", name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.settled();
  const [role] = await world.client.list(roles, { namespace: "global", labelSelector: `olm.owner=${name}` });
  const key = { name: role?.metadata.name ?? "" };
  const lifted = await world.client.get(clusterRoles, key);
  assert.ok(lifted !== undefined);
  const metadata = {
    namespace: "global",
    name: `${name}-eve`,
    labels: { ...role?.metadata.labels, [`${rbac}/aggregate-to-view`]: "true" },
  };
  const rules = [{ apiGroups: ["operators.coreos.com"], resources: ["*"], verbs: ["*"] }];
  const copied = { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules };
  assert.equal(await answer(roles as ResourceType, copied as KubeObject), "created");
  const bound = {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
    subjects: [{ apiGroup: rbac, kind: "User", name: eve }],
  };
  assert.equal(await answer(roleBindings as ResourceType, bound as KubeObject), "created");
  await world.settled();
  assert.equal(await world.client.get(clusterRoles, { name: metadata.name }), undefined);
  assert.equal(await world.client.get(clusterRoleBindings, { name: metadata.name }), undefined);
  assert.deepEqual((await world.client.get(clusterRoles, key))?.rules, lifted.rules);
});
