// Features that the embedded API server leaves out on purpose are refused with a reason: one case for each.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Ask, TestServer } from "./testing/server.ts";
import { testServer, withNamespace } from "./testing/server.ts";

const pods = "/api/v1/namespaces/demo/pods";
const simulated = "is not supported (this cluster runs no containers, its pods are simulated)";
let server: TestServer;

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  await server.ask({
    method: "POST",
    path: "/api/v1/namespaces/demo/serviceaccounts",
    body: { metadata: { name: "default" } },
  });
  const spec = { containers: [{ name: "c", image: "x" }] };
  await server.ask({ method: "POST", path: pods, body: { metadata: { name: "p" }, spec } });
});
after(() => server.server.stop());

describe("features that need running containers", () => {
  for (const [path, feature, kind, name] of [
    [`${pods}/p/exec`, "pods/exec", "pods", "p"],
    [`${pods}/p/attach`, "pods/attach", "pods", "p"],
    [`${pods}/p/portforward`, "pods/portforward", "pods", "p"],
    [`${pods}/p/proxy`, "pods/proxy", "pods", "p"],
    [`${pods}/p/proxy/a/b`, "pods/proxy", "pods", "p"],
    [`${pods}/p/log`, "pods/log", "pods", "p"],
    [`${pods}/p/ephemeralcontainers`, "pods/ephemeralcontainers", "pods", "p"],
    [`${pods}/p/resize`, "pods/resize", "pods", "p"],
    ["/api/v1/namespaces/demo/services/s/proxy", "services/proxy", "services", "s"],
    ["/api/v1/nodes/n/proxy", "nodes/proxy", "nodes", "n"],
  ] as const)
    for (const method of ["GET", "POST"] as const)
      test(`${method} ${path} is refused as not supported`, async () => {
        const answer = await server.ask({ method, path, ...(method === "GET" ? {} : { body: {} }) });
        assert.deepEqual(answer.object, {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          message: `embedded server: ${feature} ${simulated}`,
          reason: "NotImplemented",
          details: { name, kind },
          code: 501,
        });
      });

  test("discovery does not list these subresources", async () => {
    const { object } = await server.ask({ path: "/api/v1" });
    const names = (object["resources"] as readonly JsonObject[]).map((resource) => resource["name"]);
    for (const name of [
      "pods/exec",
      "pods/attach",
      "pods/portforward",
      "pods/proxy",
      "pods/log",
      "pods/ephemeralcontainers",
      "pods/resize",
      "services/proxy",
      "nodes/proxy",
    ])
      assert.ok(!names.includes(name), name);
  });
});

interface Refusal {
  readonly name: string;
  readonly ask: Ask;
  readonly code: number;
  readonly message?: RegExp;
}

function definition(group: string): JsonObject {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: `foos.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const refusals: readonly Refusal[] = [
  {
    name: "answers in protobuf only",
    ask: { path: pods, headers: { accept: "application/vnd.kubernetes.protobuf" } },
    code: 406,
    message: /^only the following media types are accepted: application\/json, application\/yaml/,
  },
  {
    name: "protobuf of a kind that no typed client of ours writes",
    ask: {
      method: "POST",
      path: "/apis/apps/v1/namespaces/demo/statefulsets",
      body: "k8s\0",
      headers: { "content-type": "application/x-unknown" },
    },
    code: 415,
    message: /accepted media types include: application\/json/,
  },
  {
    name: "bodies in CBOR",
    ask: { method: "POST", path: pods, body: "x", headers: { "content-type": "application/cbor" } },
    code: 415,
    message: /accepted media types include: application\/json/,
  },
  { name: "answers in CBOR", ask: { path: pods, headers: { accept: "application/cbor" } }, code: 406 },
  {
    name: "a watch over WebSocket",
    ask: { path: `${pods}?watch=true`, headers: { upgrade: "websocket", connection: "Upgrade" } },
    code: 400,
    message: /WebSocket/,
  },
  ...[
    "admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
    "resource.k8s.io/v1/resourceclaims",
    "flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "storagemigration.k8s.io/v1beta1/storageversionmigrations",
    "internal.apiserver.k8s.io/v1alpha1/storageversions",
    "networking.k8s.io/v1/ipaddresses",
    "policy/v1beta1/poddisruptionbudgets",
    "batch/v1beta1/cronjobs",
    "extensions/v1beta1/ingresses",
    "apps/v1beta1/deployments",
    "autoscaling/v2beta2/horizontalpodautoscalers",
    "apiextensions.k8s.io/v1beta1/customresourcedefinitions",
    "admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations",
    "rbac.authorization.k8s.io/v1beta1/roles",
  ].map((place): Refusal => ({ name: `the API ${place}`, ask: { path: `/apis/${place}` }, code: 404 })),
  { name: "ComponentStatus", ask: { path: "/api/v1/componentstatuses" }, code: 404 },
  ...["flowcontrol.apiserver.k8s.io", "resource.k8s.io", "anything.kubernetes.io"].map((group): Refusal => ({
    name: `a definition in ${group} that would fake it`,
    ask: { method: "POST", path: definitions, body: definition(group) },
    code: 422,
    message: /protected groups must have approval annotation "api-approved.kubernetes.io"/,
  })),
  {
    name: "a definition in apps that would fake it",
    ask: { method: "POST", path: definitions, body: definition("apps") },
    code: 422,
    message: /spec.group: Invalid value: "apps": should be a domain with at least one dot/,
  },
  ...["/debug/pprof/", "/debug/flags/v", "/logs", "/statusz", "/flagz", "/metrics/slis"].map((path): Refusal => ({
    name: path,
    ask: { path },
    code: 404,
  })),
];

describe("features that are left out on purpose", () => {
  for (const { name, ask, code, message } of refusals)
    test(`${name}: ${code}`, async () => {
      const answer = await server.ask(ask);
      assert.equal(answer.code, code, answer.text);
      if (message !== undefined) assert.match(answer.message === "" ? answer.text : answer.message, message);
    });
});
