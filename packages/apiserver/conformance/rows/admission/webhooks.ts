import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Expectation, Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, text } from "../../scene.ts";
import type { Reply } from "../../tls-server.ts";
import { tlsServer } from "../../tls-server.ts";
import { calling, create, everything, failure, hooked, patch, registrations, reply } from "../../webhook-calls.ts";

function denial(name: string, response: JsonObject, expected: Expectation): Row {
  return {
    row: 273,
    name,
    run: async (scene) => {
      await hooked(scene, "Validating", [{}], (review) => reply(review, { allowed: false, ...response }));
      assertAnswer(await create(scene, "x"), expected);
    },
  };
}

async function registered(scene: Scene, webhook: JsonObject): ReturnType<Scene["ask"]> {
  const name = scene.ns;
  return scene.ask({
    method: "POST",
    path: `${registrations}/validatingwebhookconfigurations?dryRun=All`,
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [
        {
          name: "h.ex.io",
          clientConfig: { url: "https://127.0.0.1/x" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          ...webhook,
        },
      ],
    },
  });
}

const anyRule: JsonObject = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };

const invalidHooks: readonly (readonly [string, JsonObject, string])[] = [
  [
    "name",
    { name: "x" },
    'webhooks[0].name: Invalid value: "x": should be a domain with at least three segments separated by dots',
  ],
  [
    "no side effects",
    { sideEffects: null },
    "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
  ],
  [
    "unsupported side effects",
    { sideEffects: "Some" },
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
  ],
  [
    "no review versions",
    { admissionReviewVersions: [] },
    "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
  ],
  [
    "unsupported review versions",
    { admissionReviewVersions: ["v9"] },
    'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
  ],
  [
    "an http URL",
    { clientConfig: { url: "http://x" } },
    `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
  ],
  [
    "no target",
    { clientConfig: {} },
    "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
  ],
  [
    "a timeout above the maximum",
    { timeoutSeconds: 31 },
    "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
  ],
  [
    "a wildcard beside other operations",
    { rules: [{ ...anyRule, operations: ["*", "CREATE"] }] },
    `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
  ],
  [
    "an unknown operation",
    { rules: [{ ...anyRule, operations: ["NOPE"] }] },
    'webhooks[0].rules[0].operations[0]: Unsupported value: "NOPE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
  ],
  [
    "an unknown failure policy",
    { failurePolicy: "Maybe" },
    'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
  ],
  [
    "an unknown match policy",
    { matchPolicy: "Maybe" },
    'webhooks[0].matchPolicy: Unsupported value: "Maybe": supported values: "Equivalent", "Exact"',
  ],
  [
    "an unknown scope",
    { rules: [{ ...anyRule, scope: "Maybe" }] },
    'webhooks[0].rules[0].scope: Unsupported value: "Maybe": supported values: "*", "Cluster", "Namespaced"',
  ],
  [
    "a match condition that does not compile",
    { matchConditions: [{ name: "c", expression: "object." }] },
    'webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:',
  ],
  [
    "a match condition that is not bool",
    { matchConditions: [{ name: "c", expression: "1" }] },
    'webhooks[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool',
  ],
];

