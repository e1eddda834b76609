import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { RequestRow, Row } from "../../row.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, text } from "../../scene.ts";

const a = "/api/v1/namespaces/{ns}/configmaps/a";
const refused = {
  code: 422,
  reason: "Invalid",
  message: "the server rejected our request due to an error in our request",
  contains: { details: {} },
};

function jsonPatch(
  row: number,
  name: string,
  body: JsonValue,
  expected: Omit<RequestRow, "row" | "name" | "ask">,
): Row {
  const headers = { "content-type": "application/json-patch+json" };
  return { row, name, ask: { method: "PATCH", path: a, body, headers }, ...expected };
}

function mergePatch(
  row: number,
  name: string,
  body: JsonValue,
  expected: Omit<RequestRow, "row" | "name" | "ask">,
  query = "",
): Row {
  const headers = { "content-type": "application/merge-patch+json" };
  return { row, name, ask: { method: "PATCH", path: `${a}${query}`, body, headers }, ...expected };
}

function deployment(containers: JsonValue, spec: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers, ...pod } },
      ...spec,
    },
  };
}

async function deployed(scene: Scene, object: JsonObject): Promise<string> {
  const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
  await scene.ok({ method: "POST", path, body: object });
  return `${path}/d`;
}

const two = [
  { name: "c1", image: "i1" },
  { name: "c2", image: "i2" },
];

function containersOf(object: JsonObject): readonly JsonObject[] {
  return at(object, "spec", "template", "spec", "containers") as unknown as readonly JsonObject[];
}

/** The containers `c1` and `c2` after a strategic merge patch. */
const strategic: readonly (readonly [row: number, name: string, patch: JsonValue, left: readonly string[]])[] = [
  [143, "merges containers by name", [{ name: "c1", image: "new" }], ["c1=new", "c2=i2"]],
  [143, "removes items with $patch delete", [{ name: "c1", $patch: "delete" }], ["c2=i2"]],
  [143, "replaces the list with $patch replace", [{ $patch: "replace" }, { name: "c9", image: "i9" }], ["c9=i9"]],
  [144, "puts a new container first", [{ name: "c3", image: "i3" }], ["c3=i3", "c1=i1", "c2=i2"]],
];

