import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { TestServer, Answer } from "../testing/server.ts";
import { testServer, withNamespace } from "../testing/server.ts";

let server: TestServer;

const version = (name: string, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  ...(storage ? {} : { deprecated: true }),
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  subresources: { status: {}, scale: { specReplicasPath: ".spec.i", statusReplicasPath: ".status.i" } },
});

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  await server.ask({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: "things.ex.io" },
      spec: {
        group: "ex.io",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version("v1", true), version("v1beta1", false)],
      },
    } as JsonValue,
  });
});

function thing(name: string, rest: JsonObject, apiVersion = "ex.io/v1"): JsonValue {
  return { apiVersion, kind: "Thing", metadata: { name }, ...rest };
}

const things = (name: string, of = "v1"): string => `/apis/ex.io/${of}/namespaces/demo/things/${name}`;
const apply = { "content-type": "application/apply-patch+yaml" };
const merge = { "content-type": "application/merge-patch+json" };

/** Manager, version and what it owns of spec and status, of every entry. */
function owners({ object }: Answer): readonly (readonly unknown[])[] {
  const metadata = member(object, "metadata");
  const entries = isJsonObject(metadata) ? member(metadata, "managedFields") : undefined;
  return (Array.isArray(entries) ? (entries as readonly JsonObject[]) : []).map(({ manager, apiVersion, fieldsV1 }) => [
    manager,
    apiVersion,
    isJsonObject(fieldsV1) ? Object.keys(fieldsV1).filter((key) => key !== "f:metadata") : [],
  ]);
}

const applied = (manager: string, name: string, body: JsonValue, path = things(name)): Promise<Answer> =>
  server.ask({ method: "PATCH", path: `${path}?fieldManager=${manager}`, body, headers: apply });

describe("fields that an endpoint resets", () => {
  test("a status write through another version leaves the owners of the spec alone", async () => {
    await applied("m1", "a", thing("a", { spec: { s: "x" } }));
    const answer = await server.ask({
      method: "PATCH",
      path: `${things("a", "v1beta1")}/status?fieldManager=m2`,
      body: { spec: { s: "y" }, status: { phase: "A" } },
      headers: merge,
    });
    assert.deepEqual(owners(answer), [
      ["m1", "ex.io/v1", ["f:spec"]],
      ["m2", "ex.io/v1beta1", ["f:status"]],
    ]);
  });

  test("a write of the object without its status takes the status from owners in another version alone", async () => {
    for (const [name, through, left] of [
      ["b", "v1", ["m1"]],
      ["c", "v1beta1", []],
    ] as const) {
      await server.ask({
        method: "POST",
        path: "/apis/ex.io/v1/namespaces/demo/things",
        body: thing(name, { spec: { s: "x" } }),
      });
      await applied("m1", name, thing(name, { status: { phase: "A" } }), `${things(name)}/status`);
      const seen = await server.ask({ path: things(name, through) });
      const { status: _status, ...rest } = seen.object;
      const answer = await server.ask({
        method: "PUT",
        path: `${things(name, through)}?fieldManager=m2`,
        body: { ...rest, spec: { s: "y" } },
      });
      assert.equal(answer.code, 200, answer.message);
      assert.deepEqual(
        owners(answer).flatMap(([manager, , fields]) =>
          Array.isArray(fields) && fields.includes("f:status") ? [manager] : [],
        ),
        left,
        name,
      );
      assert.deepEqual(member(answer.object, "status"), { phase: "A" }, "the status itself stays");
    }
  });
});

describe("scales", () => {
  const deployment = (name: string): JsonValue => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const deployments = "/apis/apps/v1/namespaces/demo/deployments";
  const scale = (name: string, replicas: JsonValue): JsonValue => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace: "demo" },
    spec: { replicas },
  });

  test("an apply of a Scale owns the replicas, and another one meets the conflict", async () => {
    await applied("m1", "d", deployment("d"), `${deployments}/d`);
    const first = await applied("m2", "d", scale("d", 2), `${deployments}/d/scale`);
    assert.equal(first.code, 409);
    assert.match(first.message, /conflict with "m1": \.spec\.replicas/u);
    const second = await applied("m2&force=true", "d", scale("d", 2), `${deployments}/d/scale`);
    assert.equal(second.code, 200, second.message);
    const answer = await server.ask({ path: `${deployments}/d` });
    assert.deepEqual(
      owners(answer)
        .map(([manager]) => String(manager))
        .toSorted(),
      ["m1", "m2"],
    );
  });

  for (const [name, body, message] of [
    ["a text for replicas", scale("d", "x"), "cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of"],
    ["another name", scale("e", 1), "does not match the name on the URL"],
    ["another kind", { ...(scale("d", 1) as JsonObject), kind: "Foo" }, 'no kind "Foo" is registered'],
  ] as const)
    test(`${name} is refused`, async () => {
      const answer = await server.ask({ method: "PUT", path: `${deployments}/d/scale`, body: JSON.stringify(body) });
      assert.equal(answer.code, 400);
      assert.ok(answer.message.includes(message), answer.message);
    });

  test("an apply to the Scale of a custom resource fails as in kube-apiserver, unless it changes nothing", async () => {
    await applied("m1", "s", thing("s", { spec: { i: 1 } }));
    const changed = await applied("m2&force=true", "s", scale("s", 2), `${things("s")}/scale`);
    assert.equal(changed.code, 500);
    assert.match(changed.message, /invalid group\/version: autoscaling\/v1/u);
    assert.equal((await applied("m2", "s", scale("s", 1), `${things("s")}/scale`)).code, 200);
  });
});

describe("empty lists", () => {
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles";

  test("are owned once written, though they come back as none", async () => {
    const answer = await server.ask({ method: "POST", path: roles, body: { metadata: { name: "r" }, rules: [] } });
    assert.deepEqual(member(answer.object, "rules"), null);
    assert.deepEqual(
      owners(answer).map(([, , fields]) => fields),
      [["f:rules"]],
    );
  });
});

describe("deprecated versions", () => {
  test("name the version to use instead", async () => {
    const answer = await server.ask({ path: "/apis/ex.io/v1beta1/namespaces/demo/things" });
    assert.deepEqual(answer.warnings, ["ex.io/v1beta1 Thing is deprecated; use ex.io/v1 Thing"]);
  });

  test("warn of built-in kinds whatever is asked of them", async () => {
    const answer = await server.ask({ path: "/api/v1/namespaces/demo/endpoints/none" });
    assert.deepEqual(answer.warnings, ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"]);
  });
});

describe("deletions", () => {
  test("a definition takes no finalizer of the collector", async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.ex.io?dryRun=All";
    const answer = await server.ask({ method: "DELETE", path, body: { propagationPolicy: "Orphan" } });
    const metadata = member(answer.object, "metadata");
    assert.deepEqual(isJsonObject(metadata) ? member(metadata, "finalizers") : undefined, [
      "customresourcecleanup.apiextensions.k8s.io",
    ]);
  });
});
