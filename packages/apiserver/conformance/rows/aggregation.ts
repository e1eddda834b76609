import assert from "node:assert/strict";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { kubectlIn } from "../kubectl.ts";
import type { Row } from "../row.ts";
import { eventually } from "../eventually.ts";
import { assertContains, assertAnswer } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, itemsOf, text } from "../scene.ts";
import type { Received, Reply, TlsServer } from "../tls-server.ts";
import { tlsServer } from "../tls-server.ts";

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
/** kube-aggregator backs off while an APIService stays unavailable. */
const availableMs = 40_000;
/** kube-aggregator reads backends' OpenAPI documents once a minute. */
const openApiMs = 75_000;

function groupVersion(scene: Scene): string {
  return `${scene.group}/v1`;
}

function resourceList(scene: Scene): JsonObject {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: groupVersion(scene),
    resources: [
      {
        name: "foos",
        singularName: "foo",
        namespaced: true,
        kind: "Foo",
        verbs: ["get", "list"],
        shortNames: ["fo"],
      },
      { name: "foos/status", singularName: "", namespaced: true, kind: "Foo", verbs: ["get"] },
    ],
  };
}

/** Schema of the backend's kind, for both OpenAPI versions. */
function fooSchema(scene: Scene): JsonObject {
  return {
    type: "object",
    description: "A Foo of an extension server.",
    properties: { size: { type: "integer", description: "How large it is." } },
    "x-kubernetes-group-version-kind": [{ group: scene.group, version: "v1", kind: "Foo" }],
  };
}

function listOperation(scene: Scene, response: JsonObject): JsonObject {
  return {
    get: {
      operationId: "listFoo",
      responses: { "200": { description: "OK", ...response } },
      "x-kubernetes-action": "list",
      "x-kubernetes-group-version-kind": { group: scene.group, version: "v1", kind: "Foo" },
    },
  };
}

function itemPath(scene: Scene): string {
  return `/apis/${groupVersion(scene)}/namespaces/{namespace}/foos`;
}

function openApiV3(scene: Scene): JsonObject {
  const schema = { $ref: "#/components/schemas/io.example.Foo" };
  return {
    openapi: "3.0.0",
    info: { title: "foos", version: "1" },
    paths: { [itemPath(scene)]: listOperation(scene, { content: { "application/json": { schema } } }) },
    components: { schemas: { "io.example.Foo": fooSchema(scene) } },
  };
}

function openApiV2(scene: Scene): JsonObject {
  return {
    swagger: "2.0",
    info: { title: "foos", version: "1" },
    paths: {
      [itemPath(scene)]: listOperation(scene, { schema: { $ref: "#/definitions/io.example.Foo" } }),
      "/elsewhere/": listOperation(scene, { schema: { $ref: "#/definitions/io.example.Elsewhere" } }),
    },
    definitions: {
      "io.example.Foo": fooSchema(scene),
      "io.example.Elsewhere": { type: "object" },
      "io.example.Unused": { type: "object" },
    },
  };
}

/** A backend with OpenAPI documents, version 3 only when `knowsV3`. */
async function describedBackend(scene: Scene, knowsV3: boolean): Promise<TlsServer> {
  const place = `/openapi/v3/apis/${groupVersion(scene)}`;
  const json = { "content-type": "application/json" };
  return backend(scene, ({ path }) => {
    switch (path.split("?")[0] ?? "") {
      case "/openapi/v2":
        return { body: openApiV2(scene), headers: json };
      case "/openapi/v3":
        return knowsV3
          ? { body: { paths: { [place.slice("/openapi/v3/".length)]: { serverRelativeURL: `${place}?hash=H` } } } }
          : { code: 404 };
      case place:
        return { body: openApiV3(scene), headers: { ...json, "x-backend": "yes" } };
      default:
        return { code: 404 };
    }
  });
}

async function service(scene: Scene, spec: JsonObject): Promise<void> {
  const path = `/api/v1/namespaces/${scene.ns}/services`;
  await scene.ok({ method: "POST", path, body: { metadata: { name: "backend" }, spec } });
}

