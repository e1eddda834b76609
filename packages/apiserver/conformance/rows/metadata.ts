import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { RequestRow, Row } from "../row.ts";
import { assertAnswer } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, configMap, text } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";

function created(row: number, name: string, body: JsonObject, expected: Omit<RequestRow, "row" | "name" | "ask">): Row {
  return { row, name, ask: { method: "POST", path: cms, body }, ...expected };
}

function owned(ownerReferences: JsonValue): JsonObject {
  return configMap("own", { metadata: { ownerReferences } });
}

const pod = { apiVersion: "v1", kind: "Pod", name: "x", uid: "1" };

/** Invalid labels, with the message after `metadata.labels: `. */
const labels: readonly (readonly [JsonObject, string])[] = [
  [{ "a b": "c" }, 'Invalid value: "a b": name part must consist of alphanumeric characters, …'],
  [{ "Ex.com/a": "c" }, 'Invalid value: "Ex.com/a": prefix part a lowercase RFC 1123 subdomain must consist of …'],
  [{ k: "-" }, 'Invalid value: "-": a valid label must be an empty string or consist of …'],
];

/** Kinds whose PUT requires a resourceVersion. */
const revisioned: readonly (readonly [name: string, collection: string, object: JsonObject, plural: string])[] = [
  [
    "a Lease",
    "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "{ns}" }, spec: {} },
    "leases.coordination.k8s.io",
  ],
  [
    "a webhook configuration",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "{ns}" },
      webhooks: [],
    },
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
  ],
];

const required = "metadata.resourceVersion: Invalid value: 0: must be specified for an update";

async function stored(scene: Scene): Promise<JsonObject> {
  return scene.ok({ path: `${scene.cms}/a` });
}

function put(scene: Scene, object: JsonObject, metadata: JsonObject): ReturnType<Scene["ask"]> {
  const body = { ...object, metadata: { ...(object["metadata"] as JsonObject), ...metadata } };
  return scene.ask({ method: "PUT", path: `${scene.cms}/a`, body });
}

