import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Answer } from "../../cluster.ts";
import { owners } from "../../owners.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, text } from "../../scene.ts";

const data = (...keys: readonly string[]): JsonObject => ({
  "f:data": Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});

/** Applies to the ConfigMap `x`; `rest` may include metadata. */
function apply(
  scene: Scene,
  manager: string,
  held: JsonObject | undefined,
  query = "",
  rest: JsonObject = {},
): Promise<Answer> {
  const body = configMap("x", { ...(held === undefined ? {} : { data: held }), ...rest });
  return scene.apply(`${scene.cms}/x`, manager, body, query);
}

async function applied(scene: Scene, manager: string, held: JsonObject | undefined, query = ""): Promise<JsonObject> {
  const answer = await apply(scene, manager, held, query);
  assert.ok(answer.code < 300, answer.text);
  return answer.object;
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** A ConfigMap of client-side apply, then applied by kubectl with less data. */
async function takenOver(scene: Scene): Promise<JsonObject> {
  const plain = configMap("x", { data: { a: "1", b: "1" } });
  const body = configMap("x", {
    metadata: { annotations: { [lastApplied]: `${JSON.stringify(plain)}\n` } },
    data: { a: "1", b: "1" },
  });
  const path = `${scene.cms}?fieldManager=kubectl-client-side-apply`;
  await scene.ok({ method: "POST", path, body });
  return applied(scene, "kubectl", { a: "1" });
}

function story(row: number, name: string, run: (scene: Scene) => Promise<void>): Row {
  return { row, name, run };
}

export const applyRows: readonly Row[] = [
  story(151, "a create by apply owns what was applied", async (scene) => {
    const answer = await apply(scene, "m1", { a: "1", b: "1" });
    assert.equal(answer.code, 201);
    assert.deepEqual(owners(answer.object), { "m1/Apply": data("a", "b") });
  }),
  story(152, "applying the same configuration again changes nothing", async (scene) => {
    const first = await applied(scene, "m1", { a: "1" });
    const again = await applied(scene, "m1", { a: "1" });
    assert.equal(text(again, "metadata", "resourceVersion"), text(first, "metadata", "resourceVersion"));
  }),
  story(153, "fields that are no longer applied are removed", async (scene) => {
    await applied(scene, "m1", { a: "1", b: "1" });
    const object = await applied(scene, "m1", { a: "1" });
    assert.deepEqual(at(object, "data"), { a: "1" });
    assert.deepEqual(owners(object), { "m1/Apply": data("a") });
  }),
  story(154, "managers own separate fields", async (scene) => {
    await applied(scene, "m1", { a: "1" });
    const object = await applied(scene, "m2", { c: "1" });
    assert.deepEqual(at(object, "data"), { a: "1", c: "1" });
    assert.deepEqual(owners(object), { "m1/Apply": data("a"), "m2/Apply": data("c") });
  }),
  story(155, "another value is a conflict", async (scene) => {
    await applied(scene, "m1", { a: "1" });
    const answer = await apply(scene, "m2", { a: "2" });
    assertAnswer(answer, { code: 409, message: 'Apply failed with 1 conflict: conflict with "m1": .data.a' });
    const [cause] = at(answer.object, "details", "causes") as unknown as readonly { readonly field: string }[];
    assert.equal(cause?.field, ".data.a");
  }),
  story(156, "force takes over, and drops what is no longer applied", async (scene) => {
    await applied(scene, "m1", { a: "1" });
    await applied(scene, "m2", { c: "1" });
    const object = await applied(scene, "m2", { a: "2" }, "&force=true");
    assert.deepEqual(at(object, "data"), { a: "2" });
    assert.deepEqual(owners(object), { "m2/Apply": data("a") });
  }),
  story(157, "equal values are shared", async (scene) => {
    await applied(scene, "m1", { a: "2" });
    assert.deepEqual(owners(await applied(scene, "m2", { a: "2" })), { "m1/Apply": data("a"), "m2/Apply": data("a") });
  }),
  story(158, "fields of another manager are kept", async (scene) => {
    await applied(scene, "m1", { a: "2" });
    await applied(scene, "m2", { a: "2" });
    const object = await applied(scene, "m1", {});
    assert.deepEqual(at(object, "data"), { a: "2" });
    assert.deepEqual(owners(object), { "m1/Apply": { "f:data": {} }, "m2/Apply": data("a") });
  }),
  story(159, "applying nothing ends the ownership", async (scene) => {
    await applied(scene, "m1", { a: "2" });
    await applied(scene, "m2", { a: "2" });
    assert.deepEqual(owners(await applied(scene, "m1", undefined)), { "m2/Apply": data("a") });
  }),
  story(160, "null becomes an empty string", async (scene) => {
    await applied(scene, "m2", { a: "2" });
    assert.deepEqual(at(await applied(scene, "m1", { a: null }, "&force=true"), "data"), { a: "" });
  }),
  story(161, "an old resourceVersion is a conflict", async (scene) => {
    await applied(scene, "m1", { a: "2" });
    const answer = await apply(scene, "m1", { a: "3" }, "", { metadata: { resourceVersion: "1" } });
    assert.equal(answer.code, 409);
    assert.match(answer.message, /the object has been modified/);
  }),
  story(162, "an apply with resourceVersion can create", async (scene) => {
    assert.equal((await apply(scene, "m1", { a: "3" }, "", { metadata: { resourceVersion: "5" } })).code, 201);
  }),
  story(163, "a PUT owns the fields that it changes", async (scene) => {
    await applied(scene, "m1", { a: "2" });
    const body = configMap("x", { data: { a: "p", z: "z" } });
    const object = await scene.ok({ method: "PUT", path: `${scene.cms}/x?fieldManager=u1`, body });
    assert.deepEqual(owners(object), { "u1/Update": data("a", "z") });
  }),
  story(164, "a conflict with an updater names its version", async (scene) => {
    await scene.ok({
      method: "POST",
      path: `${scene.cms}?fieldManager=u1`,
      body: configMap("x", { data: { a: "p" } }),
    });
    assertAnswer(await apply(scene, "m1", { a: "q" }), {
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "u1" using v1: .data.a',
    });
  }),
  story(165, "a dry run returns the result and changes nothing", async (scene) => {
    await scene.ok({
      method: "POST",
      path: `${scene.cms}?fieldManager=u1`,
      body: configMap("x", { data: { a: "p", z: "z" } }),
    });
    const object = await applied(scene, "m1", { a: "q" }, "&force=true&dryRun=All");
    assert.deepEqual(at(object, "data"), { a: "q", z: "z" });
    assert.deepEqual(owners(object)["m1/Apply"], data("a"));
    assert.deepEqual(at(await scene.ok({ path: `${scene.cms}/x` }), "data"), { a: "p", z: "z" });
  }),
  story(166, "kubectl's change to server-side apply takes over its client-side apply", async (scene) => {
    const object = await takenOver(scene);
    assert.deepEqual(at(object, "data"), { a: "1", b: "1" });
    assert.deepEqual(owners(object)["kubectl/Apply"], data("a"));
    assert.equal(
      text(object, "metadata", "annotations", lastApplied),
      '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
    );
  }),
  story(167, "conflicts with several managers are listed", async (scene) => {
    await takenOver(scene);
    assertAnswer(await apply(scene, "argo", { a: "2" }), {
      code: 409,
      message:
        'Apply failed with 2 conflicts: conflicts with "kubectl":\n- .data.a\nconflicts with "kubectl-client-side-apply" using v1:\n- .data.a',
    });
  }),
  story(168, "an undeclared field is refused", async (scene) => {
    assertAnswer(await apply(scene, "m1", {}, "", { bogus: 1 }), {
      code: 500,
      message: "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .bogus: field not declared in schema",
    });
  }),
  {
    row: 200,
    name: "an apply of another kind is refused",
    ask: {
      method: "PATCH",
      path: "/api/v1/namespaces/{ns}/configmaps/x?fieldManager=m",
      body: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } },
      headers: { "content-type": "application/apply-patch+yaml" },
    },
    code: 400,
    message: "invalid object type: …",
  },
  {
    row: 200,
    name: "an apply needs its manager",
    ask: {
      method: "PATCH",
      path: "/api/v1/namespaces/{ns}/configmaps/x",
      body: configMap("x"),
      headers: { "content-type": "application/apply-patch+yaml" },
    },
    code: 422,
  },
  {
    row: 202,
    name: "an apply into a missing namespace",
    ask: {
      method: "PATCH",
      path: "/api/v1/namespaces/{ns}-none/configmaps/x?fieldManager=m",
      body: configMap("x"),
      headers: { "content-type": "application/apply-patch+yaml" },
    },
    code: 404,
    message: 'namespaces "{ns}-none" not found',
  },
  story(202, "an apply reports a repeated key also when the object has another name than its path", async (scene) => {
    const apply = (options: string): Promise<Answer> =>
      scene.ask({
        method: "PATCH",
        path: `${scene.cms}/x?fieldManager=m${options}`,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y"},"data":{"k":"1","k":"2"}}',
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    const found = 'line 1: key "k" already set in map';
    const answer = await apply("");
    const message = "the name of the object (y) does not match the name on the URL (x)";
    assertAnswer(answer, { code: 400, message, warnings: [found] });
    assertAnswer(await apply("&fieldValidation=Strict"), {
      code: 400,
      message: `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${found}`,
    });
  }),
  story(201, "an apply that would create needs permission to create", async (scene) => {
    const bob = { name: `bob-${scene.ns}`, groups: [] };
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${scene.ns}`;
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] }];
    await scene.ok({ method: "POST", path: `${rbac}/roles`, body: { metadata: { name: "r" }, rules } });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    const subjects = [{ kind: "User", name: bob.name }];
    const binding = { metadata: { name: "r" }, roleRef, subjects };
    await scene.ok({ method: "POST", path: `${rbac}/rolebindings`, body: binding });
    const ask = (name: string): Promise<Answer> =>
      scene.ask({
        method: "PATCH",
        path: `${scene.cms}/${name}?fieldManager=m`,
        body: configMap(name, { data: { b: "1" } }),
        headers: { "content-type": "application/apply-patch+yaml" },
        as: bob,
      });
    await eventually(async () => assert.equal((await ask("a")).code, 200));
    assertAnswer(await ask("x"), {
      code: 403,
      message: `configmaps "x" is forbidden: User "${bob.name}" cannot create resource "configmaps" in API group "" in the namespace "${scene.ns}"`,
    });
  }),
  story(203, "the User-Agent names the manager of a POST", async (scene) => {
    const object = await scene.ok({
      method: "POST",
      path: scene.cms,
      body: configMap("x", { data: { a: "1" } }),
      headers: { "user-agent": "kubectl/v1.30.0 (linux/amd64)" },
    });
    assert.deepEqual(owners(object), { "kubectl/Update": { "f:data": { ".": {}, "f:a": {} } } });
  }),
  story(204, "appliers are listed before updaters", async (scene) => {
    await scene.ok({ method: "POST", path: `${scene.cms}?fieldManager=u`, body: configMap("x", { data: { a: "1" } }) });
    assert.deepEqual(Object.keys(owners(await applied(scene, "m", { b: "1" }))), ["m/Apply", "u/Update"]);
  }),
  story(205, "managedFields that were emptied stay empty", async (scene) => {
    await scene.merge(`${scene.cms}/a`, { metadata: { managedFields: [] } });
    const answer = await scene.merge(`${scene.cms}/a`, { data: { k: "w" } });
    assert.ok(isJsonObject(answer.object) && at(answer.object, "metadata", "managedFields") === undefined);
  }),
];
