import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { TestServer, Answer } from "./testing/server.ts";
import { assertContains, configMap, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
let caBundle = "";
let port = 0;
/** What the webhook at each path answers. */
const answers = new Map<string, (request: JsonObject) => { readonly code?: number; readonly body: unknown }>();
const seen: JsonObject[] = [];
const hook = createServer();
const cms = "/api/v1/namespaces/demo/configmaps";

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: new SeededEntropy(3) };
  const authority = await issueAuthority({ ...issuing, commonName: "test" });
  const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1"] });
  caBundle = Buffer.from(authority.certificatePem).toString("base64");
  hook.setSecureContext({ key: serving.privateKeyPem, cert: serving.certificatePem });
  hook.on("request", (request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: JsonObject };
      seen.push(review.request);
      const path = (request.url ?? "").split("?")[0] ?? "";
      const { code = 200, body } = answers.get(path)?.(review.request) ?? { code: 404, body: "" };
      response.writeHead(code).end(typeof body === "string" ? body : JSON.stringify(body));
    })();
  });
  hook.listen(0, "127.0.0.1");
  await once(hook, "listening");
  ({ port } = hook.address() as AddressInfo);
});

after(() => {
  hook.close();
  hook.closeAllConnections();
});

const allow =
  (more: JsonObject = {}) =>
  (request: JsonObject) => ({
    body: {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request["uid"], allowed: true, ...more },
    },
  });

async function install(
  kind: "Mutating" | "Validating",
  name: string,
  respond: Parameters<typeof answers.set>[1],
  more: JsonObject = {},
): Promise<void> {
  answers.set(`/${name}`, respond);
  const answer = await server.ask({
    method: "POST",
    path: `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [
        {
          name: "h.ex.io",
          clientConfig: { url: `https://127.0.0.1:${port}/${name}`, caBundle },
          rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
          objectSelector: { matchLabels: { hook: name } },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          ...more,
        },
      ],
    } as JsonValue,
  });
  assert.equal(answer.code, 201, answer.message);
}

const create = (name: string, label: string, more: JsonObject = {}): Promise<Answer> =>
  server.ask({
    method: "POST",
    path: cms,
    body: configMap(name, { metadata: { labels: { hook: label } }, ...more }) as JsonValue,
  });

const patchOf = (operations: JsonValue): JsonObject => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