export const metadataRows: readonly Row[] = [
  {
    row: 51,
    name: "a Service's name must be a label",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/services",
      body: { metadata: { name: "a.b" }, spec: { ports: [{ port: 80 }] } },
    },
    code: 422,
    message: 'Service "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
  },
  {
    row: 51,
    name: "a ClusterRole's name may contain a colon",
    run: async (scene) => {
      await scene.keep("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: `${scene.ns}:b` },
        rules: [],
      });
    },
  },
  {
    row: 51,
    name: "a ClusterRole's name must not contain a slash",
    ask: {
      method: "POST",
      path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      body: { metadata: { name: "a/b" }, rules: [] },
    },
    code: 422,
    message:
      'ClusterRole.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain \'/\'',
  },
  {
    row: 53,
    name: "an invalid generateName is reported twice",
    run: async (scene) => {
      const body = { metadata: { generateName: "BAD_" } };
      const answer = await scene.ask({ method: "POST", path: scene.cms, body });
      assert.equal(answer.code, 422, answer.text);
      const causes = at(answer.object, "details", "causes") as unknown as readonly { readonly field: string }[];
      assert.deepEqual(causes.map(({ field }) => field).toSorted(), ["metadata.generateName", "metadata.name"]);
    },
  },
  {
    row: 57,
    name: "the name of a terminating object is not available",
    run: async (scene) => {
      await scene.make("held", { metadata: { finalizers: ["x.io/a"] } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/held` });
      assertAnswer(await scene.ask({ method: "POST", path: scene.cms, body: configMap("held") }), {
        code: 409,
        reason: "AlreadyExists",
        message: 'object is being deleted: configmaps "held" already exists',
      });
      await scene.merge(`${scene.cms}/held`, { metadata: { finalizers: null } });
    },
  },
  {
    row: 59,
    name: "a PUT with an old revision is a conflict",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("a", { metadata: { resourceVersion: "1" } }) },
    code: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    contains: { details: { name: "a", kind: "configmaps" } },
  },
  {
    row: 62,
    name: "a ConfigMap can be replaced without resourceVersion",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("a", { data: { k: "w" } }) },
    code: 200,
    contains: { data: { k: "w" } },
  },
  ...revisioned.map(([name, collection, object, plural]): Row => ({
    row: 62,
    name: `${name} cannot be replaced without resourceVersion`,
    run: async (scene) => {
      const path = collection.replace("{ns}", scene.ns);
      const body = { ...object, metadata: { name: scene.ns } };
      await scene.keep(path, body);
      assertAnswer(await scene.ask({ method: "PUT", path: `${path}/${scene.ns}`, body }), {
        code: 422,
        message: `${plural} "${scene.ns}" is invalid: ${required}`,
      });
    },
  })),
  {
    row: 62,
    name: "definitions and custom resources cannot be replaced without resourceVersion",
    run: async (scene) => {
      const definition = scene.definition("foos", "Foo", { type: "object" });
      const path = await scene.define(definition);
      const object = scene.object("Foo", "x");
      await scene.ok({ method: "POST", path, body: object });
      assertAnswer(await scene.ask({ method: "PUT", path: `${path}/x`, body: object }), {
        code: 422,
        message: `foos.${scene.group} "x" is invalid: ${required}`,
      });
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const name = `foos.${scene.group}`;
      assertAnswer(await scene.ask({ method: "PUT", path: `${definitions}/${name}`, body: definition }), {
        code: 422,
        message: `customresourcedefinitions.apiextensions.k8s.io "${name}" is invalid: ${required}`,
      });
    },
  },
  {
    row: 63,
    name: "another uid is a conflict for a PUT and invalid for a patch",
    run: async (scene) => {
      const object = await stored(scene);
      const uid = text(object, "metadata", "uid");
      assertAnswer(await put(scene, object, { uid: "1-2" }), {
        code: 409,
        reason: "Conflict",
        message: `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${scene.ns}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 1-2, UID in object meta: ${uid}`,
      });
      assertAnswer(await scene.merge(`${scene.cms}/a`, { metadata: { uid: "zzz" } }), {
        code: 422,
        message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "zzz": field is immutable',
      });
    },
  },
  {
    row: 64,
    name: "a PUT needs a name",
    ask: { method: "PUT", path: `${cms}/a`, body: { metadata: {} } },
    code: 400,
    message: "the name of the object (a based on URL) was undeterminable: name must be provided",
  },
  {
    row: 65,
    name: "creationTimestamp is immutable",
    run: async (scene) => {
      const object = await stored(scene);
      const answer = await put(scene, object, { creationTimestamp: "2001-01-01T00:00:00Z" });
      assert.equal(answer.code, 200, answer.text);
      assert.deepEqual(answer.object["metadata"], object["metadata"]);
    },
  },
  {
    row: 66,
    name: "a PUT cannot set deletionTimestamp",
    run: async (scene) => {
      const answer = await put(scene, await stored(scene), { deletionTimestamp: "2001-01-01T00:00:00Z" });
      assertAnswer(answer, {
        code: 422,
        message:
          'ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      });
    },
  },
  {
    row: 67,
    name: "a PUT that changes nothing causes no event",
    run: async (scene) => {
      const object = await stored(scene);
      const from = text(await scene.ok({ path: scene.cms }), "metadata", "resourceVersion");
      const watch = await scene.watch(`${scene.cms}?watch=true&resourceVersion=${from}&fieldSelector=metadata.name=a`);
      await put(scene, object, {});
      await scene.merge(`${scene.cms}/a`, { data: { k: "w" } });
      assert.deepEqual(at((await watch.next())?.object as never, "data"), { k: "w" });
    },
  },
  ...labels.map(([held, problem]): Row =>
    created(68, `the labels ${JSON.stringify(held)} are refused`, configMap("l", { metadata: { labels: held } }), {
      code: 422,
      message: `ConfigMap "l" is invalid: metadata.labels: ${problem}`,
    }),
  ),
  created(70, "kubernetes is a finalizer", configMap("fin", { metadata: { finalizers: ["kubernetes"] } }), {
    code: 201,
    contains: { metadata: { finalizers: ["kubernetes"] } },
  }),
  created(
    72,
    "at most one owner is the controller",
    owned([1, 2].map((n) => ({ ...pod, name: `x${n}`, uid: `${n}`, controller: true }))),
    {
      code: 422,
      message:
        'ConfigMap "own" is invalid: metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x1","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"x2","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/x1 and Pod/x2',
    },
  ),
  created(73, "an owner named twice is kept once, with a warning", owned([pod, pod]), {
    code: 201,
    contains: { metadata: { ownerReferences: [pod] } },
    warnings: [
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1",
    ],
  }),
  created(73, "owners that share a uid are kept", owned([pod, { ...pod, name: "y" }]), {
    code: 201,
    contains: { metadata: { ownerReferences: [pod, { ...pod, name: "y" }] } },
    warnings: [],
  }),
  created(74, "a ConfigMap holds one MiB", configMap("big", { data: { k: "x".repeat(1_048_577) } }), {
    code: 422,
    message: 'ConfigMap "big" is invalid: []: Too long: may not be more than 1048576 bytes',
  }),
  created(84, "a field in the wrong case is unknown", configMap("case", { Data: { a: "b" } }), {
    code: 201,
    contains: { data: undefined },
    warnings: ['unknown field "Data"'],
  }),
  {
    row: 87,
    name: "a dry run returns a generated name",
    run: async (scene) => {
      const body = { metadata: { generateName: "gen-" } };
      const answer = await scene.ask({ method: "POST", path: `${scene.cms}?dryRun=All`, body });
      assert.equal(answer.code, 201, answer.text);
      assert.match(text(answer.object, "metadata", "name"), /^gen-[a-z0-9]{5}$/);
    },
  },
  {
    row: 86,
    name: "an unknown dryRun value is refused",
    ask: { method: "POST", path: `${cms}?dryRun=Foo`, body: configMap("dry") },
    code: 422,
    message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
  },
];
