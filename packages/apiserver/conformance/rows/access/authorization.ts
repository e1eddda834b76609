import assert from "node:assert/strict";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Ask } from "../../cluster.ts";
import { kubectlIn } from "../../kubectl.ts";
import type { Expectation, Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer, placed } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, text } from "../../scene.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const reviews = "/apis/authorization.k8s.io/v1";
const bob: UserInfo = { name: "bob", groups: ["devs", "qa", "system:authenticated"] };
const bobGroups = '(groups=["devs" "qa" "system:authenticated"])';

function rule(verbs: readonly string[], apiGroups: readonly string[], resources: readonly string[]): JsonObject {
  return { verbs, apiGroups, resources };
}

function role(name: string, ...rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name }, rules };
}

function binding(name: string, toRole: string, user = "bob", kind = "Role"): JsonObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: toRole },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  };
}

/** Waits until an access review shows that the server has processed a grant. */
async function known(scene: Scene, user: string, attributes: JsonObject): Promise<void> {
  const body = review("SubjectAccessReview", {
    user,
    resourceAttributes: { namespace: scene.ns, ...attributes },
  });
  await eventually(async () => {
    const answer = await scene.ok({ method: "POST", path: `${reviews}/subjectaccessreviews`, body });
    assert.equal(at(answer, "status", "allowed"), true, JSON.stringify(attributes));
  });
}

/** Gives bob a role in the namespace with these rules. */
async function grant(scene: Scene, name: string, ...rules: readonly JsonObject[]): Promise<void> {
  const path = `${rbac}/namespaces/${scene.ns}`;
  await scene.ok({ method: "POST", path: `${path}/roles`, body: role(name, ...rules) });
  await scene.ok({ method: "POST", path: `${path}/rolebindings`, body: binding(name, name) });
  const [first] = rules;
  const one = (key: string): string => (at(first, key) as readonly string[])[0] ?? "";
  const [resource = "", subresource = ""] = one("resources").split("/");
  await known(scene, "bob", {
    verb: one("verbs"),
    group: one("apiGroups"),
    resource: resource === "*" ? "pods" : resource,
    subresource,
  });
}

function review(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: "authorization.k8s.io/v1", kind, spec };
}

function refusedTo(name: string, ask: Ask, message: string, details?: JsonObject): Row {
  return {
    row: 262,
    name,
    ask: { as: bob, ...ask },
    code: 403,
    reason: "Forbidden",
    message,
    ...(details === undefined ? {} : { contains: { details } }),
  };
}

const inNamespace = 'in the namespace "{ns}"';

/** A row with an access review for bob, after he got `rules`. */
function asked(row: number, name: string, rules: readonly JsonObject[], ask: Ask, expected: Expectation): Row {
  return {
    row,
    name,
    run: async (scene) => {
      if (rules.length > 0) await grant(scene, "given", ...rules);
      assertAnswer(await scene.ask(placed({ as: bob, ...ask }, scene)), placed(expected, scene));
    },
  };
}

const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const manageRoles = rule(
  ["create", "update", "patch", "get"],
  ["rbac.authorization.k8s.io"],
  ["roles", "rolebindings"],
);
const lacking = `user "bob" ${bobGroups} is attempting to grant RBAC permissions not currently held:`;

function selfReview(attributes: JsonObject): Ask {
  return {
    method: "POST",
    path: `${reviews}/selfsubjectaccessreviews`,
    body: review("SelfSubjectAccessReview", { resourceAttributes: attributes }),
    as: bob,
  };
}

async function statusOf(scene: Scene, ask: Ask): Promise<JsonValue | undefined> {
  return at(await scene.ok(placed(ask, scene)), "status");
}