export const patchRows: readonly Row[] = [
  jsonPatch(
    134,
    "add, replace, copy, move, test and remove work as in RFC 6902",
    [
      { op: "test", path: "/data/k", value: "v" },
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/x~1y", value: "1" },
      { op: "replace", path: "/data/k", value: "w" },
      { op: "copy", from: "/data/k", path: "/data/c" },
      { op: "move", from: "/data/c", path: "/data/m" },
      { op: "remove", path: "/data/k" },
      { op: "add", path: "/metadata/finalizers", value: ["x.io/a"] },
      { op: "add", path: "/metadata/finalizers/-", value: "x.io/b" },
      { op: "remove", path: "/metadata/finalizers" },
    ],
    { code: 200, contains: { metadata: { annotations: { "x/y": "1" } }, data: { m: "w", k: undefined } } },
  ),
  jsonPatch(135, "a failing test refuses", [{ op: "test", path: "/data/k", value: "other" }], refused),
  jsonPatch(135, "a missing parent refuses", [{ op: "add", path: "/data/no/way", value: "1" }], refused),
  jsonPatch(135, "an unknown operation refuses", [{ op: "zork", path: "/data/k" }], refused),
  jsonPatch(136, "replacing what is missing adds it", [{ op: "replace", path: "/data/n", value: "1" }], {
    code: 200,
    contains: { data: { n: "1" } },
  }),
  jsonPatch(136, "removing what is missing refuses", [{ op: "remove", path: "/data/n" }], refused),
  jsonPatch(137, "an object is no JSON patch", {}, { code: 400, message: "error decoding patch: …" }),
  jsonPatch(
    137,
    "10001 operations are too many",
    Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/k", value: "v" })),
    { code: 413 },
  ),
  jsonPatch(
    138,
    "a test of another revision fails",
    [{ op: "test", path: "/metadata/resourceVersion", value: "1" }],
    refused,
  ),
  jsonPatch(134, "text before the first slash of a path is ignored", [{ op: "add", path: "q/data/nv", value: "1" }], {
    code: 200,
    contains: { data: { nv: "1" } },
  }),
  jsonPatch(134, "a removed kind is the path's", [{ op: "remove", path: "/kind" }], {
    code: 200,
    contains: { kind: "ConfigMap" },
  }),
  jsonPatch(135, "without its version an object is not known", [{ op: "remove", path: "/apiVersion" }], {
    code: 400,
    message: "the name of the object (a based on URL) was undeterminable: name must be provided",
  }),
  mergePatch(
    141,
    "a kind that there is not is invalid",
    { kind: "Zork" },
    { code: 422, message: ' "" is invalid: patch: …' },
  ),
  mergePatch(
    139,
    "null deletes, lists are replaced",
    { data: { k: null, n: "1" }, metadata: { finalizers: ["x.io/a"] } },
    { code: 200, contains: { data: { n: "1", k: undefined }, metadata: { finalizers: ["x.io/a"] } } },
  ),
  mergePatch(139, "another revision is a conflict", { metadata: { resourceVersion: "1" } }, { code: 409 }),
  mergePatch(140, "null is no patch", "null", { code: 400, message: "Invalid JSON Patch" }),
  mergePatch(
    140,
    "a number is not a valid patch",
    "-1",
    { code: 400, message: "Invalid JSON Patch" },
    "?fieldValidation=Ignore",
  ),
  mergePatch(
    140,
    "a list replaces an object without its nulls, and is then refused",
    '[null, {"b": [1e3], "a": null}]',
    {
      code: 422,
      message: ' "" is invalid: patch: Invalid value: "[null,{\\"b\\":[1e3]}]": couldn\'t get version/kind; …',
    },
    "?fieldValidation=Ignore",
  ),
  mergePatch(141, "a wrong type is invalid", { data: 5 }, { code: 422, message: ' "" is invalid: patch: …' }),
  mergePatch(150, "force belongs to apply", { data: { k: "w" } }, { code: 422 }, "?force=true"),
  ...strategic.map(([row, name, containers, left]): Row => ({
    row,
    name: `a strategic merge patch ${name}`,
    run: async (scene) => {
      const path = await deployed(scene, deployment(two));
      const answer = await scene.patch("strategic-merge-patch", path, {
        spec: { template: { spec: { containers } } },
      });
      assert.equal(answer.code, 200, answer.text);
      assert.deepEqual(
        containersOf(answer.object).map((container) => `${text(container, "name")}=${text(container, "image")}`),
        left,
      );
    },
  })),
  {
    row: 144,
    name: "a strategic merge patch orders by $setElementOrder",
    run: async (scene) => {
      const path = await deployed(scene, deployment(two));
      const answer = await scene.patch("strategic-merge-patch", path, {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "c1" }, { name: "c3" }, { name: "c2" }],
              containers: [{ name: "c3", image: "i3" }],
            },
          },
        },
      });
      assert.deepEqual(
        containersOf(answer.object).map((container) => text(container, "name")),
        ["c1", "c3", "c2"],
      );
    },
  },
  {
    row: 146,
    name: "$retainKeys allows changing the strategy",
    run: async (scene) => {
      const path = await deployed(scene, deployment(two));
      const plain = await scene.patch("strategic-merge-patch", path, { spec: { strategy: { type: "Recreate" } } });
      assert.equal(plain.code, 422);
      const answer = await scene.patch("strategic-merge-patch", path, {
        spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
      });
      assert.equal(answer.code, 200, answer.text);
      assert.deepEqual(at(answer.object, "spec", "strategy"), { type: "Recreate" });
    },
  },
  {
    row: 147,
    name: "$deleteFromPrimitiveList removes finalizers",
    run: async (scene) => {
      await scene.make("f", { metadata: { finalizers: ["x.io/a", "x.io/b"] } });
      const answer = await scene.patch("strategic-merge-patch", `${scene.cms}/f`, {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["x.io/a"] },
      });
      assert.deepEqual(at(answer.object, "metadata", "finalizers"), ["x.io/b"]);
      await scene.merge(`${scene.cms}/f`, { metadata: { finalizers: null } });
    },
  },
  {
    row: 146,
    name: "a key missing in $retainKeys is a bad request",
    run: async (scene) =>
      assertAnswer(
        await scene.patch("strategic-merge-patch", `${scene.cms}/a`, { data: { $retainKeys: ["k"], l: "1" } }),
        { code: 400, message: "invalid patch format of retainKeys" },
      ),
  },
  {
    row: 147,
    name: "a strategic merge patch does not change the kind",
    run: async (scene) => {
      const answer = await scene.patch("strategic-merge-patch", `${scene.cms}/a`, { kind: "Zork", data: { k: "w" } });
      assert.equal(answer.code, 200, answer.text);
      assert.equal(answer.object["kind"], "ConfigMap");
    },
  },
  {
    row: 149,
    name: "the kind of a patched custom resource is kept",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "x") });
      assertAnswer(await scene.patch("merge-patch", `${path}/x`, { kind: "Zork" }), {
        code: 422,
        message: `Zork.${scene.group} "x" is invalid: kind: Invalid value: "Zork": must be Foo`,
      });
      assertAnswer(await scene.patch("merge-patch", `${path}/x`, { apiVersion: null }), {
        code: 500,
        message: "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
      });
    },
  },
  {
    row: 148,
    name: "an item without its merge key is refused",
    run: async (scene) => {
      const path = await deployed(scene, deployment(two));
      const answer = await scene.patch("strategic-merge-patch", path, {
        spec: { template: { spec: { containers: [{ image: "x" }] } } },
      });
      assert.equal(answer.code, 500);
      assert.match(answer.message, /does not contain declared merge key: name$/);
    },
  },
  {
    row: 149,
    name: "custom resources support three patch types",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "x") });
      assertAnswer(await scene.patch("strategic-merge-patch", `${path}/x`, {}), {
        code: 415,
        message:
          "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
      });
    },
  },
];