describe("admission webhooks", () => {
  test("change the object before it is validated and owned", async () => {
    await install("Mutating", "mutate", allow(patchOf([{ op: "add", path: "/data", value: { added: "yes" } }])));
    const answer = await create("mutated", "mutate");
    assert.deepEqual(answer.object["data"], { added: "yes" });
    assert.ok(!JSON.stringify((answer.object["metadata"] as JsonObject)["managedFields"]).includes("added"));
  });

  test("receive the operation, the user and the object", async () => {
    await install("Validating", "told", allow({ warnings: ["mind you"] }));
    seen.length = 0;
    const answer = await create("told", "told");
    assert.deepEqual(answer.warnings, ["mind you"]);
    const uid = (answer.object["metadata"] as { uid: string }).uid;
    await server.ask({
      method: "PATCH",
      path: `${cms}/told`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { data: { a: "b" } },
    });
    await server.ask({ method: "DELETE", path: `${cms}/told` });
    assertContains(seen[0] as JsonValue, {
      operation: "CREATE",
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      name: "told",
      namespace: "demo",
      userInfo: { username: "purser-admin" },
      object: { metadata: { uid } },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    });
    assertContains(seen[1] as JsonValue, {
      operation: "UPDATE",
      options: { kind: "UpdateOptions" },
      oldObject: { metadata: { uid } },
    });
    assertContains(seen[2] as JsonValue, { operation: "DELETE", object: null, options: { kind: "DeleteOptions" } });
  });

  const refusals: readonly (readonly [string, Parameters<typeof answers.set>[1], number, string])[] = [
    ["denied", allow({ allowed: false }), 400, 'admission webhook "h.ex.io" denied the request without explanation'],
    [
      "why",
      allow({ allowed: false, status: { message: "no way" } }),
      400,
      'admission webhook "h.ex.io" denied the request: no way',
    ],
    [
      "code",
      allow({ allowed: false, status: { code: 402, reason: "Pay", message: "pay" } }),
      402,
      'admission webhook "h.ex.io" denied the request: pay',
    ],
    [
      "five",
      () => ({ code: 500, body: "" }),
      500,
      'Internal error occurred: failed calling webhook "h.ex.io": failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
    ],
    [
      "gone",
      () => ({ code: 404, body: "" }),
      500,
      'Internal error occurred: failed calling webhook "h.ex.io": failed to call webhook: the server could not find the requested resource',
    ],
    [
      "uid",
      allow({ uid: "zz" }),
      500,
      'Internal error occurred: failed calling webhook "h.ex.io": received invalid webhook response: expected response.uid=',
    ],
    [
      "none",
      () => ({ body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" } }),
      500,
      'Internal error occurred: failed calling webhook "h.ex.io": received invalid webhook response: webhook response was absent',
    ],
    [
      "patch",
      allow(patchOf([])),
      500,
      'Internal error occurred: failed calling webhook "h.ex.io": received invalid webhook response: validating webhook may not return response.patch',
    ],
  ];
  for (const [name, respond, code, message] of refusals)
    test(`${name}: ${message.slice(0, 90)}`, async () => {
      await install("Validating", name, respond);
      const answer = await create(`refused-${name}`, name);
      assert.equal(answer.code, code);
      assert.ok(answer.message.startsWith(message), answer.message);
    });

  test("with a certificate of an unknown authority are not trusted", async () => {
    await install("Validating", "untrusted", allow(), { clientConfig: { url: `https://127.0.0.1:${port}/untrusted` } });
    const answer = await create("untrusted", "untrusted");
    assert.match(answer.message, /x509: certificate signed by unknown authority$/);
  });

  test("that cannot be reached refuse the request", async () => {
    await install("Validating", "slow", allow(), {
      timeoutSeconds: 1,
      clientConfig: { url: "https://127.0.0.1:1/slow", caBundle },
    });
    const answer = await create("slow", "slow");
    assert.match(answer.message, /dial tcp 127\.0\.0\.1:1: connect: connection refused$/);
  });
});

describe("conversion webhooks", () => {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "convs.ex.io" },
    spec: {
      group: "ex.io",
      scope: "Namespaced",
      names: { plural: "convs", kind: "Conv" },
      versions: ["v1", "v2"].map((name) => ({
        name,
        served: true,
        storage: name === "v2",
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      })),
    },
  };

  test("convert objects between the request's version and the stored version", async () => {
    answers.set("/convert", (request) => ({
      body: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        response: {
          uid: request["uid"],
          result: { status: "Success" },
          convertedObjects: (request["objects"] as readonly JsonObject[]).map((object) => {
            const { v1, v2, ...rest } = object;
            const toV2 = request["desiredAPIVersion"] === "ex.io/v2";
            return {
              ...rest,
              apiVersion: request["desiredAPIVersion"],
              ...(toV2 ? { v2: v1 ?? v2 } : { v1: v2 ?? v1 }),
            };
          }),
        },
      },
    }));
    const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle };
    const answer = await server.ask({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body: {
        ...definition,
        spec: {
          ...definition.spec,
          conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
        },
      },
    });
    assert.equal(answer.code, 201, answer.message);
    const created = await server.ask({
      method: "POST",
      path: "/apis/ex.io/v1/namespaces/demo/convs",
      body: { apiVersion: "ex.io/v1", kind: "Conv", metadata: { name: "c" }, v1: "x" },
    });
    assert.equal(created.code, 201, created.message);
    assertContains(created.object, { apiVersion: "ex.io/v1", v1: "x" });
    const stored = await server.ask({ path: "/apis/ex.io/v2/namespaces/demo/convs/c" });
    assertContains(stored.object, { apiVersion: "ex.io/v2", v2: "x" });
    const back = await server.ask({ path: "/apis/ex.io/v1/namespaces/demo/convs" });
    assertContains((back.object["items"] as readonly JsonObject[])[0] as JsonValue, {
      apiVersion: "ex.io/v1",
      v1: "x",
    });
    answers.set("/convert", () => ({ code: 500, body: "" }));
    const failed = await server.ask({
      method: "POST",
      path: "/apis/ex.io/v1/namespaces/demo/convs",
      body: { apiVersion: "ex.io/v1", kind: "Conv", metadata: { name: "d" }, v1: "y" },
    });
    assert.equal(failed.code, 500);
    assert.equal(
      failed.message,
      'conversion webhook for ex.io/v1, Kind=Conv failed: an error on the server ("unknown") has prevented the request from succeeding',
    );
  });
});
