import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { configMap, started, withNamespace, type TestServer } from "../testing/server.ts";

const mapsPath = "/api/v1/namespaces/demo/configmaps";

async function create(
  server: TestServer,
  name: string,
  owners: readonly JsonObject[] = [],
  more: JsonObject = {},
): Promise<JsonObject> {
  const metadata = { ...more, ...(owners.length === 0 ? {} : { ownerReferences: owners }) };
  const answer = await server.ask({ method: "POST", path: mapsPath, body: configMap(name, { metadata }) });
  assert.equal(answer.code, 201, JSON.stringify(answer.object));
  await server.server.settled();
  return answer.object;
}

function ownedBy(owner: JsonObject, more: JsonObject = {}): JsonObject {
  const metadata = objectIn(owner, "metadata");
  const [name, uid] = [textIn(metadata, "name"), textIn(metadata, "uid")];
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, ...more };
}

async function remove(server: TestServer, path: string): Promise<void> {
  const answer = await server.ask({ method: "DELETE", path });
  assert.equal(answer.code, 200, JSON.stringify(answer.object));
  await server.server.settled();
}

async function exists(server: TestServer, name: string): Promise<boolean> {
  return (await server.ask({ path: `${mapsPath}/${name}` })).code === 200;
}

async function release(server: TestServer, path: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  await server.ask({ method: "PATCH", path, headers, body: { metadata: { finalizers: null } } });
  await server.server.settled();
}

test("dependents of a deleted owner are deleted in the background, transitively", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  const child = await create(server, "child", [ownedBy(owner)]);
  await create(server, "grandchild", [ownedBy(child)]);
  await remove(server, `${mapsPath}/owner`);
  assert.deepEqual([await exists(server, "child"), await exists(server, "grandchild")], [false, false]);
  await server.server.stop();
});

test("foreground deletion waits only for blocking dependents", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  const held = { finalizers: ["a.b/hold"] };
  await create(server, "blocking", [ownedBy(owner, { blockOwnerDeletion: true })], held);
  await create(server, "other", [ownedBy(owner)], held);
  await remove(server, `${mapsPath}/owner?propagationPolicy=Foreground`);
  assert.ok(await exists(server, "owner"));
  await release(server, `${mapsPath}/blocking`);
  assert.deepEqual([await exists(server, "owner"), await exists(server, "other")], [false, true]);
  await release(server, `${mapsPath}/other`);
  assert.equal(await exists(server, "other"), false);
  await server.server.stop();
});

test("orphaned dependents lose the owner reference and are kept", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  await create(server, "child", [ownedBy(owner)]);
  await remove(server, `${mapsPath}/owner?propagationPolicy=Orphan`);
  assert.equal(await exists(server, "owner"), false);
  const child = (await server.ask({ path: `${mapsPath}/child` })).object;
  assert.equal(objectIn(child, "metadata")["ownerReferences"], undefined);
  await server.server.stop();
});

test("an object whose owner does not exist is deleted; with another live owner it only loses the reference", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  const absent = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "11111111-1111-4111-8111-111111111111" };
  const renewed = { ...ownedBy(owner), uid: "22222222-2222-4222-8222-222222222222" };
  await create(server, "lost", [absent]);
  await create(server, "stale", [renewed]);
  await create(server, "kept", [ownedBy(owner), absent]);
  assert.deepEqual([await exists(server, "lost"), await exists(server, "stale")], [false, false]);
  const kept = (await server.ask({ path: `${mapsPath}/kept` })).object;
  assert.deepEqual(objectsIn(objectIn(kept, "metadata"), "ownerReferences"), [ownedBy(owner)]);
  await server.server.stop();
});

test("an owner in another namespace emits an event and the dependent is deleted", async () => {
  const server = await started();
  await withNamespace(server, "elsewhere");
  const path = "/api/v1/namespaces/elsewhere/configmaps";
  const answer = await server.ask({ method: "POST", path, body: configMap("far", {}, "elsewhere") });
  await create(server, "near", [ownedBy(answer.object)]);
  assert.equal(await exists(server, "near"), false);
  const events = objectsIn((await server.ask({ path: "/api/v1/namespaces/demo/events" })).object, "items");
  const found = events.find((event) => event["reason"] === "OwnerRefInvalidNamespace");
  assert.match(
    textIn(found ?? {}, "message"),
    /^ownerRef \[v1\/ConfigMap, namespace: demo, name: far, uid: .*\] does not exist in namespace "demo"$/,
  );
  await server.server.stop();
});

test("a cluster-scoped object with a namespaced owner, or one of an unknown kind, is kept", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  const role = (name: string, reference: JsonObject): JsonObject => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, ownerReferences: [reference] },
    rules: [],
  });
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  await server.ask({ method: "POST", path, body: role("wide", ownedBy(owner)) });
  await create(server, "strange", [{ apiVersion: "ex.io/v1", kind: "Zork", name: "z", uid: "3" }]);
  await server.server.settled();
  assert.equal((await server.ask({ path: `${path}/wide` })).code, 200);
  assert.ok(await exists(server, "strange"));
  await server.server.stop();
});

