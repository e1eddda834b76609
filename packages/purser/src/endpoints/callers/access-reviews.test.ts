import assert from "node:assert/strict";
import { test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import { createClient } from "@purser/kubernetes/kube/client";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { AccessReviews, type AskedAccess } from "./access-reviews.ts";

const never = new AbortController().signal;
const list: AskedAccess = {
  kind: "resource",
  group: "packages.operators.coreos.com",
  version: "v1",
  resource: "packagemanifests",
  verb: "list",
  namespace: "default",
};

test("the API server decides, and its answer counts for 35 seconds", async (context) => {
  const server = await createApiServer();
  context.after(() => server.stop());
  const asked: string[] = [];
  const transport = server.transport();
  const client = createClient((request, signal) => {
    asked.push(`${request.method} ${request.path}`);
    return transport(request, signal);
  });
  const clock = new VirtualClock();
  const reviews = new AccessReviews(client, clock);
  const reader = { name: "alice", groups: ["system:authenticated"] };
  const discovery: AskedAccess = { kind: "path", path: "/openapi/v2", verb: "get" };
  assert.equal(await reviews.allows(reader, list, never), false);
  assert.equal(await reviews.allows(reader, discovery, never), true);
  assert.equal(await reviews.allows({ name: "root", groups: ["system:masters"] }, list, never), true);
  const review = "POST /apis/authorization.k8s.io/v1/subjectaccessreviews";
  assert.deepEqual(asked, [review, review]);
  clock.advance(34_999);
  assert.equal(await reviews.allows(reader, list, never), false);
  assert.equal(asked.length, 2);
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "alice" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
    roleRef: { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "cluster-admin" },
  };
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
  await transport({ method: "POST", path, body: { kind: "object", value: role } }, never);
  clock.advance(1);
  assert.equal(await reviews.allows(reader, list, never), true);
  assert.equal(await reviews.allows(reader, { ...list, namespace: "kube-system" }, never), false);
  assert.equal(await reviews.allows({ ...reader, name: "bob" }, list, never), false);
});
