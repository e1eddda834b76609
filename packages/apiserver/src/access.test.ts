import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { TestServer, Answer } from "./testing/server.ts";
import { assertContains, configMap, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const bob: UserInfo = { name: "bob", groups: ["devs", "qa", "system:authenticated"] };

async function make(path: string, body: JsonObject, user?: UserInfo): Promise<Answer> {
  return server.ask({ method: "POST", path, body: body as JsonValue, ...(user === undefined ? {} : { user }) });
}

const role = (name: string, rules: JsonValue): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name },
  rules,
});

const binding = (name: string, to: string, subject: JsonObject, kind = "Role"): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: to },
  subjects: [subject],
});

const bobSubject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" };
const demo = `${rbac}/namespaces/demo`;

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  await make(
    `${demo}/roles`,
    role("r1", [
      { apiGroups: [""], resources: ["pods", "configmaps"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["only"], verbs: ["get"] },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["roles", "rolebindings"],
        verbs: ["create", "update", "patch"],
      },
    ]),
  );
  await make(`${demo}/rolebindings`, binding("b1", "r1", bobSubject));
});

describe("authorization", () => {
  const refusals: readonly (readonly [string, string, string])[] = [
    [
      "GET",
      "/api/v1/namespaces/demo/secrets/x",
      'secrets "x" is forbidden: User "bob" cannot get resource "secrets" in API group "" in the namespace "demo"',
    ],
    [
      "GET",
      "/api/v1/pods",
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      "GET",
      "/api/v1/namespaces/demo/pods/x/log",
      'pods "x" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "demo"',
    ],
    [
      "DELETE",
      "/apis/apps/v1/namespaces/demo/deployments/d",
      'deployments.apps "d" is forbidden: User "bob" cannot delete resource "deployments" in API group "apps" in the namespace "demo"',
    ],
    ["GET", "/metrics", 'forbidden: User "bob" cannot get path "/metrics"'],
  ];
  for (const [method, path, message] of refusals)
    test(`${method} ${path} is refused in words`, async () => {
      const answer = await server.ask({ method: method as "GET", path, user: bob });
      assert.equal(answer.code, 403);
      assert.equal(answer.message, message);
    });

  test("a resource name restricts get", async () => {
    assert.equal((await server.ask({ path: "/api/v1/namespaces/demo/secrets/only", user: bob })).code, 404);
  });

  test("a binding to a missing role says so in every refusal", async () => {
    await withNamespace(server, "dangling");
    await make(`${rbac}/namespaces/dangling/rolebindings`, binding("b", "nope", bobSubject));
    const answer = await server.ask({ path: "/api/v1/namespaces/dangling/pods", user: bob });
    assert.match(answer.message, /: RBAC: role\.rbac\.authorization\.k8s\.io "nope" not found$/);
  });

  test("a user cannot grant permissions that he does not have", async () => {
    const answer = await make(
      `${demo}/roles`,
      role("r2", [
        { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
        { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      ]),
      bob,
    );
    assert.equal(
      answer.message,
      'roles.rbac.authorization.k8s.io "r2" is forbidden: user "bob" (groups=["devs" "qa" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
    );
    const held = await make(
      `${demo}/roles`,
      role("r3", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]),
      bob,
    );
    assert.equal(held.code, 201);
  });

  test("a user cannot bind a role whose permissions he does not have", async () => {
    const answer = await make(`${demo}/rolebindings`, binding("up", "cluster-admin", bobSubject, "ClusterRole"), bob);
    assert.equal(answer.code, 403);
    const missing = await make(`${demo}/rolebindings`, binding("up", "nope", bobSubject), bob);
    assert.equal(missing.message, 'rolebindings.rbac.authorization.k8s.io "nope" not found');
  });
});

describe("reviews", () => {
  const ask = (kind: string, spec: JsonObject, user?: UserInfo): Promise<Answer> =>
    make(
      `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
      { apiVersion: "authorization.k8s.io/v1", kind, spec },
      user,
    );

  test("an allowed access names the binding that allows it", async () => {
    const answer = await ask("SubjectAccessReview", {
      user: "bob",
      resourceAttributes: { namespace: "demo", verb: "list", resource: "pods" },
    });
    assert.equal(answer.code, 201);
    assert.deepEqual(answer.object["status"], {
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b1/demo" of Role "r1" to User "bob"',
    });
  });

  test("everybody may ask about himself", async () => {
    const answer = await ask(
      "SelfSubjectAccessReview",
      { resourceAttributes: { verb: "delete", resource: "nodes" } },
      bob,
    );
    assertContains(answer.object["status"], { allowed: false });
  });

  test("a review without attributes is refused", async () => {
    const answer = await ask("SelfSubjectAccessReview", {});
    assert.equal(
      answer.message,
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  });

  test("the rules of a namespace are listed", async () => {
    const answer = await ask("SelfSubjectRulesReview", { namespace: "demo" }, bob);
    const { resourceRules } = answer.object["status"] as { resourceRules: readonly JsonObject[] };
    assert.ok(resourceRules.some(({ resourceNames }) => JSON.stringify(resourceNames) === '["only"]'));
  });

  test("a SelfSubjectReview returns the caller's name and groups", async () => {
    const answer = await make(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      bob,
    );
    assert.deepEqual(answer.object["status"], { userInfo: { username: "bob", groups: bob.groups } });
  });
});

describe("service account tokens", () => {
  const tokenPath = "/api/v1/namespaces/demo/serviceaccounts/default/token";
  const request = (spec: JsonObject): JsonObject => ({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec,
  });
  const review = (token: string, audiences?: readonly string[]): Promise<Answer> =>
    make("/apis/authentication.k8s.io/v1/tokenreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    });

  test("speak for their account, for their audience, until they end", async () => {
    const answer = await make(tokenPath, request({ expirationSeconds: 600 }));
    assert.equal(answer.code, 201, answer.message);
    const { token } = answer.object["status"] as { token: string };
    assertContains((await review(token)).object["status"], {
      authenticated: true,
      user: {
        username: "system:serviceaccount:demo:default",
        groups: ["system:serviceaccounts", "system:serviceaccounts:demo", "system:authenticated"],
      },
    });
    assertContains((await review(token, ["other"])).object["status"], { authenticated: undefined as never });
    assertContains((await review(`${token}x`)).object["status"], { error: "invalid bearer token" });
    server.clock.advance(601_000);
    assertContains((await review(token)).object["status"], {
      error: "[invalid bearer token, service account token has expired]",
    });
  });

  test("last ten minutes at least", async () => {
    const answer = await make(tokenPath, request({ expirationSeconds: 10 }));
    assert.match(
      answer.message,
      /spec\.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes/,
    );
  });

  test("of a missing account do not exist", async () => {
    const answer = await make(tokenPath.replace("default", "nope"), request({}));
    assert.equal(answer.message, 'serviceaccounts "nope" not found');
  });

  test("an empty token is a bad request", async () => {
    assert.equal((await review("")).message, "token is required for TokenReview in authentication");
  });
});

describe("impersonation", () => {
  const as = (headers: Readonly<Record<string, string>>, user?: UserInfo): Promise<Answer> =>
    server.ask({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      headers,
      ...(user === undefined ? {} : { user }),
    });

  test("acts as the user and the groups named", async () => {
    const answer = await as({ "impersonate-user": "ann", "impersonate-group": "x, y\nz" });
    assertContains(answer.object["status"], {
      userInfo: { username: "ann", groups: ["x, y", "z", "system:authenticated"] },
    });
  });

  test("gives a service account its groups", async () => {
    const answer = await as({ "impersonate-user": "system:serviceaccount:demo:default" });
    assertContains(answer.object["status"], {
      userInfo: { groups: ["system:serviceaccounts", "system:serviceaccounts:demo", "system:authenticated"] },
    });
  });

  test("is a right of its own", async () => {
    const answer = await as({ "impersonate-user": "ann" }, bob);
    assert.equal(answer.code, 403);
    assert.match(answer.message, /^users "ann" is forbidden: User "bob" cannot impersonate resource "users"/);
  });

  test("of a group alone is a bad request", async () => {
    const answer = await as({ "impersonate-group": "x" });
    assert.equal(answer.code, 400);
    assert.match(answer.message, /without impersonating a user name$/);
  });
});

describe("webhooks", () => {
  const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const hook = (name: string, more: JsonObject): JsonObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name: "h.ex.io",
        clientConfig: { service: { namespace: "demo", name: "nosvc", path: "/v" } },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        objectSelector: { matchLabels: { hooked: name } },
        ...more,
      },
    ],
  });
  const cm = (name: string, label: string): JsonObject => configMap(name, { metadata: { labels: { hooked: label } } });
  const cms = "/api/v1/namespaces/demo/configmaps";

  test("that cannot be reached refuse what they match, and nothing else", async () => {
    assert.equal((await make(hooks, hook("broken", {}))).code, 201);
    const answer = await make(cms, cm("hooked", "broken"));
    assert.equal(answer.code, 500);
    assert.equal(
      answer.message,
      'Internal error occurred: failed calling webhook "h.ex.io": failed to call webhook: service "nosvc" not found',
    );
    assert.equal((await make(cms, cm("free", "other"))).code, 201);
  });

  test("that may fail let everything pass", async () => {
    await make(hooks, hook("ignored", { failurePolicy: "Ignore" }));
    assert.equal((await make(cms, cm("passed", "ignored"))).code, 201);
  });

  test("whose conditions do not hold are not asked", async () => {
    await make(
      hooks,
      hook("conditional", { matchConditions: [{ name: "c", expression: 'object.metadata.name != "skipped"' }] }),
    );
    assert.equal((await make(cms, cm("skipped", "conditional"))).code, 201);
    assert.equal((await make(cms, cm("asked", "conditional"))).code, 500);
  });

  test("with side effects refuse a dry run", async () => {
    await make(hooks, hook("effects", { sideEffects: "NoneOnDryRun" }));
    const answer = await make(`${cms}?dryRun=All`, cm("dry", "effects"));
    assert.equal(answer.code, 500, "it was asked");
  });
});

describe("admission policies", () => {
  const base = "/apis/admissionregistration.k8s.io/v1";
  const policy = (name: string, spec: JsonObject): Promise<Answer> =>
    make(`${base}/validatingadmissionpolicies`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          objectSelector: { matchLabels: { policy: name } },
        },
        ...spec,
      },
    });
  const bind = (name: string, actions: readonly string[]): Promise<Answer> =>
    make(`${base}/validatingadmissionpolicybindings`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "b" + name },
      spec: { policyName: name, validationActions: actions },
    });
  const cms = "/api/v1/namespaces/demo/configmaps";
  const cm = (name: string, label: string): JsonObject => configMap(name, { metadata: { labels: { policy: label } } });

  test("deny with their message", async () => {
    assert.equal(
      (
        await policy("deny.ex.io", {
          variables: [{ name: "wanted", expression: '"good"' }],
          validations: [
            { expression: "object.metadata.name == variables.wanted", messageExpression: '"not " + variables.wanted' },
          ],
        })
      ).code,
      201,
    );
    assert.equal((await bind("deny.ex.io", ["Deny"])).code, 201);
    const answer = await make(cms, cm("bad", "deny.ex.io"));
    assert.equal(answer.code, 422);
    assert.equal(
      answer.message,
      "configmaps \"bad\" is forbidden: ValidatingAdmissionPolicy 'deny.ex.io' with binding 'bdeny.ex.io' denied request: not good",
    );
    assert.equal((await make(cms, cm("good", "deny.ex.io"))).code, 201);
  });

  test("warn when that is all they may, and refuse with the reason they give", async () => {
    await policy("warn.ex.io", { validations: [{ expression: "false", message: "bad name" }] });
    await bind("warn.ex.io", ["Warn"]);
    const warned = await make(cms, cm("warned", "warn.ex.io"));
    assert.equal(warned.code, 201);
    assert.deepEqual(warned.warnings, [
      "Validation failed for ValidatingAdmissionPolicy 'warn.ex.io' with binding 'bwarn.ex.io': bad name",
    ]);
    await policy("reason.ex.io", { validations: [{ expression: "false", reason: "Forbidden" }] });
    await bind("reason.ex.io", ["Deny"]);
    const answer = await make(cms, cm("refused", "reason.ex.io"));
    assert.equal(answer.code, 403);
    assert.match(answer.message, /denied request: failed expression: false$/);
  });
});