export const webhookRows: readonly Row[] = [
  denial(
    "no words",
    {},
    { code: 400, reason: "", message: 'admission webhook "h0.ex.io" denied the request without explanation' },
  ),
  denial(
    "a message",
    { status: { message: "no way" } },
    { code: 400, reason: "", message: 'admission webhook "h0.ex.io" denied the request: no way' },
  ),
  denial(
    "a denial with code and reason",
    { status: { code: 409, reason: "Conflict", message: "no way" } },
    { code: 409, reason: "Conflict", message: 'admission webhook "h0.ex.io" denied the request: no way' },
  ),
  denial(
    "a denial with an invalid code",
    { status: { code: 200, message: "no way" } },
    { code: 400, message: 'admission webhook "h0.ex.io" denied the request: no way' },
  ),
  denial(
    "a denial with a reason only",
    { status: { reason: "BecauseOfMe" } },
    { code: 400, reason: "BecauseOfMe", message: 'admission webhook "h0.ex.io" denied the request: BecauseOfMe' },
  ),
  denial(
    "warnings too",
    { warnings: ["take care"], status: { message: "no" } },
    { code: 400, warnings: ["take care"] },
  ),
  failure(
    "an error response of the webhook",
    "Validating",
    () => ({ code: 500 }),
    `${calling}failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding`,
  ),
  failure(
    "a 404 response of the webhook",
    "Validating",
    () => ({ code: 404 }),
    `${calling}failed to call webhook: the server could not find the requested resource`,
  ),
  failure(
    "a response that is not JSON",
    "Validating",
    () => ({ body: "{nope" }),
    `${calling}failed to call webhook: couldn't get version/kind; json parse error: …`,
  ),
  failure(
    "another uid",
    "Validating",
    (review) => reply(review, { uid: "zz" }),
    `${calling}received invalid webhook response: expected response.uid="UID", got "zz"`,
  ),
  failure(
    "no response",
    "Validating",
    () => ({ body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" } }),
    `${calling}received invalid webhook response: webhook response was absent`,
  ),
  failure(
    "a patch from a validating webhook",
    "Validating",
    (review) => reply(review, patch()),
    `${calling}received invalid webhook response: validating webhook may not return response.patch`,
  ),
  failure(
    "a patch without type",
    "Mutating",
    (review) => reply(review, { patch: patch({ op: "add", path: "/data", value: {} })["patch"] as string }),
    `${calling}received invalid webhook response: webhook returned response.patch but not response.patchType`,
  ),
  failure(
    "a type without patch",
    "Mutating",
    (review) => reply(review, { patchType: "JSONPatch" }),
    `${calling}received invalid webhook response: webhook returned response.patchType but not response.patch`,
  ),
  failure(
    "a patch that does not apply",
    "Mutating",
    (review) => reply(review, patch({ op: "replace", path: "/data/x/y", value: "1" })),
    "Internal error occurred: replace operation does not apply: doc is missing path: /data/x/y: missing value",
  ),
  failure(
    "a patch that sets a value of a wrong type",
    "Mutating",
    (review) => reply(review, patch({ op: "add", path: "/data", value: { a: 5 } })),
    "Internal error occurred: json: cannot unmarshal …",
  ),
  {
    row: 274,
    name: "a webhook certificate of an unknown authority",
    run: async (scene) => {
      const other = await tlsServer(scene, ({ body }) => everything(body));
      const stranger = await tlsServer(scene, ({ body }) => everything(body));
      const clientConfig = { url: `${other.url}/`, caBundle: stranger.caBundle };
      await hooked(scene, "Validating", [{ clientConfig }], everything);
      const answer = await create(scene, "x");
      assert.equal(answer.code, 500, answer.text);
      const start = `${calling}failed to call webhook: Post "${other.url}/?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`;
      assert.ok(answer.message.startsWith(start), answer.message);
    },
  },
  {
    row: 274,
    name: "a webhook without listener",
    run: async (scene) => {
      const url = "https://127.0.0.1:1/";
      await hooked(scene, "Validating", [{ clientConfig: { url } }], everything);
      assertAnswer(await create(scene, "x"), {
        code: 500,
        reason: "InternalError",
        message: `${calling}failed to call webhook: Post "${url}?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`,
      });
    },
  },
  {
    row: 274,
    name: "a webhook with a missing Service",
    run: async (scene) => {
      const clientConfig = { service: { namespace: scene.ns, name: "nosvc" } };
      await hooked(scene, "Validating", [{ clientConfig }], everything);
      const answer = await create(scene, "x");
      assert.equal(answer.code, 500, answer.text);
      assert.match(answer.message, /failed to call webhook: .*service "nosvc" not found$/);
    },
  },
  {
    row: 274,
    name: "failurePolicy Ignore ignores failures, not denials",
    run: async (scene) => {
      await hooked(scene, "Validating", [{ failurePolicy: "Ignore" }], (review) =>
        text(review, "request", "name") === "denied" ? reply(review, { allowed: false }) : { code: 500 },
      );
      assert.equal((await create(scene, "x")).code, 201);
      assert.equal((await create(scene, "denied")).code, 400);
    },
  },
  {
    row: 274,
    name: "a patched object that is invalid is refused",
    run: async (scene) => {
      await hooked(scene, "Mutating", [{}], (review) =>
        reply(review, patch({ op: "add", path: "/data", value: { "a b": "c" } })),
      );
      assertAnswer(await create(scene, "x"), { code: 422, reason: "Invalid" });
    },
  },
  {
    row: 274,
    name: "unknown fields in a patch are dropped",
    run: async (scene) => {
      await hooked(scene, "Mutating", [{}], (review) => reply(review, patch({ op: "add", path: "/bogus", value: 1 })));
      const answer = await scene.ask({
        method: "POST",
        path: `${scene.cms}?fieldValidation=Strict`,
        body: configMap("x"),
      });
      assertAnswer(answer, { code: 201, contains: { bogus: undefined } as never });
    },
  },
  {
    row: 275,
    name: "timeoutSeconds limits the call",
    run: async (scene) => {
      const { server } = await hooked(scene, "Validating", [{ timeoutSeconds: 1 }], everything);
      const slow = await tlsServer(scene, () => new Promise(() => undefined));
      const path = `${registrations}/validatingwebhookconfigurations/${scene.ns}`;
      const url = `${slow.url}/slow`;
      const change = [{ op: "replace", path: "/webhooks/0/clientConfig", value: { url, caBundle: slow.caBundle } }];
      assert.equal((await scene.patch("json-patch", path, change)).code, 200);
      assert.ok(server.received.length > 0);
      await eventually(async () => {
        const started = performance.now();
        assertAnswer(await create(scene, "x"), {
          code: 500,
          message: `${calling}failed to call webhook: Post "${url}?timeout=1s": context deadline exceeded`,
        });
        const took = performance.now() - started;
        // Ten seconds are the default.
        assert.ok(took > 900 && took < 9000, `${took} ms`);
      });
    },
  },
  {
    row: 276,
    name: "the review of a create",
    run: async (scene) => {
      const { server, asked } = await hooked(scene, "Validating", [{}], everything);
      const made = await scene.ok({
        method: "POST",
        path: `${scene.cms}?fieldManager=me`,
        body: configMap("x", { data: { k: "v" } }),
        as: { name: "bob", uid: "u1", groups: ["system:masters"], extra: { e: ["1"] } },
      });
      const [request] = asked();
      const { uid, userInfo, object, ...rest } = request ?? {};
      assert.match(JSON.stringify(uid), /^"[0-9a-f-]{36}"$/);
      assertContains(userInfo, {
        username: "bob",
        uid: "u1",
        groups: ["system:masters", "system:authenticated"],
        extra: { e: ["1"] },
      });
      assert.deepEqual(object, made["metadata"] === undefined ? {} : { ...made, metadata: withoutVersion(made) });
      assert.deepEqual(rest, {
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        name: "x",
        namespace: scene.ns,
        operation: "CREATE",
        oldObject: null,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
      });
      const call = server.received.find(({ body }) => text(body, "request", "name") === "x");
      assert.equal(call?.method, "POST");
      assert.equal(call?.path, "/0?timeout=10s");
      assert.equal(call?.headers["content-type"], "application/json");
      assert.equal(call?.headers.accept, "application/json, */*");
      assert.match(String(call?.headers["user-agent"]), /^kube-apiserver-admission/);
      assertContains(call?.body, { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" });
    },
  },
  {
    row: 276,
    name: "the review of a patch",
    run: async (scene) => {
      const { asked } = await hooked(scene, "Validating", [{}], everything);
      assert.equal((await scene.merge(`${scene.cms}/a`, { data: { k: "new" } })).code, 200);
      assertContains(asked()[0], {
        operation: "UPDATE",
        name: "a",
        object: { data: { k: "new" } },
        oldObject: { data: { k: "v" } },
        options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" },
      });
    },
  },
  {
    row: 276,
    name: "the review of a deletion",
    run: async (scene) => {
      const { asked } = await hooked(scene, "Validating", [{}], everything);
      await scene.ok({ method: "DELETE", path: `${scene.cms}/a?propagationPolicy=Background` });
      assertContains(asked()[0], {
        operation: "DELETE",
        name: "a",
        object: null,
        oldObject: { data: { k: "v" } },
        options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" },
      });
    },
  },
  {
    row: 276,
    name: "the review of a deletecollection",
    run: async (scene) => {
      for (const name of ["b", "c"]) await scene.make(name, { metadata: { labels: { l: "1" } } });
      const { asked } = await hooked(scene, "Validating", [{}], everything);
      await scene.ok({ method: "DELETE", path: `${scene.cms}?labelSelector=l%3D1` });
      const requests = asked();
      assert.deepEqual(requests.map((request) => text(request, "oldObject", "metadata", "name")).toSorted(), [
        "b",
        "c",
      ]);
      for (const request of requests)
        assertContains(request, { operation: "DELETE", name: undefined, object: null } as never);
    },
  },
  {
    row: 276,
    name: "the review of an apply that creates",
    run: async (scene) => {
      const { asked } = await hooked(scene, "Validating", [{}], everything);
      assert.equal((await scene.apply(`${scene.cms}/n`, "me", configMap("n", { data: { k: "v" } }))).code, 201);
      assertContains(asked()[0], {
        operation: "CREATE",
        name: "n",
        object: { data: { k: "v" } },
        oldObject: null,
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
      });
    },
  },
  {
    row: 277,
    name: "a mutating webhook's patch is applied, validated and attributed to the request's field manager",
    run: async (scene) => {
      const hook = (review: JsonObject): Reply => reply(review, patch({ op: "add", path: "/data/added", value: "1" }));
      await hooked(scene, "Mutating", [{}], hook);
      const made = await create(scene, "x", { data: { own: "1" } });
      assertAnswer(made, { code: 201, contains: { data: { added: "1", own: "1" } } });
      const managers = at(made.object, "metadata", "managedFields") as unknown as readonly JsonObject[];
      assert.deepEqual(
        managers.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]),
        [["conformance", "Update", { "f:data": { ".": {}, "f:own": {} } }]],
      );
    },
  },
  {
    row: 278,
    name: "reinvocationPolicy IfNeeded calls a webhook again after a later change",
    run: async (scene) => {
      const order: string[] = [];
      await hooked(scene, "Mutating", [{ reinvocationPolicy: "IfNeeded" }, {}], (review, { path }) => {
        const isFirst = path.startsWith("/0");
        // Controllers create their own ConfigMap in a new namespace.
        if (text(review, "request", "name") === "x") order.push(isFirst ? "a" : "b");
        return isFirst ? reply(review, {}) : reply(review, patch({ op: "add", path: "/data", value: { b: "1" } }));
      });
      assert.equal((await create(scene, "x")).code, 201);
      assert.deepEqual(order, ["a", "b", "a"]);
    },
  },
  {
    row: 279,
    name: "a webhook is called only for objects that its selectors match",
    run: async (scene) => {
      const { asked } = await hooked(
        scene,
        "Validating",
        [
          { objectSelector: { matchLabels: { hear: "me" } } },
          { matchConditions: [{ name: "c", expression: "object.metadata.name.startsWith('cond')" }] },
        ],
        everything,
      );
      const other = await scene.namespace("other");
      const elsewhere = `/api/v1/namespaces/${other}/configmaps`;
      const labelled = { metadata: { labels: { hear: "me" } } };
      await scene.ok({ method: "POST", path: elsewhere, body: configMap("cond-elsewhere", labelled) });
      assert.equal((await create(scene, "nothing")).code, 201);
      assert.equal((await create(scene, "labelled", labelled)).code, 201);
      assert.equal((await create(scene, "cond")).code, 201);
      assert.deepEqual(
        asked().map(({ name }) => name),
        ["labelled", "cond"],
      );
      // The label is removed: the old object still has it.
      assert.equal((await scene.merge(`${scene.cms}/labelled`, { metadata: { labels: null } })).code, 200);
      assert.deepEqual(
        asked().map(({ name }) => name),
        ["labelled", "cond", "labelled"],
      );
    },
  },
  {
    row: 279,
    name: "a failing match condition refuses the request",
    run: async (scene) => {
      const expression = "object.metadata.name != 'x' || object.spec.x == 1";
      await hooked(scene, "Validating", [{ matchConditions: [{ name: "c", expression }] }], everything);
      const answer = await create(scene, "x");
      assert.equal(answer.code, 403, answer.text);
      assert.equal(
        answer.message,
        `configmaps "x" is forbidden: expression '${expression}' resulted in error: no such key: spec`,
      );
    },
  },
  {
    row: 280,
    name: "a name is generated between the two phases",
    run: async (scene) => {
      const before = await hooked(scene, "Mutating", [{}], everything);
      const after = await hooked(scene, "Validating", [{}], everything);
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
      const made = await scene.ok({ method: "POST", path: scene.cms, body });
      const seen = (asked: readonly JsonObject[]): JsonObject => {
        const request = asked.find((held) => text(held, "object", "metadata", "generateName") === "made-");
        assert.ok(request !== undefined);
        return request;
      };
      const first = seen(before.asked());
      assertContains(first, { name: undefined, object: { metadata: { name: undefined, uid: undefined } } } as never);
      const name = text(made, "metadata", "name");
      assertContains(seen(after.asked()), { name, object: { metadata: { name } } });
    },
  },
  {
    row: 281,
    name: "defaults of a webhook",
    run: async (scene) => {
      const answer = await registered(scene, { rules: [anyRule] });
      assert.equal(answer.code, 201, answer.text);
      const [hook] = at(answer.object, "webhooks") as unknown as readonly JsonObject[];
      assertContains(hook, {
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        rules: [{ ...anyRule, scope: "*" }] as JsonValue,
      });
    },
  },
  ...invalidHooks.map(([name, hook, message]): Row => ({
    row: 281,
    name: `a webhook is refused: ${name}`,
    run: async (scene) => {
      const answer = await registered(scene, hook);
      assert.equal(answer.code, 422, answer.text);
      assert.ok(answer.message.includes(message), `${answer.message}\n  has not\n  ${message}`);
    },
  })),
  {
    row: 281,
    name: "the default port of a webhook's Service",
    run: async (scene) => {
      const answer = await registered(scene, { clientConfig: { service: { namespace: "x", name: "y" } } });
      const [hook] = at(answer.object, "webhooks") as unknown as readonly JsonObject[];
      assertContains(hook, { clientConfig: { service: { port: 443 } } });
    },
  },
  {
    row: 282,
    name: "the review of a dry run says so, and warnings are returned",
    run: async (scene) => {
      const { asked } = await hooked(scene, "Validating", [{}], (review) => reply(review, { warnings: ["take care"] }));
      const answer = await scene.ask({ method: "POST", path: `${scene.cms}?dryRun=All`, body: configMap("x") });
      assertAnswer(answer, { code: 201, warnings: ["take care"] });
      assertContains(asked()[0], { dryRun: true, options: { dryRun: ["All"] } });
    },
  },
];

function withoutVersion(made: JsonObject): JsonObject {
  const { resourceVersion: _version, ...metadata } = at(made, "metadata") as JsonObject;
  return metadata;
}
