import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { causesOf } from "../owners.ts";
import type { Row } from "../row.ts";
import { eventually } from "../eventually.ts";
import { assertContains, assertAnswer } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, text } from "../scene.ts";

const template = (more: JsonObject = {}): JsonObject => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i:v1" }], ...more },
});

function deployment(spec: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template: template(), ...spec },
    ...more,
  };
}

const deployments = (scene: Scene): string => `/apis/apps/v1/namespaces/${scene.ns}/deployments`;

/** The controller annotates new Deployments, which increments the generation. */
async function deployed(scene: Scene): Promise<JsonObject> {
  const path = deployments(scene);
  await scene.ok({ method: "POST", path, body: deployment() });
  let object: JsonObject = {};
  await eventually(async () => {
    object = await scene.ok({ path: `${path}/d` });
    assert.equal(at(object, "status", "observedGeneration"), at(object, "metadata", "generation"));
    assert.notEqual(at(object, "metadata", "annotations"), undefined);
  });
  return object;
}

const conditions = { type: "Available", status: "True", reason: "R", message: "" };

async function customWithStatus(scene: Scene): Promise<string> {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { type: "object", properties: { spec: open, status: open } };
  return scene.define(scene.definition("foos", "Foo", schema, { subresources: { status: {} } }));
}

/** `imagePullPolicy` by image. */
const pullPolicies: readonly (readonly [image: string, policy: string])[] = [
  ["i", "Always"],
  ["i:latest", "Always"],
  ["i:v1", "IfNotPresent"],
  [`i@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  ["host:5000/i", "Always"],
];

const service = (spec: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec,
});

const podWith = (spec: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

async function accountIn(scene: Scene): Promise<void> {
  await eventually(async () => {
    await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/serviceaccounts/default` });
  });
}

const event = (name: string, namespace: string): JsonObject => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace, name: "p" },
  reason: "R",
  message: "what happened",
  type: "Normal",
});

