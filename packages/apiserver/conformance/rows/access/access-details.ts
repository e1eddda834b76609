import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at } from "../../scene.ts";

const reviews = "/apis/authorization.k8s.io/v1";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const selfReview = { method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} } as const;

const configMaps: JsonObject = { namespace: "{ns}", verb: "get", resource: "configmaps" };

function refusedReview(name: string, local: boolean, spec: JsonObject, message: string): Row {
  return {
    row: 270,
    name,
    ask: {
      method: "POST",
      path: local ? `${reviews}/namespaces/{ns}/localsubjectaccessreviews` : `${reviews}/subjectaccessreviews`,
      body: { spec },
    },
    code: 422,
    message: `.authorization.k8s.io "" is invalid: ${message}`,
  };
}

function requestToken(name: string, body: JsonObject, code: number, message: string): Row {
  return {
    row: 259,
    name,
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/serviceaccounts/default/token`;
      // A new namespace gets its service account asynchronously.
      await eventually(async () => assertAnswer(await scene.ask({ method: "POST", path, body }), { code, message }));
    },
  };
}

/** A row about the groups of an impersonated user. */
function becomes(name: string, headers: Readonly<Record<string, string>>, groups: readonly string[]): Row {
  return {
    row: 271,
    name,
    run: async (scene) => {
      const answer = await scene.ok({ ...selfReview, headers });
      assert.deepEqual(at(answer, "status", "userInfo", "groups"), groups);
    },
  };
}

function nameless(name: string, headers: Readonly<Record<string, string>>, shown: string): Row {
  return {
    row: 271,
    name,
    ask: { ...selfReview, headers },
    code: 400,
    message: `requested &user.DefaultInfo{Name:"", ${shown}} without impersonating a user name`,
  };
}

export const accessDetailRows: readonly Row[] = [
  refusedReview(
    "an empty review is refused with all missing fields",
    false,
    {},
    '[spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
  ),
  refusedReview(
    "resource and non-resource attributes together are refused",
    false,
    { user: "u", resourceAttributes: configMaps, nonResourceAttributes: { path: "/x", verb: "get" } },
    'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ),
  refusedReview(
    "non-resource attributes in a local review are refused",
    true,
    { user: "u", nonResourceAttributes: { path: "/x", verb: "get" } },
    'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
  ),
  refusedReview(
    "a selector in both forms is refused",
    false,
    {
      user: "u",
      resourceAttributes: {
        ...configMaps,
        fieldSelector: { rawSelector: "a", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
      },
    },
    'spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
  ),
  {
    row: 270,
    name: "a rules review reports missing roles",
    run: async (scene) => {
      const user = `${scene.ns}-u`;
      const body = {
        metadata: { name: "dangling" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "nope" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
      };
      await scene.ok({ method: "POST", path: `${rbac}/namespaces/${scene.ns}/rolebindings`, body });
      await eventually(async () => {
        const answer = await scene.ok({
          method: "POST",
          path: `${reviews}/selfsubjectrulesreviews`,
          body: { spec: { namespace: scene.ns } },
          as: { name: user, groups: ["system:authenticated"] },
        });
        assertContains(answer, {
          spec: { namespace: undefined } as unknown as JsonObject,
          status: { evaluationError: 'role.rbac.authorization.k8s.io "nope" not found', incomplete: false },
        });
      });
    },
  },
  {
    row: 270,
    name: "a SelfSubjectReview returns nothing of the request",
    run: async (scene) => {
      const body = { metadata: { name: "x", labels: { a: "b" } } };
      const answer = await scene.ok({ ...selfReview, body });
      const metadata = at(answer, "metadata");
      assert.deepEqual(isJsonObject(metadata) ? Object.keys(metadata) : metadata, ["creationTimestamp"]);
    },
  },
  {
    row: 266,
    name: "permissions on several paths are listed individually",
    run: async (scene) => {
      const answer = await scene.ask({
        method: "POST",
        path: `${rbac}/clusterroles?dryRun=All`,
        body: {
          metadata: { name: scene.ns },
          rules: [{ verbs: ["post", "get"], nonResourceURLs: ["/b", "/a"] }],
        },
        as: await writer(scene.ns, scene.ok),
      });
      const lines = ["/a", "/b"].flatMap((path) =>
        ["get", "post"].map((verb) => `{NonResourceURLs:["${path}"], Verbs:["${verb}"]}`),
      );
      assertAnswer(answer, { code: 403 });
      assert.equal(answer.message.slice(answer.message.indexOf("\n") + 1), lines.join("\n"));
      await scene.ask({ method: "DELETE", path: `${rbac}/clusterrolebindings/${scene.ns}` });
      await scene.ask({ method: "DELETE", path: `${rbac}/clusterroles/${scene.ns}-w` });
    },
  },
  {
    row: 266,
    name: "only a cluster administrator may create an aggregating role",
    run: async (scene) => {
      const answer = await scene.ask({
        method: "POST",
        path: `${rbac}/clusterroles?dryRun=All`,
        body: {
          metadata: { name: scene.ns },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
        },
        as: await writer(scene.ns, scene.ok),
      });
      await scene.ask({ method: "DELETE", path: `${rbac}/clusterrolebindings/${scene.ns}` });
      await scene.ask({ method: "DELETE", path: `${rbac}/clusterroles/${scene.ns}-w` });
      assertAnswer(answer, {
        code: 403,
        message: `clusterroles.rbac.authorization.k8s.io "${scene.ns}" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
      });
    },
  },
  requestToken(
    "a token for a kind that cannot hold one",
    { spec: { boundObjectRef: { kind: "Foo", apiVersion: "v1", name: "x" } } },
    400,
    "cannot bind token to object of type /v1, Kind=Foo",
  ),
  requestToken(
    "a token request for another namespace is refused",
    { metadata: { namespace: "other" }, spec: {} },
    400,
    "the namespace of the provided object does not match the namespace sent on the request",
  ),
  {
    row: 271,
    name: "an anonymous user is in group system:unauthenticated and may read the version",
    ask: { path: "/version", headers: { "impersonate-user": "system:anonymous" } },
    code: 200,
  },
  becomes(
    "an explicit group decides whether an impersonated user is authenticated",
    { "impersonate-user": "a", "impersonate-group": "system:authenticated" },
    ["system:authenticated"],
  ),
  becomes("a name that no account can have", { "impersonate-user": "system:serviceaccount:A:b" }, [
    "system:authenticated",
  ]),
  nameless(
    "impersonating only a group is refused, quoted as Go prints it",
    { "impersonate-group": "x" },
    'UID:"", Groups:[]string{"x"}, Extra:map[string][]string(nil)',
  ),
  nameless(
    "impersonating only an extra is refused, quoted as Go prints it",
    { "impersonate-extra-a": "x" },
    'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"x"}}',
  ),
];

/** Gives a user permission to write roles, and nothing else. */
async function writer(
  ns: string,
  ok: (ask: { readonly method: "POST"; readonly path: string; readonly body: JsonObject }) => Promise<JsonObject>,
): Promise<{ readonly name: string; readonly groups: readonly string[] }> {
  const user = `${ns}-writer`;
  const rules = [{ verbs: ["create"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"] }];
  await ok({ method: "POST", path: `${rbac}/clusterroles`, body: { metadata: { name: `${ns}-w` }, rules } });
  await ok({
    method: "POST",
    path: `${rbac}/clusterrolebindings`,
    body: {
      metadata: { name: ns },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `${ns}-w` },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    },
  });
  const attributes = { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterroles" };
  await eventually(async () => {
    const body = { spec: { user, resourceAttributes: attributes } };
    const answer = await ok({ method: "POST", path: `${reviews}/subjectaccessreviews`, body });
    assert.equal(at(answer, "status", "allowed"), true);
  });
  return { name: user, groups: [] };
}
