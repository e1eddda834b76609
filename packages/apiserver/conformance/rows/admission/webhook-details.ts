import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, text } from "../../scene.ts";
import type { Reply } from "../../tls-server.ts";
import { calling, create, everything, failure, hooked, patch, reply } from "../../webhook-calls.ts";

const row = 302;

/** A rule for resources in one version. */
function ruleFor(group: string, version: string, ...resources: readonly string[]): JsonObject {
  return { operations: ["*"], apiGroups: [group], apiVersions: [version], resources };
}

/** A definition with equal versions v1 and v2. */
function twoVersions(scene: Scene): JsonObject {
  const [v1] = at(
    scene.definition("foos", "Foo", { type: "object" }),
    "spec",
    "versions",
  ) as unknown as readonly JsonObject[];
  const definition = scene.definition("foos", "Foo", { type: "object" });
  const versions = [v1 ?? {}, { ...v1, name: "v2", storage: false }] as unknown as JsonValue;
  return { ...definition, spec: { ...(definition["spec"] as JsonObject), versions } };
}

async function account(scene: Scene): Promise<void> {
  await eventually(async () => {
    await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/serviceaccounts/default` });
  });
}

const gated = { containers: [{ name: "c", image: "x" }], schedulingGates: [{ name: "ex.io/wait" }] };

async function pod(scene: Scene): Promise<JsonObject> {
  await account(scene);
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: gated };
  return scene.ok({ method: "POST", path: `/api/v1/namespaces/${scene.ns}/pods`, body });
}

export const webhookDetailRows: readonly Row[] = [
  {
    row,
    name: "v1beta1 reviews are sent when requested first, and are checked less",
    run: async (scene) => {
      const { server } = await hooked(
        scene,
        "Mutating",
        [
          {
            admissionReviewVersions: ["v7", "v1beta1", "v1"],
            matchConditions: [{ name: "c", expression: "object.metadata.name == 'x'" }],
          },
        ],
        (review): Reply => ({
          body: {
            apiVersion: "admission.k8s.io/v1beta1",
            kind: "AdmissionReview",
            response: {
              uid: "somebody-else",
              allowed: true,
              patch: patch({ op: "add", path: "/data", value: { by: text(review, "apiVersion") } })["patch"] as string,
            },
          },
        }),
      );
      assertAnswer(await create(scene, "x"), { code: 201, contains: { data: { by: "admission.k8s.io/v1beta1" } } });
      assert.ok(server.received.some(({ body }) => text(body, "apiVersion") === "admission.k8s.io/v1beta1"));
    },
  },
  failure(
    "a response of another kind",
    "Validating",
    (review) => ({
      body: { ...(reply(review, {}).body as JsonObject), kind: "Status", apiVersion: "v1" },
    }),
    `${calling}failed to call webhook: …`,
  ),
  failure(
    "an invalid patch",
    "Mutating",
    (review) => reply(review, { patchType: "JSONPatch", patch: Buffer.from('{"a":1}').toString("base64") }),
    `${calling}received undecodable patch in webhook response: …`,
  ),
  failure(
    "a patch type from a validating webhook",
    "Validating",
    (review) => reply(review, { patchType: "JSONPatch" }),
    `${calling}received invalid webhook response: validating webhook may not return response.patchType`,
  ),
  failure(
    "an unknown patch type",
    "Mutating",
    (review) => reply(review, { ...patch({ op: "add", path: "/data", value: {} }), patchType: "Merge" }),
    `${calling}unsupported patch type "Merge"`,
  ),
  {
    row,
    name: "a deletion cannot be patched, and an empty patch changes nothing",
    run: async (scene) => {
      let operations: readonly JsonObject[] = [];
      await hooked(scene, "Mutating", [{}], (review) => reply(review, patch(...operations)));
      const remove = (): ReturnType<Scene["ask"]> => scene.ask({ method: "DELETE", path: `${scene.cms}/a` });
      operations = [{ op: "add", path: "/data", value: {} }];
      assertAnswer(await remove(), {
        code: 500,
        reason: "InternalError",
        message:
          'Internal error occurred: admission webhook "h0.ex.io" attempted to modify the object, which is not supported for this operation',
      });
      operations = [];
      assertAnswer(await remove(), { code: 200 });
    },
  },
  {
    row,
    name: "a webhook for another version gets and patches the object in that version",
    run: async (scene) => {
      const path = await scene.define(twoVersions(scene));
      const { asked } = await hooked(scene, "Mutating", [{ rules: [ruleFor(scene.group, "v2", "foos")] }], (review) =>
        reply(
          review,
          patch({
            op: "add",
            path: "/metadata/annotations",
            value: { seen: text(review, "request", "object", "apiVersion") },
          }),
        ),
      );
      const body = { apiVersion: `${scene.group}/v1`, kind: "Foo", metadata: { name: "f" } };
      const made = await scene.ok({ method: "POST", path, body });
      assertContains(made, {
        apiVersion: `${scene.group}/v1`,
        metadata: { annotations: { seen: `${scene.group}/v2` } },
      });
      assertContains(asked()[0], {
        kind: { group: scene.group, version: "v2", kind: "Foo" },
        resource: { group: scene.group, version: "v2", resource: "foos" },
        requestKind: { group: scene.group, version: "v1", kind: "Foo" },
        requestResource: { group: scene.group, version: "v1", resource: "foos" },
        object: { apiVersion: `${scene.group}/v2` },
      });
      await scene.merge(`${path}/f`, { metadata: { labels: { l: "1" } } });
      assertContains(asked()[1], { oldObject: { apiVersion: `${scene.group}/v2` } });
    },
  },
  {
    row,
    name: "a webhook with matchPolicy Exact is not called for other versions",
    run: async (scene) => {
      const path = await scene.define(twoVersions(scene));
      const { asked } = await hooked(
        scene,
        "Validating",
        [{ rules: [ruleFor(scene.group, "v2", "foos")], matchPolicy: "Exact" }],
        everything,
      );
      const body = { apiVersion: `${scene.group}/v1`, kind: "Foo", metadata: { name: "f" } };
      await scene.ok({ method: "POST", path, body });
      assert.deepEqual(asked(), []);
    },
  },
  {
    row,
    name: "built-in plug-ins see the changes of webhooks",
    run: async (scene) => {
      await account(scene);
      await hooked(scene, "Mutating", [{ rules: [ruleFor("", "v1", "pods")] }], (review) =>
        reply(review, patch({ op: "add", path: "/spec/containers/-", value: { name: "side", image: "y" } })),
      );
      const made = await pod(scene);
      const containers = at(made, "spec", "containers") as unknown as readonly JsonObject[];
      const mounts = containers.map(({ name, volumeMounts }) => [
        name,
        ((volumeMounts ?? []) as unknown as readonly JsonObject[]).map(({ mountPath }) => mountPath),
      ]);
      const token = "/var/run/secrets/kubernetes.io/serviceaccount";
      assert.deepEqual(mounts, [
        ["c", [token]],
        ["side", [token]],
      ]);
      assert.equal((at(made, "spec", "volumes") as unknown as readonly JsonObject[]).length, 1);
    },
  },
  {
    row,
    name: "the review of a Scale",
    run: async (scene) => {
      const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } };
      const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
      await scene.ok({ method: "POST", path, body: { metadata: { name: "d" }, spec } });
      const { asked } = await hooked(
        scene,
        "Validating",
        [{ rules: [ruleFor("apps", "v1", "deployments/scale")] }],
        everything,
      );
      await scene.merge(`${path}/d/scale`, { spec: { replicas: 2 } });
      assertContains(asked()[0], {
        kind: { group: "autoscaling", version: "v1", kind: "Scale" },
        resource: { group: "apps", version: "v1", resource: "deployments" },
        subResource: "scale",
        requestKind: { group: "autoscaling", version: "v1", kind: "Scale" },
        requestSubResource: "scale",
        name: "d",
        operation: "UPDATE",
        object: { kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 2 } },
        oldObject: { kind: "Scale", apiVersion: "autoscaling/v1" },
        options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" },
      });
    },
  },
  {
    row,
    name: "a webhook can patch a Scale",
    run: async (scene) => {
      const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } };
      const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
      await scene.ok({ method: "POST", path, body: { metadata: { name: "d" }, spec } });
      await hooked(scene, "Mutating", [{ rules: [ruleFor("apps", "v1", "deployments/scale")] }], (review) =>
        reply(review, patch({ op: "replace", path: "/spec/replicas", value: 1 })),
      );
      assertAnswer(await scene.merge(`${path}/d/scale`, { spec: { replicas: 5 } }), {
        code: 200,
        contains: { spec: { replicas: 1 } },
      });
    },
  },
  {
    row,
    name: "an eviction is reviewed as a create of an Eviction, not as a deletion",
    run: async (scene) => {
      await pod(scene);
      const { asked } = await hooked(
        scene,
        "Validating",
        [{ rules: [ruleFor("", "v1", "pods/eviction", "pods")] }],
        everything,
      );
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", namespace: scene.ns } };
      const path = `/api/v1/namespaces/${scene.ns}/pods/p/eviction`;
      assert.equal((await scene.ask({ method: "POST", path, body })).code, 201);
      const requests = asked().filter((request) => text(request, "operation") !== "UPDATE");
      assert.deepEqual(
        requests.map(({ operation, subResource }) => [operation, subResource]),
        [["CREATE", "eviction"]],
      );
      assertContains(requests[0], {
        kind: { group: "policy", version: "v1", kind: "Eviction" },
        resource: { group: "", version: "v1", resource: "pods" },
        name: "p",
        object: { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "p" } },
        oldObject: null,
      });
    },
  },
  {
    row,
    name: "the review of a token request, and its denial",
    run: async (scene) => {
      await account(scene);
      const { asked } = await hooked(
        scene,
        "Validating",
        [{ rules: [ruleFor("", "v1", "serviceaccounts/token")] }],
        (review) => reply(review, { allowed: false }),
      );
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const path = `/api/v1/namespaces/${scene.ns}/serviceaccounts/default/token`;
      assertAnswer(await scene.ask({ method: "POST", path, body }), {
        code: 400,
        message: 'admission webhook "h0.ex.io" denied the request without explanation',
      });
      assertContains(asked()[0], {
        kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
        resource: { group: "", version: "v1", resource: "serviceaccounts" },
        subResource: "token",
        name: "default",
        operation: "CREATE",
        oldObject: null,
      });
    },
  },
  {
    row,
    name: "failing match conditions are reported together, and a false one takes precedence",
    run: async (scene) => {
      const failing = (field: string): string => `object.metadata.name != 'x' || object.${field}.x == 1`;
      const conditions = [
        { name: "a", expression: failing("spec") },
        { name: "b", expression: failing("status") },
        { name: "c", expression: "!has(object.data)" },
      ];
      await hooked(scene, "Validating", [{ matchConditions: conditions }], everything);
      assertAnswer(await create(scene, "x"), {
        code: 403,
        message: `configmaps "x" is forbidden: [expression '${failing("spec")}' resulted in error: no such key: spec, expression '${failing("status")}' resulted in error: no such key: status]`,
      });
      assert.equal((await create(scene, "x", { data: { k: "v" } })).code, 201);
    },
  },
  {
    row,
    name: "messages before name generation use generateName",
    run: async (scene) => {
      const path = "/api/v1/namespaces/{ns}-none/configmaps".replace("{ns}", scene.ns);
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
      assertAnswer(await scene.ask({ method: "POST", path, body }), { code: 404 });
      const expression = "has(object.metadata.generateName) && object.spec.x == 1";
      await hooked(scene, "Mutating", [{ matchConditions: [{ name: "c", expression }] }], everything);
      const answer = await scene.ask({ method: "POST", path: scene.cms, body });
      assertAnswer(answer, {
        code: 403,
        message: `configmaps is forbidden: expression '${expression}' resulted in error: no such key: spec`,
      });
    },
  },
];
