import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { TestServer, Answer } from "../testing/server.ts";
import { configMap, testServer, withNamespace } from "../testing/server.ts";

const bob: UserInfo = { name: "bob", groups: ["system:authenticated"] };
const cms = "/api/v1/namespaces/demo/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
let server: TestServer;
let uid = "";

/** Replaces Bob's permissions. */
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
    const answer = await server.ask({ method: "PUT", path: `${rbac}/${plural}/bob`, body });
    assert.ok(answer.code < 300, answer.text);
  }
}

const write = { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "update", "patch", "get"] };
const remove = { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] };

function owner(more: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more };
}

function give(...ownerReferences: readonly JsonObject[]): Promise<Answer> {
  return server.ask({
    method: "PATCH",
    path: `${cms}/held`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { ownerReferences } },
    user: bob,
  });
}

function make(name: string, ...ownerReferences: readonly JsonObject[]): Promise<Answer> {
  const body = configMap(name, { metadata: { ownerReferences } });
  return server.ask({ method: "POST", path: `${cms}?dryRun=All`, body, user: bob });
}

suite("OwnerReferencesPermissionEnforcement", () => {
  before(async () => {
    server = await testServer({ enforceOwnerPermissions: true });
    await withNamespace(server, "demo");
    const answer = await server.ask({ method: "POST", path: cms, body: configMap("owner") });
    uid = (answer.object["metadata"] as { readonly uid: string }).uid;
    await server.ask({ method: "POST", path: cms, body: configMap("held") });
  });
  after(() => server.server.stop());

  test("refuses a change of owners without permission to delete the object", async () => {
    await allow(write);
    const answer = await give(owner());
    assert.equal(answer.code, 403);
    assert.equal(
      answer.message,
      `configmaps "held" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
    );
  });

  test("allows a change of owners with permission to delete the object", async () => {
    await allow(write, remove);
    assert.equal((await give(owner())).code, 200);
    assert.equal((await give()).code, 200);
  });

  test("allows any non-blocking owner on create", async () => {
    await allow(write);
    assert.equal((await make("new", owner())).code, 201);
  });

  test("refuses blockOwnerDeletion without permission to update the owner's finalizers", async () => {
    await allow(write);
    const answer = await make("new", owner({ blockOwnerDeletion: true }));
    assert.equal(answer.code, 403);
    assert.equal(
      answer.message,
      `configmaps "new" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
    );
    await allow(write, { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] });
    assert.equal((await make("new", owner({ blockOwnerDeletion: true }))).code, 201);
  });

  test("refuses blockOwnerDeletion for an owner of an unknown kind", async () => {
    await allow(write);
    assert.equal(
      (await make("new", owner({ kind: "Zork", blockOwnerDeletion: true }))).message,
      `configmaps "new" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Zork: no matches for kind "Zork" in version "v1"`,
    );
  });

  test("permission to update all finalizers allows owners of unknown kinds", async () => {
    await allow(write, { apiGroups: ["*"], resources: ["*/finalizers"], verbs: ["update"] });
    assert.equal((await make("new", owner({ kind: "Zork", blockOwnerDeletion: true }))).code, 201);
  });

  test("does not check owners when the plug-in is disabled", async () => {
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