async function register(scene: Scene, port: number, spec: JsonObject): Promise<void> {
  await scene.keep(apiServices, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1.${scene.group}` },
    spec: {
      group: scene.group,
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: scene.ns, name: "backend", port },
      ...spec,
    },
  });
}

async function expectAvailable(scene: Scene, expected: JsonObject): Promise<JsonObject> {
  let found: JsonObject = {};
  await eventually(async () => {
    const held = await scene.ok({ path: `${apiServices}/v1.${scene.group}` });
    const conditions = (at(held, "status", "conditions") ?? []) as unknown as readonly JsonObject[];
    found = conditions.find(({ type }) => type === "Available") ?? {};
    assertContains(found, expected);
  }, availableMs);
  return found;
}

/** A backend that serves the group behind an ExternalName Service, and its APIService. */
async function backend(scene: Scene, answer: (received: Received) => Reply): Promise<TlsServer> {
  const path = `/apis/${groupVersion(scene)}`;
  const server = await tlsServer(
    scene,
    (received) => (received.path.split("?")[0] === path ? { body: resourceList(scene) } : answer(received)),
    [`backend.${scene.ns}.svc`],
  );
  await service(scene, { type: "ExternalName", externalName: "localhost" });
  await register(scene, server.port, { caBundle: server.caBundle });
  await expectAvailable(scene, { status: "True", reason: "Passed", message: "all checks passed" });
  // The condition becomes True before requests are forwarded.
  await eventually(async () => assert.equal((await scene.ask({ path })).code, 200), availableMs);
  return server;
}

function foos(scene: Scene): string {
  return `/apis/${groupVersion(scene)}/namespaces/${scene.ns}/foos`;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const bob: UserInfo = { name: "bob", groups: ["devs", "system:authenticated"] };

export const aggregationRows: readonly Row[] = [
  {
    row: 284,
    name: "an APIService becomes available",
    run: async (scene) => {
      const path = `/apis/${groupVersion(scene)}`;
      const server = await tlsServer(scene, () => ({ code: 503 }), [`backend.${scene.ns}.svc`]);
      await register(scene, server.port, { caBundle: server.caBundle });
      await expectAvailable(scene, {
        status: "False",
        reason: "ServiceNotFound",
        message: `service/backend in "${scene.ns}" is not present`,
      });
      await service(scene, { ports: [{ port: server.port }] });
      await expectAvailable(scene, {
        status: "False",
        reason: "EndpointsNotFound",
        message: `cannot find endpointslices for service/backend in "${scene.ns}"`,
      });
      await scene.ok({ method: "DELETE", path: `/api/v1/namespaces/${scene.ns}/services/backend` });
      await service(scene, { type: "ExternalName", externalName: "localhost" });
      const url = `https://localhost:${server.port}${path}`;
      const failed = await expectAvailable(scene, { status: "False", reason: "FailedDiscoveryCheck" });
      assert.equal(text(failed, "message"), `failing or missing response from ${url}: bad status from ${url}: 503`);
    },
  },
  {
    row: 284,
    name: "an available APIService",
    run: async (scene) => {
      const server = await backend(scene, () => ({ code: 404 }));
      const [probe] = server.received;
      assert.equal(probe?.headers["x-remote-user"], "system:kube-aggregator");
      assert.equal(probe?.headers["x-remote-group"], "system:masters");
    },
  },
  {
    row: 284,
    name: "an APIService for a local group is available immediately",
    run: async (scene) => {
      const held = await scene.ok({ path: `${apiServices}/v1.apps` });
      const [condition] = at(held, "status", "conditions") as unknown as readonly JsonObject[];
      assertContains(condition, {
        type: "Available",
        status: "True",
        reason: "Local",
        message: "Local APIServices are always available",
      });
    },
  },
  {
    row: 285,
    name: "an unavailable APIService",
    run: async (scene) => {
      await register(scene, 443, {});
      await expectAvailable(scene, { status: "False", reason: "ServiceNotFound" });
      await eventually(async () => {
        const response = await scene.ask({ path: foos(scene) });
        assert.equal(response.code, 503, response.text);
        assert.equal(response.text, "service unavailable\n");
        assert.match(String(response.headers["content-type"]), /^text\/plain/);
      });
      await eventually(async () => {
        const response = await scene.ok({ path: "/apis", headers: { accept: aggregated } });
        const group = itemsOf(response).find((item) => text(item, "metadata", "name") === scene.group);
        const [version] = (at(group, "versions") ?? []) as unknown as readonly JsonObject[];
        assertContains(version, { version: "v1", freshness: "Stale" });
      });
      const legacy = await scene.ok({ path: "/apis" });
      const groups = at(legacy, "groups") as unknown as readonly JsonObject[];
      assert.ok(groups.some(({ name }) => name === scene.group));
    },
  },
  {
    row: 286,
    name: "the headers that a backend receives",
    run: async (scene) => {
      const server = await backend(scene, () => ({
        body: { kind: "FooList", apiVersion: groupVersion(scene), metadata: {}, items: [] },
        headers: { "x-backend": "yes" },
      }));
      const response = await scene.ask({
        path: `${foos(scene)}?limit=5`,
        as: { name: "alice", uid: "u1", groups: ["system:masters"], extra: { scopes: ["a", "b"] } },
        headers: { "x-remote-user": "mallory" },
      });
      assertAnswer(response, { code: 200, contains: { kind: "FooList" } });
      assert.equal(response.headers["x-backend"], "yes");
      const call = server.received.find(({ path }) => path === `${foos(scene)}?limit=5`);
      assertContains(
        call?.headers as JsonObject,
        {
          "x-remote-user": "alice",
          "x-remote-uid": "u1",
          "x-remote-group": "system:masters, system:authenticated",
          "x-remote-extra-scopes": "a, b",
          "x-forwarded-uri": foos(scene),
          "x-forwarded-proto": "https",
          authorization: undefined,
        } as never,
      );
      assert.notEqual(call?.headers["x-forwarded-host"] ?? "", "");
      assert.notEqual(call?.headers["x-forwarded-for"] ?? "", "");
      assert.notEqual(call?.headers["audit-id"] ?? "", "");
      assert.match(call?.clientName ?? "", /^front-proxy/);
    },
  },
  {
    row: 286,
    name: "requests are authorized before they are forwarded",
    run: async (scene) => {
      const server = await backend(scene, () => ({ body: {} }));
      assertAnswer(await scene.ask({ path: foos(scene), as: bob }), {
        code: 403,
        message: `foos.${scene.group} is forbidden: User "bob" cannot list resource "foos" in API group "${scene.group}" in the namespace "${scene.ns}"`,
      });
      assert.ok(!server.received.some(({ path }) => path.startsWith(foos(scene))));
    },
  },
  {
    row: 286,
    name: "a body is forwarded, and the backend's discovery is merged",
    run: async (scene) => {
      const server = await backend(scene, ({ body }) => ({ code: 201, body }));
      const sent = { apiVersion: groupVersion(scene), kind: "Foo", metadata: { name: "x" } };
      assertAnswer(await scene.ask({ method: "POST", path: foos(scene), body: sent }), { code: 201, contains: sent });
      assert.ok(server.received.some(({ method }) => method === "POST"));
      await eventually(async () => {
        const response = await scene.ok({ path: "/apis", headers: { accept: aggregated } });
        const group = itemsOf(response).find((item) => text(item, "metadata", "name") === scene.group);
        const [version] = (at(group, "versions") ?? []) as unknown as readonly JsonObject[];
        assertContains(version, { version: "v1", freshness: "Current" });
        const [resource] = (version?.["resources"] ?? []) as unknown as readonly JsonObject[];
        assertContains(resource, {
          resource: "foos",
          scope: "Namespaced",
          singularResource: "foo",
          shortNames: ["fo"],
          responseKind: { group: "", version: "", kind: "Foo" },
        });
      }, availableMs);
      const group = await scene.ok({ path: `/apis/${scene.group}` });
      assertContains(group, { kind: "APIGroup", name: scene.group, preferredVersion: { version: "v1" } });
      const list = await scene.ok({ path: `/apis/${groupVersion(scene)}` });
      assert.deepEqual(list, resourceList(scene) as JsonValue);
    },
  },
  {
    row: 286,
    name: "the OpenAPI documents of a backend are merged, and kubectl explains its kinds",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const server = await describedBackend(scene, true);
      const place = `apis/${groupVersion(scene)}`;
      await eventually(async () => {
        const index = await scene.ask({ path: "/openapi/v3" });
        const paths = (JSON.parse(index.text) as { readonly paths: JsonObject }).paths;
        assertContains(paths[place], { serverRelativeURL: `/openapi/v3/${place}?hash=H` });
      }, openApiMs);
      const response = await scene.ask({ path: `/openapi/v3/${place}?hash=H` });
      assert.deepEqual(response.object, openApiV3(scene));
      assert.equal(response.headers["x-backend"], "yes");
      const root = server.received.find(({ path }) => path === "/openapi/v3");
      assert.equal(root?.headers["x-remote-user"], "system:aggregator");
      await eventually(async () => {
        const { object } = await scene.ask({ path: "/openapi/v2", headers: { accept: "application/json" } });
        assertContains(at(object, "definitions", "io.example.Foo"), { description: "A Foo of an extension server." });
        assert.ok(at(object, "paths", itemPath(scene)) !== undefined);
        assert.equal(at(object, "definitions", "io.example.Elsewhere"), undefined);
        assertContains(at(object, "definitions", "io.example.Unused"), { type: "object" });
        assert.equal(at(object, "paths", "/elsewhere/"), undefined);
      }, openApiMs);
      const explained = await kubectl(["explain", `foos.${scene.group}`]);
      assert.equal(explained.code, 0, explained.text);
      for (const part of ["A Foo of an extension server.", "size\t<integer>", "How large it is."])
        assert.ok(explained.text.includes(part), explained.text);
    },
  },
  {
    row: 286,
    name: "the OpenAPI 2 document of a backend is served as version 3",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      await describedBackend(scene, false);
      const place = `apis/${groupVersion(scene)}`;
      await eventually(async () => {
        const index = await scene.ask({ path: "/openapi/v3" });
        const paths = (JSON.parse(index.text) as { readonly paths: JsonObject }).paths;
        const url = text(paths, place, "serverRelativeURL");
        assert.ok(url.startsWith(`/openapi/v3/${place}?hash=`), url);
        const response = await scene.ask({ path: url });
        assertContains(response.object, {
          openapi: "3.0.0",
          components: { schemas: { "io.example.Foo": { description: "A Foo of an extension server." } } },
        });
      }, openApiMs);
      const explained = await kubectl(["explain", `foos.${scene.group}.size`]);
      assert.ok(explained.text.includes("How large it is."), explained.text);
    },
  },
  {
    row: 287,
    name: "a 404 of the backend is passed on",
    run: async (scene) => {
      await backend(scene, () => ({ code: 404, headers: { "content-type": "text/plain" }, body: "not here" }));
      assertAnswer(await scene.ask({ path: `${foos(scene)}/x` }), { code: 404, text: "not here" });
    },
  },
  {
    row: 288,
    name: "the ConfigMap extension-apiserver-authentication is readable for extension servers",
    run: async (scene) => {
      const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
      const held = await scene.ok({ path });
      assert.deepEqual(JSON.parse(text(held, "data", "requestheader-username-headers")), ["X-Remote-User"]);
      assert.deepEqual(JSON.parse(text(held, "data", "requestheader-group-headers")), ["X-Remote-Group"]);
      assert.deepEqual(JSON.parse(text(held, "data", "requestheader-extra-headers-prefix")), ["X-Remote-Extra-"]);
      for (const key of ["client-ca-file", "requestheader-client-ca-file"])
        assert.match(text(held, "data", key), /BEGIN CERTIFICATE/);
      const account = `/api/v1/namespaces/${scene.ns}/serviceaccounts`;
      await scene.ok({ method: "POST", path: account, body: { metadata: { name: "reader" } } });
      const user = { name: `system:serviceaccount:${scene.ns}:reader`, groups: ["system:authenticated"] };
      assert.equal((await scene.ask({ path, as: user })).code, 403);
      await scene.keep("/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings", {
        metadata: { name: scene.ns },
        roleRef: {
          apiGroup: "rbac.authorization.k8s.io",
          kind: "Role",
          name: "extension-apiserver-authentication-reader",
        },
        subjects: [{ kind: "ServiceAccount", name: "reader", namespace: scene.ns }],
      });
      await eventually(async () => assert.equal((await scene.ask({ path, as: user })).code, 200));
    },
  },
];
