import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Answer } from "../../cluster.ts";
import { causesOf, owners } from "../../owners.ts";
import type { Row } from "../../row.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, text } from "../../scene.ts";

const deployments = (scene: Scene): string => `/apis/apps/v1/namespaces/${scene.ns}/deployments/d`;

/** A configuration of the Deployment `d`: selector and labels, these containers, and `spec`. */
function deployment(containers: JsonValue, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers } },
      ...spec,
    },
  };
}

const first = {
  name: "c1",
  image: "i1",
  args: ["x", "y"],
  env: [{ name: "E1", value: "1" }],
  ports: [{ containerPort: 80 }],
};
const second = { name: "c2", image: "i2" };

async function apply(scene: Scene, manager: string, containers: JsonValue, spec?: JsonObject): Promise<Answer> {
  return scene.apply(deployments(scene), manager, deployment(containers, spec));
}

/** m1 applies the Deployment with one container. */
async function one(scene: Scene): Promise<Answer> {
  return apply(scene, "m1", [first], { replicas: 0 });
}

/** m2 adds a second container. */
async function two(scene: Scene): Promise<Answer> {
  await one(scene);
  return apply(scene, "m2", [second]);
}

function containers(object: JsonObject): readonly JsonObject[] {
  return at(object, "spec", "template", "spec", "containers") as unknown as readonly JsonObject[];
}

/** A manager's fields of the containers. */
function ownedContainers(object: JsonObject, owner: string): JsonValue | undefined {
  return at(owners(object), owner, "f:spec", "f:template", "f:spec", "f:containers");
}

const shared = {
  "f:selector": {},
  "f:template": { "f:metadata": { "f:labels": { "f:a": {} } } },
};

function story(row: number, name: string, run: (scene: Scene) => Promise<void>): Row {
  return { row, name, run };
}

function finalizers(manager: string, scene: Scene, list?: readonly string[]): Promise<Answer> {
  return scene.apply(
    `${scene.cms}/f`,
    manager,
    configMap("f", list === undefined ? {} : { metadata: { finalizers: list } }),
  );
}

