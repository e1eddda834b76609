import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, gone, itemsOf, text } from "../../scene.ts";
import type { Reply, TlsServer } from "../../tls-server.ts";
import { tlsServer } from "../../tls-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function conditionOf(object: JsonObject, type: string): JsonObject {
  const found = ((at(object, "status", "conditions") ?? []) as unknown as readonly JsonObject[]).find(
    (condition) => condition["type"] === type,
  );
  return found ?? {};
}

const openSchema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

function version(name: string, more: JsonObject = {}): JsonObject {
  return { name, served: true, storage: false, schema: openSchema, ...more };
}

/** A definition with these versions. */
function versioned(scene: Scene, versions: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  return scene.definition("foos", "Foo", {}, {}, { versions, ...spec });
}

function pathOf(scene: Scene, name: string): string {
  return `/apis/${scene.group}/${name}/namespaces/${scene.ns}/foos`;
}

/** Answers a ConversionReview by setting the desired version on all objects. */
function convert(body: JsonObject): JsonObject {
  const wanted = text(body, "request", "desiredAPIVersion");
  const objects = (at(body, "request", "objects") ?? []) as unknown as readonly JsonObject[];
  return answered(body, {
    convertedObjects: objects.map((object) => ({ ...object, apiVersion: wanted, converted: wanted })),
    result: { status: "Success" },
  });
}

function answered(body: JsonObject, response: JsonObject): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    response: { uid: text(body, "request", "uid"), ...response },
  };
}