test("deleting a namespace deletes its content", async () => {
  const server = await started();
  await create(server, "a");
  await remove(server, "/api/v1/namespaces/demo");
  assert.equal((await server.ask({ path: "/api/v1/namespaces/demo" })).code, 404);
  assert.equal((await server.ask({ path: `${mapsPath}/a` })).code, 404);
  await server.server.stop();
});

test("an object with a finalizer keeps its namespace, whose conditions list what remains", async () => {
  const server = await started();
  await create(server, "held", [], { finalizers: ["a.b/c"] });
  await remove(server, "/api/v1/namespaces/demo");
  const namespace = (await server.ask({ path: "/api/v1/namespaces/demo" })).object;
  const said = new Map(
    objectsIn(objectIn(namespace, "status"), "conditions").map((held) => [
      held["type"],
      [held["reason"], held["message"]],
    ]),
  );
  assert.deepEqual(said.get("NamespaceContentRemaining"), [
    "SomeResourcesRemain",
    "Some resources are remaining: configmaps. has 1 resource instances",
  ]);
  assert.deepEqual(said.get("NamespaceFinalizersRemaining"), [
    "SomeFinalizersRemain",
    "Some content in the namespace has finalizers remaining: a.b/c in 1 resource instances",
  ]);
  await release(server, `${mapsPath}/held`);
  assert.equal((await server.ask({ path: "/api/v1/namespaces/demo" })).code, 404);
  await server.server.stop();
});

test("an aggregated API whose server does not answer keeps a namespace until its APIService is deleted", async () => {
  const server = await started();
  await create(server, "a");
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const dead = {
    metadata: { name: "v1.dead.example" },
    spec: {
      group: "dead.example",
      version: "v1",
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace: "demo", name: "none" },
    },
  };
  await server.ask({ method: "POST", path, body: dead });
  await remove(server, "/api/v1/namespaces/demo");
  const namespace = (await server.ask({ path: "/api/v1/namespaces/demo" })).object;
  const failure = objectsIn(objectIn(namespace, "status"), "conditions").find(
    ({ reason }) => reason === "DiscoveryFailed",
  );
  assert.equal(failure?.["type"], "NamespaceDeletionDiscoveryFailure");
  assert.equal(failure["status"], "True");
  assert.equal(
    failure["message"],
    "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: dead.example/v1: stale GroupVersion discovery: dead.example/v1",
  );
  assert.equal(await exists(server, "a"), false);
  await remove(server, `${path}/v1.dead.example`);
  assert.equal((await server.ask({ path: "/api/v1/namespaces/demo" })).code, 404);
  await server.server.stop();
});

test("the default service account and kube-root-ca.crt of a namespace are created again after deletion", async () => {
  const server = await started();
  for (const path of ["/api/v1/namespaces/demo/serviceaccounts/default", `${mapsPath}/kube-root-ca.crt`]) {
    assert.equal((await server.ask({ path })).code, 200);
    await remove(server, path);
    assert.equal((await server.ask({ path })).code, 200, path);
  }
  await server.server.stop();
});

test("a labelled role is aggregated, and manual edits of the aggregate are reverted", async () => {
  const server = await started();
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const rule = { verbs: ["get"], apiGroups: ["ex.io"], resources: ["foos"] };
  const body = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "foo-view", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
    rules: [rule],
  };
  await server.ask({ method: "POST", path, body });
  await server.server.settled();
  const grants = async (name: string): Promise<boolean> => {
    const role = (await server.ask({ path: `${path}/${name}` })).object;
    return objectsIn(role, "rules").some((held) => JSON.stringify(held["apiGroups"]) === '["ex.io"]');
  };
  assert.deepEqual([await grants("view"), await grants("edit"), await grants("admin")], [true, true, true]);
  const headers = { "content-type": "application/merge-patch+json" };
  await server.ask({ method: "PATCH", path: `${path}/view`, headers, body: { rules: [] } });
  await server.server.settled();
  assert.ok(await grants("view"));
  await server.server.stop();
});

test("a cycle of owners in foreground deletion is deleted", async () => {
  const server = await started();
  const blocking = { blockOwnerDeletion: true };
  const first = await create(server, "first");
  const second = await create(server, "second", [ownedBy(first, blocking)]);
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { metadata: { ownerReferences: [ownedBy(second, blocking)] } };
  await server.ask({ method: "PATCH", path: `${mapsPath}/first`, headers, body });
  await server.server.settled();
  await remove(server, `${mapsPath}/first?propagationPolicy=Foreground`);
  assert.deepEqual([await exists(server, "first"), await exists(server, "second")], [false, false]);
  await server.server.stop();
});

test("an owner reference with the uid of an object of another name counts as absent, without an event", async () => {
  const server = await started();
  const owner = await create(server, "owner");
  await create(server, "child", [ownedBy(owner, { name: "other" })]);
  assert.equal(await exists(server, "child"), false);
  const events = objectsIn((await server.ask({ path: "/api/v1/namespaces/demo/events" })).object, "items");
  assert.deepEqual(events, []);
  await server.server.stop();
});