export const authorizationRows: readonly Row[] = [
  refusedTo(
    "one object",
    { path: "/api/v1/namespaces/{ns}/configmaps/a" },
    `configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" ${inNamespace}`,
    { name: "a", kind: "configmaps" },
  ),
  refusedTo(
    "a list",
    { path: "/apis/apps/v1/namespaces/{ns}/deployments" },
    `deployments.apps is forbidden: User "bob" cannot list resource "deployments" in API group "apps" ${inNamespace}`,
    { group: "apps", kind: "deployments" },
  ),
  refusedTo(
    "a subresource",
    { path: "/api/v1/namespaces/{ns}/pods/p/log" },
    `pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" ${inNamespace}`,
  ),
  refusedTo(
    "cluster scope",
    { path: "/api/v1/nodes/n" },
    'nodes "n" is forbidden: User "bob" cannot get resource "nodes" in API group "" at the cluster scope',
  ),
  refusedTo(
    "all namespaces",
    { path: "/api/v1/configmaps" },
    'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" at the cluster scope',
  ),
  refusedTo(
    "deletecollection",
    { method: "DELETE", path: "/api/v1/namespaces/{ns}/configmaps" },
    `configmaps is forbidden: User "bob" cannot deletecollection resource "configmaps" in API group "" ${inNamespace}`,
  ),
  refusedTo(
    "a watch",
    { path: "/api/v1/namespaces/{ns}/configmaps?watch=true" },
    `configmaps is forbidden: User "bob" cannot watch resource "configmaps" in API group "" ${inNamespace}`,
  ),
  refusedTo("a path", { path: "/metrics" }, 'forbidden: User "bob" cannot get path "/metrics"', {}),
  asked(
    264,
    "pods do not include pods/log",
    [rule(["get"], [""], ["pods"])],
    { path: "/api/v1/namespaces/{ns}/pods/p/log" },
    { code: 403 },
  ),
  asked(
    264,
    "*/log includes pods/log",
    [rule(["get"], [""], ["*/log"])],
    { path: "/api/v1/namespaces/{ns}/pods/p/log" },
    { code: 404 },
  ),
  asked(
    264,
    "an object by resourceNames",
    [rule(["list"], [""], ["pods"]), { ...rule(["get"], [""], ["configmaps"]), resourceNames: ["a"] }],
    { path: "/api/v1/namespaces/{ns}/configmaps/a" },
    { code: 200 },
  ),
  asked(
    264,
    "another object than in resourceNames",
    [rule(["list"], [""], ["pods"]), { ...rule(["get"], [""], ["configmaps"]), resourceNames: ["a"] }],
    { path: "/api/v1/namespaces/{ns}/configmaps/b" },
    { code: 403 },
  ),
  asked(
    264,
    "list with resourceNames",
    [rule(["list"], [""], ["pods"]), { ...rule(["list"], [""], ["configmaps"]), resourceNames: ["a"] }],
    { path: "/api/v1/namespaces/{ns}/configmaps" },
    { code: 403 },
  ),
  asked(
    264,
    "list of the one name in resourceNames",
    [rule(["list"], [""], ["pods"]), { ...rule(["list"], [""], ["configmaps"]), resourceNames: ["a"] }],
    { path: "/api/v1/namespaces/{ns}/configmaps?fieldSelector=metadata.name%3Da" },
    { code: 200 },
  ),
  {
    row: 265,
    name: "a binding to a missing role is reported in the refusal",
    run: async (scene) => {
      const path = `${rbac}/namespaces/${scene.ns}/rolebindings`;
      await scene.ok({ method: "POST", path, body: binding("dangling", "x") });
      const configMaps = { path: `${scene.cms}/a`, as: bob };
      const base = `configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "${scene.ns}"`;
      const missing = (name: string): string => `role.rbac.authorization.k8s.io "${name}" not found`;
      await eventually(async () =>
        assertAnswer(await scene.ask(configMaps), { code: 403, message: `${base}: RBAC: ${missing("x")}` }),
      );
      await scene.ok({ method: "POST", path, body: binding("dangling2", "y") });
      await eventually(async () =>
        assert.match(
          (await scene.ask(configMaps)).message,
          /: RBAC: \[role.*"x" not found, role.*"y" not found\]$|: RBAC: \[role.*"y" not found, role.*"x" not found\]$/,
        ),
      );
    },
  },
  asked(
    266,
    "creating a role with permissions that the user lacks is refused",
    [manageRoles, rule(["get"], [""], ["configmaps"])],
    {
      method: "POST",
      path: roles,
      body: role(
        "r2",
        rule(["get", "*"], [""], ["pods/log"]),
        { ...rule(["get"], ["apps"], ["deployments"]), resourceNames: ["x"] },
        rule(["get"], [""], ["configmaps"]),
      ),
    },
    {
      code: 403,
      message: `roles.rbac.authorization.k8s.io "r2" is forbidden: ${lacking}\n{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "*"]}\n{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["x"], Verbs:["get"]}`,
    },
  ),
  asked(
    266,
    "creating a role with permissions that the user has",
    [manageRoles, rule(["get"], [""], ["configmaps"])],
    { method: "POST", path: roles, body: role("r2", rule(["get"], [""], ["configmaps"])) },
    { code: 201 },
  ),
  asked(
    266,
    "a dry run of such a role",
    [manageRoles],
    { method: "POST", path: `${roles}?dryRun=All`, body: role("r2", rule(["get"], [""], ["secrets"])) },
    { code: 403 },
  ),
  ...(["update", "patch"] as const).map((verb): Row => ({
    row: 266,
    name: `extending a role is refused, ${verb === "patch" ? "also when only its label changes" : "by update"}`,
    run: async (scene) => {
      await grant(scene, "given", manageRoles);
      const path = `${rbac}/namespaces/${scene.ns}/roles`;
      const strong = await scene.ok({ method: "POST", path, body: role("strong", rule(["get"], [""], ["secrets"])) });
      const expected = {
        code: 403,
        message: `roles.rbac.authorization.k8s.io "strong" is forbidden: ${lacking}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
      };
      const answer = await (verb === "patch"
        ? scene.ask({
            method: "PATCH",
            path: `${path}/strong`,
            body: { metadata: { labels: { l: "1" } } },
            headers: { "content-type": "application/merge-patch+json" },
            as: bob,
          })
        : scene.ask({
            method: "PUT",
            path: `${path}/strong`,
            body: { ...strong, rules: [rule(["get", "list"], [""], ["secrets"])] },
            as: bob,
          }));
      if (verb === "patch") assertAnswer(answer, expected);
      else assert.equal(answer.code, 403, answer.text);
    },
  })),
  {
    row: 267,
    name: "binding a role with permissions that the user lacks is refused",
    run: async (scene) => {
      await grant(scene, "given", manageRoles);
      const path = `${rbac}/namespaces/${scene.ns}`;
      await scene.ok({ method: "POST", path: `${path}/roles`, body: role("strong", rule(["get"], [""], ["secrets"])) });
      const ask: Ask = { method: "POST", path: `${path}/rolebindings`, body: binding("b2", "strong"), as: bob };
      await eventually(async () =>
        assertAnswer(await scene.ask(ask), {
          code: 403,
          message: `rolebindings.rbac.authorization.k8s.io "b2" is forbidden: ${lacking}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
        }),
      );
    },
  },
  asked(
    267,
    "binding a missing role",
    [manageRoles],
    { method: "POST", path: bindings, body: binding("b2", "nope") },
    { code: 404, message: 'rolebindings.rbac.authorization.k8s.io "nope" not found' },
  ),
  asked(
    267,
    "the verb bind allows binding any role",
    [rule(["bind"], ["rbac.authorization.k8s.io"], ["roles"]), manageRoles],
    { method: "POST", path: bindings, body: binding("b2", "nope") },
    { code: 201 },
  ),
  asked(
    267,
    "the verb escalate allows granting any permission",
    [rule(["escalate"], ["rbac.authorization.k8s.io"], ["roles"]), manageRoles],
    { method: "POST", path: roles, body: role("r2", rule(["*"], ["*"], ["*"])) },
    { code: 201 },
  ),
  {
    row: 268,
    name: "roleRef is immutable",
    run: async (scene) => {
      const path = `${rbac}/namespaces/${scene.ns}/rolebindings`;
      const made = await scene.ok({ method: "POST", path, body: binding("b", "r1") });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r2" };
      assertAnswer(await scene.ask({ method: "PUT", path: `${path}/b`, body: { ...made, roleRef } }), {
        code: 422,
        message:
          'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"r2"}: cannot change roleRef',
      });
    },
  },
  {
    row: 269,
    name: "an aggregated role has the rules of its parts, and manual edits are reverted",
    run: async (scene) => {
      const label = `aggregate-${scene.ns}`;
      const part = (name: string, ...rules: readonly JsonObject[]): JsonObject => ({
        metadata: { name: `${scene.ns}-${name}`, labels: { [label]: "true" } },
        rules,
      });
      const path = `${rbac}/clusterroles`;
      await scene.keep(path, part("b", rule(["get"], [""], ["secrets"])));
      await scene.keep(path, part("a", rule(["get"], [""], ["pods"])));
      await scene.keep(path, {
        metadata: { name: `${scene.ns}-all` },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
        rules: [],
      });
      const expected = [rule(["get"], [""], ["pods"]), rule(["get"], [""], ["secrets"])];
      const filled = async (): Promise<void> => {
        const all = await scene.ok({ path: `${path}/${scene.ns}-all` });
        const held = at(all, "rules") as unknown as readonly JsonObject[];
        assert.deepEqual(
          held.map(({ verbs, apiGroups, resources }) => ({ verbs, apiGroups, resources })),
          expected,
        );
        const managers = at(all, "metadata", "managedFields") as unknown as readonly JsonObject[];
        assert.ok(
          managers.some(
            (entry) => entry["manager"] === "clusterrole-aggregation-controller" && entry["operation"] === "Apply",
          ),
        );
      };
      await eventually(filled);
      await scene.merge(`${path}/${scene.ns}-all`, { rules: [rule(["list"], [""], ["nodes"])] });
      await eventually(filled);
    },
  },
  {
    row: 270,
    name: "the answer of a SelfSubjectAccessReview",
    run: async (scene) => {
      await grant(scene, "given", rule(["get"], [""], ["configmaps"]));
      assert.deepEqual(await statusOf(scene, selfReview({ namespace: "{ns}", verb: "get", resource: "configmaps" })), {
        allowed: true,
        reason: `RBAC: allowed by RoleBinding "given/${scene.ns}" of Role "given" to User "bob"`,
      });
      assert.deepEqual(await statusOf(scene, selfReview({ namespace: "{ns}", verb: "list", resource: "configmaps" })), {
        allowed: false,
      });
      assert.deepEqual(
        await statusOf(
          scene,
          selfReview({ group: "authorization.k8s.io", verb: "create", resource: "selfsubjectaccessreviews" }),
        ),
        {
          allowed: true,
          reason:
            'RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole "system:basic-user" to Group "system:authenticated"',
        },
      );
    },
  },
  {
    row: 270,
    name: "the answer of a SubjectAccessReview",
    run: async (scene) => {
      const path = `${reviews}/subjectaccessreviews`;
      const post = (spec: JsonObject): Ask => ({ method: "POST", path, body: review("SubjectAccessReview", spec) });
      const attributes = { verb: "get", resource: "nodes" };
      assert.deepEqual(
        await statusOf(scene, post({ user: "x", groups: ["system:masters"], resourceAttributes: attributes })),
        { allowed: true },
      );
      assert.deepEqual(await statusOf(scene, post({ user: "x", resourceAttributes: attributes })), { allowed: false });
      assert.deepEqual(
        await statusOf(
          scene,
          post({
            user: "x",
            groups: ["system:authenticated"],
            nonResourceAttributes: { path: "/api", verb: "get" },
          }),
        ),
        {
          allowed: true,
          reason:
            'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
        },
      );
    },
  },
  {
    row: 270,
    name: "an access review without attributes is refused",
    ask: {
      method: "POST",
      path: `${reviews}/selfsubjectaccessreviews`,
      body: review("SelfSubjectAccessReview", {}),
    },
    code: 422,
    message:
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  },
  {
    row: 270,
    name: "a SubjectAccessReview without user is refused",
    ask: {
      method: "POST",
      path: `${reviews}/subjectaccessreviews`,
      body: review("SubjectAccessReview", { resourceAttributes: { verb: "get", resource: "pods" } }),
    },
    code: 422,
    message:
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
  },
  {
    row: 270,
    name: "a LocalSubjectAccessReview of another namespace is refused",
    ask: {
      method: "POST",
      path: `${reviews}/namespaces/{ns}/localsubjectaccessreviews`,
      body: review("LocalSubjectAccessReview", {
        user: "bob",
        resourceAttributes: { namespace: "other", verb: "get", resource: "pods" },
      }),
    },
    code: 422,
  },
  {
    row: 270,
    name: "a LocalSubjectAccessReview",
    ask: {
      method: "POST",
      path: `${reviews}/namespaces/{ns}/localsubjectaccessreviews`,
      body: review("LocalSubjectAccessReview", {
        user: "bob",
        resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" },
      }),
    },
    code: 201,
    contains: { status: { allowed: false } },
  },
  {
    row: 270,
    name: "a SelfSubjectRulesReview",
    run: async (scene) => {
      await grant(scene, "given", rule(["get"], [""], ["configmaps"]));
      const answer = await scene.ok({
        method: "POST",
        path: `${reviews}/selfsubjectrulesreviews`,
        body: review("SelfSubjectRulesReview", { namespace: scene.ns }),
        as: bob,
      });
      assert.equal(at(answer, "status", "incomplete"), false);
      const held = at(answer, "status", "resourceRules") as unknown as readonly JsonObject[];
      assert.ok(held.some((entry) => JSON.stringify(entry["resources"]) === '["configmaps"]'));
      assert.ok((at(answer, "status", "nonResourceRules") as readonly JsonValue[]).length > 0);
    },
  },
  {
    row: 270,
    name: "a SelfSubjectRulesReview without namespace is refused",
    ask: {
      method: "POST",
      path: `${reviews}/selfsubjectrulesreviews`,
      body: review("SelfSubjectRulesReview", {}),
    },
    code: 400,
    message: "no namespace on request",
  },
  {
    row: 271,
    name: "impersonation without permission is refused",
    run: async (scene) => {
      const { token } = await accountToken(scene, "weak");
      const answer = await scene.ask({
        path: `${scene.cms}/a`,
        headers: { "impersonate-user": "bill" },
        as: { token },
      });
      assert.equal(answer.code, 403);
      assert.match(answer.message, /cannot impersonate/);
    },
  },
  {
    row: 271,
    name: "impersonation with permission sets the user",
    run: async (scene) => {
      const { token, user } = await accountToken(scene, "actor");
      const name = `${scene.ns}-impersonate`;
      await scene.keep(`${rbac}/clusterroles`, {
        metadata: { name },
        rules: [rule(["impersonate"], [""], ["users", "groups"])],
      });
      await scene.keep(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", name: "actor", namespace: scene.ns }],
      });
      await known(scene, user, { verb: "impersonate", resource: "users", namespace: "" });
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const answer = await scene.ok({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body,
        headers: { "impersonate-user": "bill", "impersonate-group": "devs" },
        as: { token },
      });
      assertContains(at(answer, "status", "userInfo"), {
        username: "bill",
        groups: ["devs", "system:authenticated"],
      });
    },
  },
  {
    row: 271,
    name: "impersonating a group without a user is refused",
    ask: { path: "/api/v1/namespaces", headers: { "impersonate-group": "devs" } },
    code: 400,
    message: "requested …",
  },
  {
    row: 271,
    name: "impersonating a service account adds its groups",
    run: async (scene) => {
      const user = `system:serviceaccount:${scene.ns}:default`;
      const answer = await scene.ok({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
        headers: { "impersonate-user": user },
      });
      assertContains(at(answer, "status", "userInfo"), {
        username: user,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${scene.ns}`, "system:authenticated"],
      });
    },
  },
  {
    row: 272,
    name: "kubectl auth can-i --list prints the user's permissions",
    run: async (scene) => {
      await grant(scene, "given", rule(["get", "list"], [""], ["configmaps"]));
      const kubectl = await kubectlIn(scene);
      const as = bob.groups.flatMap((group) => ["--as-group", group]);
      const ran = await kubectl(["auth", "can-i", "--list", "--as", "bob", ...as]);
      assert.equal(ran.code, 0, ran.text);
      assert.match(ran.text, /^configmaps +\[\] +\[\] +\[get list\]$/m);
      assert.match(ran.text, /^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
      assert.match(ran.text, /\[\/healthz\]/);
    },
  },
];

async function accountToken(scene: Scene, name: string): Promise<{ readonly token: string; readonly user: string }> {
  const path = `/api/v1/namespaces/${scene.ns}/serviceaccounts`;
  await scene.ok({ method: "POST", path, body: { metadata: { name } } });
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const answer = await scene.ok({ method: "POST", path: `${path}/${name}/token`, body });
  return { token: text(answer, "status", "token"), user: `system:serviceaccount:${scene.ns}:${name}` };
}
