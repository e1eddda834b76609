import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { TestServer, Told } from "../testing/server.ts";
import { configMap, testServer, withNamespace } from "../testing/server.ts";

const bob: UserInfo = { name: "bob", groups: ["system:authenticated"] };
const cms = "/api/v1/namespaces/demo/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
let server: TestServer;
let uid = "";

/** What Bob may do, and nothing else. */
async function allow(...rules: readonly JsonObject[]): Promise<void> {
  for (const [plural, kind, extra] of [
    ["clusterroles", "ClusterRole", { rules }],
    [
      "clusterrolebindings",
      "ClusterRoleBinding",
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "bob" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
      },
    ],
  ] as const) {
    const body = { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name: "bob" }, ...extra };
    const told = await server.ask({ method: "PUT", path: `${rbac}/${plural}/bob`, body });
    assert.ok(told.code < 300, told.text);
  }
}

const write = { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "update", "patch", "get"] };
const remove = { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] };

function owner(more: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more };
}

function give(...ownerReferences: readonly JsonObject[]): Promise<Told> {
  return server.ask({
    method: "PATCH",
    path: `${cms}/held`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { ownerReferences } },
    user: bob,
  });
}

function make(name: string, ...ownerReferences: readonly JsonObject[]): Promise<Told> {
  const body = configMap(name, { metadata: { ownerReferences } });
  return server.ask({ method: "POST", path: `${cms}?dryRun=All`, body, user: bob });
}

suite("OwnerReferencesPermissionEnforcement", () => {
  before(async () => {
    server = await testServer({ enforceOwnerPermissions: true });
    await withNamespace(server, "demo");
    const told = await server.ask({ method: "POST", path: cms, body: configMap("owner") });
    uid = (told.object["metadata"] as { readonly uid: string }).uid;
    await server.ask({ method: "POST", path: cms, body: configMap("held") });
  });
  after(() => server.server.stop());

  test("whoever may not delete an object may not change its owners", async () => {
    await allow(write);
    const told = await give(owner());
    assert.equal(told.code, 403);
    assert.equal(
      told.message,
      `configmaps "held" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
    );
  });

  test("whoever may delete it may", async () => {
    await allow(write, remove);
    assert.equal((await give(owner())).code, 200);
    assert.equal((await give()).code, 200);
  });

  test("a new object may have any owner that it does not hold up", async () => {
    await allow(write);
    assert.equal((await make("new", owner())).code, 201);
  });

  test("holding up an owner needs the right to its finalizers", async () => {
    await allow(write);
    const told = await make("new", owner({ blockOwnerDeletion: true }));
    assert.equal(told.code, 403);
    assert.equal(
      told.message,
      `configmaps "new" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
    );
    await allow(write, { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] });
    assert.equal((await make("new", owner({ blockOwnerDeletion: true }))).code, 201);
  });

  test("an owner of an unknown kind cannot be held up", async () => {
    await allow(write);
    assert.equal(
      (await make("new", owner({ kind: "Zork", blockOwnerDeletion: true }))).message,
      `configmaps "new" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Zork: no matches for kind "Zork" in version "v1"`,
    );
  });

  test("the right to all finalizers asks for no kind", async () => {
    await allow(write, { apiGroups: ["*"], resources: ["*/finalizers"], verbs: ["update"] });
    assert.equal((await make("new", owner({ kind: "Zork", blockOwnerDeletion: true }))).code, 201);
  });

  test("without the option everybody may", async () => {
    const free = await testServer();
    await withNamespace(free, "demo");
    const body = configMap("x", {
      metadata: {
        ownerReferences: [{ apiVersion: "v1", kind: "Zork", name: "z", uid: "u", blockOwnerDeletion: true }],
      },
    });
    assert.equal((await free.ask({ method: "POST", path: cms, body })).code, 201);
    await free.server.stop();
  });
});