async function defineConverted(
  scene: Scene,
  answer: (body: JsonObject) => Reply,
): Promise<{ readonly server: TlsServer; readonly v1: string; readonly v2: string }> {
  const server = await tlsServer(scene, ({ body }) => answer(body));
  const clientConfig = { url: `${server.url}/convert`, caBundle: server.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  await scene.define(versioned(scene, [version("v1", { storage: true }), version("v2")], { conversion }));
  // The webhook runs as long as objects may have to be converted.
  scene.atEnd(async () => {
    const path = `${definitions}/foos.${scene.group}`;
    await scene.ask({ method: "DELETE", path });
    await gone(scene, path);
  });
  return { server, v1: pathOf(scene, "v1"), v2: pathOf(scene, "v2") };
}

/** A row with the error of a read in another version for a webhook response. */
function conversionFailure(name: string, answer: (body: JsonObject, scene: Scene) => Reply, message: string): Row {
  return {
    row: 251,
    name,
    run: async (scene) => {
      const { v1, v2 } = await defineConverted(scene, (body) => answer(body, scene));
      await scene.ok({ method: "POST", path: v1, body: scene.object("Foo", "a") });
      const response = await scene.ask({ path: `${v2}/a` });
      assert.equal(response.code, 500, response.text);
      assert.equal(at(response.object, "reason") ?? "", "");
      const uid = message.endsWith('got "zz"')
        ? response.message.replace(/uid="[^"]*"/, 'uid="UID"')
        : response.message;
      const wanted = message.replaceAll("{group}", scene.group);
      assert.ok(uid.startsWith(wanted), `${response.message}\n  does not begin with\n  ${wanted}`);
    },
  };
}

const webhookFailed = "conversion webhook for {group}/v1, Kind=Foo failed: ";

function changed(change: (object: JsonObject) => JsonValue): (body: JsonObject) => Reply {
  return (body) => {
    const wanted = text(body, "request", "desiredAPIVersion");
    const objects = (at(body, "request", "objects") ?? []) as unknown as readonly JsonObject[];
    const convertedObjects = objects.map((object) => change({ ...object, apiVersion: wanted }));
    return { body: answered(body, { convertedObjects, result: { status: "Success" } }) };
  };
}

function withMetadata(object: JsonObject, more: JsonObject): JsonObject {
  return { ...object, metadata: { ...(at(object, "metadata") as JsonObject), ...more } };
}

export const definitionVersionRows: readonly Row[] = [
  {
    row: 246,
    name: "a kind with the name of another definition's is refused until that one is deleted",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Sub", { type: "object" }));
      const names = { plural: "bars", kind: "Sub", singular: "bar", listKind: "BarList" };
      await scene.tryDefine(scene.definition("bars", "Sub", { type: "object" }, {}, { names }));
      const second = `${definitions}/bars.${scene.group}`;
      await eventually(async () => {
        const definition = await scene.ok({ path: second });
        assertContains(conditionOf(definition, "NamesAccepted"), {
          status: "False",
          reason: "KindConflict",
          message: '"Sub" is already in use',
        });
        assertContains(conditionOf(definition, "Established"), {
          status: "False",
          reason: "NotAccepted",
          message: "not all names are accepted",
        });
      });
      const path = `/apis/${scene.group}/v1/namespaces/${scene.ns}/bars`;
      assert.equal((await scene.ask({ path })).code, 404);
      await scene.ok({ method: "DELETE", path: `${definitions}/foos.${scene.group}` });
      await eventually(async () => {
        const definition = await scene.ok({ path: second });
        assertContains(conditionOf(definition, "NamesAccepted"), { status: "True" });
        assertContains(conditionOf(definition, "Established"), { status: "True" });
        assert.equal((await scene.ask({ path })).code, 200);
      });
    },
  },
  {
    row: 247,
    name: "a stored version can be removed only after its removal from status.storedVersions",
    run: async (scene) => {
      await scene.define(versioned(scene, [version("v1", { storage: true })]));
      const path = `${definitions}/foos.${scene.group}`;
      const both = await scene.merge(path, { spec: { versions: [version("v1"), version("v2", { storage: true })] } });
      assertContains(both.object, { status: { storedVersions: ["v1", "v2"] } });
      const alone = { spec: { versions: [version("v2", { storage: true })] } };
      assertAnswer(await scene.merge(path, alone), {
        code: 422,
        message: `CustomResourceDefinition.apiextensions.k8s.io "foos.${scene.group}" is invalid: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions`,
      });
      assert.equal((await scene.merge(`${path}/status`, { status: { storedVersions: ["v2"] } })).code, 200);
      assertAnswer(await scene.merge(path, alone), { code: 200, contains: { status: { storedVersions: ["v2"] } } });
    },
  },
  ...(
    [
      ["scope", { scope: "Cluster" }, "spec.scope", '"Cluster"'],
      ["kind", { names: { kind: "Bar", listKind: "FooList" } }, "spec.names.kind", '"Bar"'],
      ["plural", { names: { plural: "bars" } }, "spec.names.plural", '"bars"'],
    ] as const
  ).map(([name, spec, field, value]): Row => ({
    row: 249,
    name: `${name} of an established definition is immutable`,
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      const response = await scene.merge(`${definitions}/foos.${scene.group}`, { spec });
      assert.equal(response.code, 422, response.text);
      assert.ok(response.message.includes(`${field}: Invalid value: ${value}: field is immutable`), response.message);
    },
  })),
  {
    row: 249,
    name: "the group of an established definition is immutable",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      const group = `other.${scene.group}`;
      const response = await scene.merge(`${definitions}/foos.${scene.group}`, { spec: { group } });
      assert.equal(response.code, 422, response.text);
      assert.ok(
        response.message.includes(`spec.group: Invalid value: "${group}": field is immutable`),
        response.message,
      );
    },
  },
  {
    row: 250,
    name: "with strategy None versions differ only in apiVersion",
    run: async (scene) => {
      await scene.define(versioned(scene, [version("v1", { storage: true }), version("v2")]));
      const body = scene.object("Foo", "a", { spec: { x: 1 } });
      const made = await scene.ok({ method: "POST", path: pathOf(scene, "v1"), body });
      const read = await scene.ok({ path: `${pathOf(scene, "v2")}/a` });
      assert.deepEqual(read, { ...made, apiVersion: `${scene.group}/v2` });
      const [listed] = itemsOf(await scene.ok({ path: pathOf(scene, "v2") }));
      assert.equal(listed?.["apiVersion"], `${scene.group}/v2`);
    },
  },
  {
    row: 251,
    name: "the request to a conversion webhook",
    run: async (scene) => {
      const { server, v1, v2 } = await defineConverted(scene, (body) => ({ body: convert(body) }));
      await scene.ok({ method: "POST", path: v1, body: scene.object("Foo", "a", { spec: { x: 1 } }) });
      const read = await scene.ok({ path: `${v2}/a` });
      assertContains(read, { apiVersion: `${scene.group}/v2`, converted: `${scene.group}/v2`, spec: { x: 1 } });
      const [asked] = server.received;
      assert.equal(asked?.method, "POST");
      assert.equal(asked?.path, "/convert?timeout=30s");
      assert.equal(asked?.headers["content-type"], "application/json");
      assert.equal(asked?.headers.accept, "application/json, */*");
      assert.match(String(asked?.headers["user-agent"]), /^kube-apiserver-admission/);
      assertContains(asked?.body, {
        kind: "ConversionReview",
        apiVersion: "apiextensions.k8s.io/v1",
        request: { desiredAPIVersion: `${scene.group}/v2` },
        response: { uid: "", convertedObjects: null, result: { metadata: {} } },
      });
      const [sent] = at(asked?.body, "request", "objects") as unknown as readonly JsonObject[];
      assertContains(sent, { apiVersion: `${scene.group}/v1`, kind: "Foo", metadata: { name: "a" }, spec: { x: 1 } });
    },
  },
  {
    row: 251,
    name: "all objects of a list are converted",
    run: async (scene) => {
      const { server, v1, v2 } = await defineConverted(scene, (body) => ({ body: convert(body) }));
      for (const name of ["a", "b"]) await scene.ok({ method: "POST", path: v1, body: scene.object("Foo", name) });
      assert.equal(itemsOf(await scene.ok({ path: v2 })).length, 2);
      const sent = server.received.flatMap(
        ({ body }) => at(body, "request", "objects") as unknown as readonly JsonObject[],
      );
      assert.deepEqual([...new Set(sent.map((object) => text(object, "metadata", "name")))].toSorted(), ["a", "b"]);
    },
  },
  {
    row: 251,
    name: "an object written in another version is converted and returned in that version",
    run: async (scene) => {
      const { v1, v2 } = await defineConverted(scene, (body) => ({ body: convert(body) }));
      const body = { ...scene.object("Foo", "a", { spec: { x: 1 } }), apiVersion: `${scene.group}/v2` };
      assertContains(await scene.ok({ method: "POST", path: v2, body }), { apiVersion: `${scene.group}/v2` });
      assertContains(await scene.ok({ path: `${v1}/a` }), { apiVersion: `${scene.group}/v1`, spec: { x: 1 } });
    },
  },
  {
    row: 251,
    name: "a conversion webhook may change only labels and annotations of metadata",
    run: async (scene) => {
      const { v1, v2 } = await defineConverted(
        scene,
        changed((object) => withMetadata(object, { labels: { l: "1" }, annotations: { a: "1" }, generation: 77 })),
      );
      await scene.ok({ method: "POST", path: v1, body: scene.object("Foo", "a") });
      assertContains(await scene.ok({ path: `${v2}/a` }), {
        metadata: { labels: { l: "1" }, annotations: { a: "1" }, generation: 1 },
      });
    },
  },
  conversionFailure(
    "an error response of the webhook",
    () => ({ code: 500, body: "" }),
    `${webhookFailed}an error on the server ("unknown") has prevented the request from succeeding`,
  ),
  conversionFailure(
    "a failure reported by the webhook",
    (body) => ({ body: answered(body, { convertedObjects: [], result: { status: "Failure", message: "nope" } }) }),
    `${webhookFailed}nope`,
  ),
  conversionFailure(
    "a response of another kind",
    () => ({
      body: {
        kind: "ConversionReview",
        apiVersion: "apiextensions.k8s.io/v1",
        response: { uid: "zz", convertedObjects: [], result: { status: "Success" } },
      },
    }),
    `${webhookFailed}expected response.uid="UID", got "zz"`,
  ),
  conversionFailure(
    "too few converted objects",
    (body) => ({ body: answered(body, { convertedObjects: [], result: { status: "Success" } }) }),
    "conversion webhook for {group}/v1, Kind=Foo returned 0 objects, expected 1",
  ),
  conversionFailure(
    "converted objects of another version",
    (body) =>
      changed((object) => ({ ...object, apiVersion: `${text(object, "apiVersion").split("/")[0] ?? ""}/v9` }))(body),
    "conversion webhook for {group}/v1, Kind=Foo returned invalid object at index 0: invalid groupVersion (expected {group}/v2, received {group}/v9)",
  ),
  conversionFailure(
    "converted objects with another name",
    changed((object) => withMetadata(object, { name: "zz" })),
    "conversion webhook for {group}/v1, Kind=Foo returned invalid object: must have the same name: a != zz",
  ),
  conversionFailure(
    "converted objects with another uid",
    changed((object) => withMetadata(object, { uid: "zz" })),
    "conversion webhook for {group}/v1, Kind=Foo returned invalid object: must have the same UID: ",
  ),
  {
    row: 251,
    name: "a conversion webhook without listener",
    run: async (scene) => {
      const { server, v1, v2 } = await defineConverted(scene, (body) => ({ body: convert(body) }));
      await scene.ok({ method: "POST", path: v1, body: scene.object("Foo", "a") });
      await server.close();
      assertAnswer(await scene.ask({ path: `${v2}/a` }), {
        code: 500,
        reason: "",
        message: `conversion webhook for ${scene.group}/v1, Kind=Foo failed: Post "${server.url}/convert?timeout=30s": dial tcp 127.0.0.1:${server.port}: connect: connection refused`,
      });
    },
  },
  {
    row: 251,
    name: "a conversion webhook with a missing Service",
    run: async (scene) => {
      const clientConfig = { service: { namespace: scene.ns, name: "nope" } };
      const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
      await scene.define(versioned(scene, [version("v1", { storage: true }), version("v2")], { conversion }));
      await scene.ok({ method: "POST", path: pathOf(scene, "v1"), body: scene.object("Foo", "a") });
      const response = await scene.ask({ path: `${pathOf(scene, "v2")}/a` });
      assert.equal(response.code, 500);
      assert.match(response.message, /service "nope" not found$/);
    },
  },
  {
    row: 252,
    name: "a deprecated version returns a warning",
    run: async (scene) => {
      await scene.define(
        versioned(scene, [
          version("v1", { storage: true }),
          version("v2", { deprecated: true }),
          version("v3", { deprecated: true, deprecationWarning: "use v1" }),
        ]),
      );
      assertAnswer(await scene.ask({ path: pathOf(scene, "v1") }), { code: 200, warnings: [] });
      assertAnswer(await scene.ask({ path: pathOf(scene, "v2") }), {
        code: 200,
        warnings: [`${scene.group}/v2 Foo is deprecated`],
      });
      assertAnswer(await scene.ask({ path: pathOf(scene, "v3") }), { code: 200, warnings: ["use v1"] });
    },
  },
  {
    row: 253,
    name: "a definition is deleted after its last object",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", openSchema.openAPIV3Schema));
      const held = scene.object("Foo", "held", { metadata: { finalizers: ["x.io/a"] } });
      await scene.ok({ method: "POST", path, body: held });
      const definition = `${definitions}/foos.${scene.group}`;
      const expected = {
        kind: "CustomResourceDefinition",
        metadata: { finalizers: ["customresourcecleanup.apiextensions.k8s.io"] },
      };
      const deleted = await scene.ok({ method: "DELETE", path: definition });
      assertContains(deleted, expected);
      assertContains(conditionOf(deleted, "Terminating"), {
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      });
      await eventually(async () =>
        assertContains(conditionOf(await scene.ok({ path: definition }), "Terminating"), {
          status: "True",
          reason: "InstanceDeletionInProgress",
          message: "CustomResource deletion is in progress",
        }),
      );
      await eventually(async () =>
        assertAnswer(await scene.ask({ method: "POST", path, body: scene.object("Foo", "new") }), {
          code: 403,
          message: `foos.${scene.group} "new" is forbidden: create not allowed while custom resource definition is terminating`,
        }),
      );
      await eventually(async () =>
        assert.notEqual(text(await scene.ok({ path: `${path}/held` }), "metadata", "deletionTimestamp"), ""),
      );
      assert.equal(itemsOf(await scene.ok({ path })).length, 1);
      assert.equal((await scene.merge(`${path}/held`, { spec: { x: 1 } })).code, 200);
      assertAnswer(await scene.tryDefine(scene.definition("foos", "Foo", { type: "object" })), {
        code: 409,
        message: `object is being deleted: customresourcedefinitions.apiextensions.k8s.io "foos.${scene.group}" already exists`,
      });
      const watch = await scene.watch(`${path}?watch=true`);
      await scene.merge(`${path}/held`, { metadata: { finalizers: null } });
      await gone(scene, definition);
      await gone(scene, path);
      const ended = (async () => {
        while ((await watch.next()) !== undefined);
        return "ended";
      })();
      assert.equal(await Promise.race([ended, sleep(60_000, "goes on")]), "ended");
    },
  },
];