export const kindRows: readonly Row[] = [
  {
    row: 76,
    name: "a Deployment's generation depends on spec and annotations, not on labels",
    run: async (scene) => {
      const object = await deployed(scene);
      const before = at(object, "metadata", "generation");
      assert.equal(typeof before, "number");
      const path = `${deployments(scene)}/d`;
      const generation = async (patch: JsonValue): Promise<number> =>
        Number(at((await scene.merge(path, patch)).object, "metadata", "generation")) - Number(before);
      assert.equal(await generation({ metadata: { labels: { l: "1" } } }), 0);
      assert.equal(await generation({ metadata: { annotations: { a: "1" } } }), 1);
      assert.equal(await generation({ spec: { paused: true } }), 2);
    },
  },
  {
    row: 77,
    name: "a Deployment's status endpoint accepts status and annotations",
    run: async (scene) => {
      const object = await deployed(scene);
      const path = `${deployments(scene)}/d`;
      const metadata = object["metadata"] as JsonObject;
      const body = {
        ...object,
        metadata: { ...metadata, resourceVersion: undefined, labels: { l: "1" }, annotations: { a: "1" } },
        spec: { ...(object["spec"] as JsonObject), replicas: 7 },
        status: { conditions: [conditions] },
      };
      const answer = await scene.ask({ method: "PUT", path: `${path}/status`, body });
      assert.equal(answer.code, 200, answer.text);
      assertContains(answer.object, {
        metadata: { labels: undefined, annotations: { a: "1" }, generation: metadata["generation"] as number },
        spec: { replicas: 0 },
      });
      const [first] = at(answer.object, "status", "conditions") as unknown as readonly JsonObject[];
      assert.equal(first?.["reason"], "R");
    },
  },
  {
    row: 78,
    name: "a custom resource's status endpoint accepts only the status",
    run: async (scene) => {
      const path = await customWithStatus(scene);
      const made = await scene.ok({ method: "POST", path, body: scene.object("Foo", "x", { spec: { a: 1 } }) });
      const metadata = { ...(made["metadata"] as JsonObject), labels: { l: "1" }, finalizers: ["x.io/a"] };
      const body = { ...made, metadata, spec: { a: 2 }, status: { s: 1 } };
      const answer = await scene.ask({ method: "PUT", path: `${path}/x/status`, body });
      assert.equal(answer.code, 200, answer.text);
      assertContains(answer.object, {
        metadata: { labels: undefined, finalizers: undefined, generation: 1 },
        spec: { a: 1 },
        status: { s: 1 },
      });
    },
  },
  {
    row: 79,
    name: "the status of a create is dropped",
    run: async (scene) => {
      const body = deployment({}, { status: { replicas: 9 } });
      const made = await scene.ok({ method: "POST", path: deployments(scene), body });
      assert.deepEqual(made["status"], {});
      const path = await customWithStatus(scene);
      const custom = scene.object("Foo", "x", { spec: {}, status: { s: 1 } });
      assert.equal((await scene.ok({ method: "POST", path, body: custom }))["status"], undefined);
    },
  },
  {
    row: 88,
    name: "an empty Deployment lacks selector, labels and containers",
    run: async (scene) => {
      const body = { metadata: { name: "d" }, spec: {} };
      const answer = await scene.ask({ method: "POST", path: deployments(scene), body });
      assert.equal(answer.code, 422, answer.text);
      assert.deepEqual(causesOf(answer.object), [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
      ]);
    },
  },
  {
    row: 89,
    name: "a Deployment's selector is immutable",
    run: async (scene) => {
      await scene.ok({ method: "POST", path: deployments(scene), body: deployment() });
      const answer = await scene.merge(`${deployments(scene)}/d`, {
        spec: { selector: { matchLabels: { a: "zz" } }, template: { metadata: { labels: { a: "zz" } } } },
      });
      assertAnswer(answer, {
        code: 422,
        message:
          'Deployment.apps "d" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"zz"}}: field is immutable',
      });
    },
  },
  ...pullPolicies.map(([image, policy]): Row => ({
    row: 91,
    name: `imagePullPolicy of image ${image.slice(0, 12)} defaults to ${policy}`,
    run: async (scene) => {
      const body = deployment({ template: template({ containers: [{ name: "c", image }] }) });
      const made = await scene.ok({ method: "POST", path: deployments(scene), body });
      const [container] = at(made, "spec", "template", "spec", "containers") as unknown as readonly JsonObject[];
      assert.equal(container?.["imagePullPolicy"], policy);
    },
  })),
  {
    row: 92,
    name: "invalid base64 in a Secret is refused",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/secrets",
      body: { metadata: { name: "t" }, data: { a: "%" } },
    },
    code: 400,
    message: 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
  },
  {
    row: 93,
    name: "a Service without ports is refused",
    ask: { method: "POST", path: "/api/v1/namespaces/{ns}/services", body: service({ selector: { a: "b" } }) },
    code: 422,
    message: 'Service "s" is invalid: spec.ports: Required value',
  },
  {
    row: 93,
    name: "clusterIP of a Service is immutable",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/services`;
      const made = await scene.ok({ method: "POST", path, body: service({ ports: [{ port: 80 }] }) });
      const address = text(made, "spec", "clusterIP");
      const again = await scene.ok({ method: "PUT", path: `${path}/s`, body: service({ ports: [{ port: 81 }] }) });
      assert.equal(text(again, "spec", "clusterIP"), address);
      const other = address.replace(/\d+$/, (last) => String((Number(last) % 200) + 20));
      const answer = await scene.merge(`${path}/s`, { spec: { clusterIP: other, clusterIPs: [other] } });
      assertAnswer(answer, {
        code: 422,
        message: `Service "s" is invalid: spec.clusterIPs[0]: Invalid value: ["${other}"]: may not change once set`,
      });
    },
  },
  {
    row: 94,
    name: "a Pod with a missing service account is forbidden",
    ask: { method: "POST", path: "/api/v1/namespaces/{ns}/pods", body: podWith({ serviceAccountName: "nosa" }) },
    code: 403,
    reason: "Forbidden",
    message: 'pods "p" is forbidden: error looking up service account {ns}/nosa: serviceaccount "nosa" not found',
  },
  {
    row: 94,
    name: "a Pod with an unknown priority class is forbidden",
    run: async (scene) => {
      await accountIn(scene);
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      assertAnswer(await scene.ask({ method: "POST", path, body: podWith({ priorityClassName: "nope" }) }), {
        code: 403,
        reason: "Forbidden",
        message: 'pods "p" is forbidden: no PriorityClass with name nope was found',
      });
    },
  },
  {
    row: 95,
    name: "an Event must be in the namespace of its object",
    ask: { method: "POST", path: "/api/v1/namespaces/{ns}/events", body: event("e", "other") },
    code: 422,
    message: 'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  },
  {
    row: 96,
    name: "a core Event is visible in events.k8s.io",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/events`;
      await scene.ok({ method: "POST", path, body: event("e", scene.ns) });
      const seen = await scene.ok({ path: `/apis/events.k8s.io/v1/namespaces/${scene.ns}/events/e` });
      assertContains(seen, {
        apiVersion: "events.k8s.io/v1",
        note: "what happened",
        regarding: { kind: "Pod", namespace: scene.ns, name: "p" },
        involvedObject: undefined,
        message: undefined,
      });
    },
  },
];