export const workloadApplyRows: readonly Row[] = [
  story(169, "a create by apply owns what was applied, without defaults", async (scene) => {
    const answer = await one(scene);
    assert.equal(answer.code, 201, answer.text);
    assert.equal(at(answer.object, "metadata", "generation"), 1);
    assert.equal(at(answer.object, "spec", "revisionHistoryLimit"), 10);
    assert.deepEqual(owners(answer.object), {
      "m1/Apply": {
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { "f:a": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"c1"}': {
                  ".": {},
                  "f:args": {},
                  "f:env": { 'k:{"name":"E1"}': { ".": {}, "f:name": {}, "f:value": {} } },
                  "f:image": {},
                  "f:name": {},
                  "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                },
              },
            },
          },
        },
      },
    });
  }),
  story(170, "another manager adds its own container", async (scene) => {
    const { object } = await two(scene);
    assert.deepEqual(
      containers(object).map((container) => container["name"]),
      ["c1", "c2"],
    );
    const template = {
      ...shared["f:template"],
      "f:spec": { "f:containers": { 'k:{"name":"c2"}': { ".": {}, "f:image": {}, "f:name": {} } } },
    };
    assert.deepEqual(owners(object)["m2/Apply"], { "f:spec": { ...shared, "f:template": template } });
  }),
  story(171, "conflicts in lists name the item", async (scene) => {
    await two(scene);
    assertAnswer(await apply(scene, "m2", [{ name: "c1", image: "iX", args: ["z"] }, second]), {
      code: 409,
      message:
        'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.template.spec.containers[name="c1"].args\n- .spec.template.spec.containers[name="c1"].image',
    });
  }),
  story(172, "fields of one item can have different owners", async (scene) => {
    await two(scene);
    const answer = await apply(scene, "m2", [{ name: "c1", env: [{ name: "E2", value: "2" }] }]);
    assert.equal(answer.code, 200, answer.text);
    const [container, ...others] = containers(answer.object);
    assert.deepEqual(others, []);
    assert.deepEqual(container?.["env"], [
      { name: "E1", value: "1" },
      { name: "E2", value: "2" },
    ]);
    assert.deepEqual(ownedContainers(answer.object, "m2/Apply"), {
      'k:{"name":"c1"}': {
        ".": {},
        "f:env": { 'k:{"name":"E2"}': { ".": {}, "f:name": {}, "f:value": {} } },
        "f:name": {},
      },
    });
  }),
  story(173, "an item that is applied twice is refused", async (scene) => {
    await one(scene);
    const answer = await apply(scene, "m1", [first, first]);
    assert.equal(answer.code, 500, answer.text);
    assert.match(answer.message, /\.spec\.template\.spec\.containers: duplicate entries for key \[name="c1"\]$/);
  }),
  story(174, "a container without a name is a separate item", async (scene) => {
    await one(scene);
    await apply(scene, "m2", [{ name: "c1", env: [{ name: "E2", value: "2" }] }]);
    const answer = await apply(scene, "m1", [{ image: "i1" }]);
    assert.equal(answer.code, 422, answer.text);
    assert.deepEqual(causesOf(answer.object), [
      "spec.template.spec.containers[0].image: Required value",
      "spec.template.spec.containers[1].name: Required value",
    ]);
  }),
  story(175, "a port's key has the default protocol", async (scene) => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }];
    const answer = await apply(scene, "m1", [{ name: "c1", image: "i1", ports }], { replicas: 0 });
    const item = ownedContainers(answer.object, "m1/Apply") as JsonObject;
    assert.deepEqual(at(item, 'k:{"name":"c1"}', "f:ports"), {
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
      'k:{"containerPort":80,"protocol":"UDP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
    });
  }),
  story(176, "a scaler takes over replicas, and keeps them", async (scene) => {
    await one(scene);
    const scale = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "d", namespace: scene.ns },
      spec: { replicas: 3 },
    };
    await scene.ok({ method: "PUT", path: `${deployments(scene)}/scale?fieldManager=scaler`, body: scale });
    const scaled = await scene.ok({ path: deployments(scene) });
    assert.deepEqual(owners(scaled)["scaler/Update/scale"], { "f:spec": { "f:replicas": {} } });
    assert.equal(at(owners(scaled), "m1/Apply", "f:spec", "f:replicas"), undefined);
    assertAnswer(await one(scene), {
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
    });
    const answer = await apply(scene, "m1", [first]);
    assert.equal(answer.code, 200, answer.text);
    assert.equal(at(answer.object, "spec", "replicas"), 3);
  }),
  story(179, "an apply of the status changes nothing else", async (scene) => {
    await one(scene);
    const condition = { type: "Foo", status: "True" };
    const body = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", labels: { l: "1" } },
      spec: { replicas: 9 },
      status: { conditions: [condition] },
    };
    const answer = await scene.apply(`${deployments(scene)}/status`, "st", body);
    assert.equal(answer.code, 200, answer.text);
    assert.equal(at(answer.object, "spec", "replicas"), 0);
    assert.equal(at(answer.object, "metadata", "labels"), undefined);
    assert.deepEqual(owners(answer.object)["st/Apply/status"], {
      "f:status": { "f:conditions": { 'k:{"type":"Foo"}': { ".": {}, "f:status": {}, "f:type": {} } } },
    });
  }),
  story(180, "an apply to the main endpoint with only a status changes nothing", async (scene) => {
    const body = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: scene.ns },
      status: { phase: "Terminating" },
    };
    const path = `/api/v1/namespaces/${scene.ns}`;
    const before = await scene.ok({ path });
    const answer = await scene.apply(path, "mm", body);
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(answer.object, before);
  }),
  story(181, "finalizers are a set", async (scene) => {
    const seen = async (manager: string, list?: readonly string[]): Promise<JsonValue | undefined> =>
      at((await finalizers(manager, scene, list)).object, "metadata", "finalizers");
    assert.deepEqual(await seen("f1", ["x.io/a"]), ["x.io/a"]);
    const both = await finalizers("f2", scene, ["x.io/b", "x.io/a"]);
    assert.deepEqual(at(both.object, "metadata", "finalizers"), ["x.io/b", "x.io/a"]);
    assert.deepEqual(owners(both.object), {
      "f1/Apply": { "f:metadata": { "f:finalizers": { 'v:"x.io/a"': {} } } },
      "f2/Apply": { "f:metadata": { "f:finalizers": { 'v:"x.io/a"': {}, 'v:"x.io/b"': {} } } },
    });
    assert.deepEqual(await seen("f1"), ["x.io/b", "x.io/a"]);
    assert.equal(await seen("f2"), undefined);
  }),
  story(182, "a set item that is applied twice is refused", async (scene) => {
    const answer = await finalizers("f1", scene, ["x.io/b", "x.io/b"]);
    assert.equal(answer.code, 500, answer.text);
    assert.match(answer.message, /\.metadata\.finalizers: duplicate entries for key \[="x\.io\/b"\]$/);
  }),
  story(183, "an owner reference is atomic", async (scene) => {
    const uid = text(await scene.ok({ path: `${scene.cms}/a` }), "metadata", "uid");
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid };
    const answer = await scene.apply(
      `${scene.cms}/o`,
      "o1",
      configMap("o", { metadata: { ownerReferences: [owner] } }),
    );
    assert.deepEqual(owners(answer.object), {
      "o1/Apply": { "f:metadata": { "f:ownerReferences": { [`k:{"uid":"${uid}"}`]: {} } } },
    });
  }),
  story(206, "a controller's status has its own managedFields entry", async (scene) => {
    await one(scene);
    const body = [{ op: "add", path: "/status/observedGeneration", value: 7 }];
    const path = `${deployments(scene)}/status?fieldManager=c`;
    const answer = await scene.patch("json-patch", path, body);
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(owners(answer.object)["c/Update/status"], { "f:status": { "f:observedGeneration": {} } });
  }),
];
