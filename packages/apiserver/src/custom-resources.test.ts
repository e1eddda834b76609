import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { TestServer, Answer } from "./testing/server.ts";
import { assertContains, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = { "content-type": "application/merge-patch+json" };

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
});

function crd(plural: string, kind: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.ex.io` },
    spec: {
      group: "ex.io",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          ...more,
        },
      ],
    },
  };
}

const create = (definition: JsonObject): Promise<Answer> =>
  server.ask({ method: "POST", path: crds, body: definition as JsonValue });

const path = (plural: string, version = "v1"): string => `/apis/ex.io/${version}/namespaces/demo/${plural}`;

const object = (kind: string, name: string, rest: JsonObject, version = "v1"): JsonObject => ({
  apiVersion: `ex.io/${version}`,
  kind,
  metadata: { name },
  ...rest,
});

describe("definitions", () => {
  test("the first answer has no conditions yet; in the next moment the definition is established and served", async () => {
    const answer = await create(crd("foos", "Foo", { type: "object", properties: { a: { type: "string" } } }));
    assert.equal(answer.code, 201, JSON.stringify(answer.object));
    assertContains(answer.object, {
      metadata: { generation: 1 },
      spec: { names: { singular: "foo", listKind: "FooList" }, conversion: { strategy: "None" } },
      status: { acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
    });
    const { object: now } = await server.ask({ path: `${crds}/foos.ex.io` });
    const conditions = (now["status"] as JsonObject)["conditions"] as readonly JsonObject[];
    assert.deepEqual(
      conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
      [
        ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
        ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
      ],
    );
    assert.equal((await server.ask({ path: path("foos") })).code, 200);
    assert.equal((await server.ask({ path: "/apis/ex.io/v1" })).code, 200);
  });

  test("a kind that another definition has is not served until that definition is deleted", async () => {
    await create(crd("ones", "Same", { type: "object" }));
    const second = crd("twos", "Same", { type: "object" });
    (second["spec"] as { names: JsonObject }).names = { plural: "twos", kind: "Same", listKind: "TwoList" };
    await create(second);
    const { object: stored } = await server.ask({ path: `${crds}/twos.ex.io` });
    const conditions = (stored["status"] as JsonObject)["conditions"] as readonly JsonObject[];
    assertContains(conditions[0] as JsonValue, {
      status: "False",
      reason: "KindConflict",
      message: '"Same" is already in use',
    });
    assert.equal((await server.ask({ path: path("twos") })).code, 404);
    await server.ask({ method: "DELETE", path: `${crds}/ones.ex.io` });
    assert.equal((await server.ask({ path: path("twos") })).code, 200);
  });

  test("deleting a definition deletes its objects and waits for those with finalizers", async () => {
    await create(crd("helds", "Held", { type: "object" }));
    await server.ask({ method: "POST", path: path("helds"), body: object("Held", "free", {}) as JsonValue });
    const held = { ...object("Held", "held", {}), metadata: { name: "held", finalizers: ["x.io/a"] } };
    await server.ask({ method: "POST", path: path("helds"), body: held });
    const deleted = await server.ask({ method: "DELETE", path: `${crds}/helds.ex.io` });
    assertContains(deleted.object, { metadata: { finalizers: ["customresourcecleanup.apiextensions.k8s.io"] } });
    assert.equal((await server.ask({ path: `${path("helds")}/free` })).code, 404);
    const refused = await server.ask({
      method: "POST",
      path: path("helds"),
      body: object("Held", "new", {}) as JsonValue,
    });
    assert.equal(
      refused.object["message"],
      'helds.ex.io "new" is forbidden: create not allowed while custom resource definition is terminating',
    );
    const again = await create(crd("helds", "Held", { type: "object" }));
    assert.equal(
      again.object["message"],
      'object is being deleted: customresourcedefinitions.apiextensions.k8s.io "helds.ex.io" already exists',
    );
    await server.ask({
      method: "PATCH",
      path: `${path("helds")}/held`,
      headers: merge,
      body: { metadata: { finalizers: null } },
    });
    assert.equal((await server.ask({ path: `${crds}/helds.ex.io` })).code, 404);
    assert.equal((await server.ask({ path: path("helds") })).code, 404);
  });

  test("changing a definition ends its watches", async () => {
    await create(crd("watched", "Watched", { type: "object" }));
    const watch = await server.watch(`${path("watched")}?watch=true&resourceVersion=${server.storage.revision()}`);
    const answer = await server.ask({
      method: "PATCH",
      path: `${crds}/watched.ex.io`,
      headers: merge,
      body: { spec: { names: { shortNames: ["wa"] } } },
    });
    assert.equal(answer.code, 200, JSON.stringify(answer.object));
    assert.equal(await watch.next(), undefined);
  });
});

describe("custom resources", () => {
  before(async () => {
    const definition = crd(
      "bars",
      "Bar",
      {
        type: "object",
        required: ["req"],
        properties: {
          req: { type: "string" },
          n: { type: "integer", minimum: 1 },
          dft: { type: "string", default: "D" },
          nul: { type: "string", nullable: true },
          opt: { type: "string" },
          replicas: { type: "integer" },
          nested: { type: "object", properties: { x: { type: "string", default: "X" } } },
          given: { type: "object", default: {}, properties: { x: { type: "string", default: "X" } } },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          imm: {
            type: "string",
            "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "imm is immutable" }],
          },
        },
      },
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [
          { name: "Req", type: "string", jsonPath: ".spec.req" },
          { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        selectableFields: [{ jsonPath: ".spec.req" }],
      },
    );
    const properties = (
      definition["spec"] as { versions: { schema: { openAPIV3Schema: { properties: Record<string, JsonValue> } } }[] }
    ).versions[0]!.schema.openAPIV3Schema.properties;
    properties["status"] = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const answer = await create(definition);
    assert.equal(answer.code, 201, JSON.stringify(answer.object));
  });

  const bar = (name: string, spec: JsonObject, rest: JsonObject = {}): Promise<Answer> =>
    server.ask({ method: "POST", path: path("bars"), body: object("Bar", name, { spec, ...rest }) as JsonValue });

  test("are pruned with a warning, defaulted, and lose nulls that are not nullable", async () => {
    const answer = await bar("b1", {
      req: "r",
      bogus: 1,
      nul: null,
      opt: null,
      nested: {},
      free: { any: { thing: 1 } },
    });
    assert.equal(answer.code, 201, JSON.stringify(answer.object));
    assert.deepEqual(answer.warnings, ['unknown field "spec.bogus"']);
    assert.deepEqual(answer.object["spec"], {
      req: "r",
      nul: null,
      nested: { x: "X" },
      free: { any: { thing: 1 } },
      dft: "D",
      given: { x: "X" },
    });
  });

  const invalid: readonly (readonly [string, JsonObject, string])[] = [
    ["a required field", {}, "spec.req: Required value"],
    [
      "a wrong type",
      { req: 5 },
      'spec.req: Invalid value: "integer": spec.req in body must be of type string: "integer"',
    ],
    ["a minimum", { req: "r", n: 0 }, "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1"],
  ];
  for (const [name, spec, message] of invalid)
    test(`${name} is refused`, async () => {
      const answer = await bar("bad", spec);
      assert.equal(answer.code, 422);
      const text = answer.message;
      assert.match(text, /^Bar.ex.io "bad" is invalid: /);
      assert.ok(text.includes(message), text);
    });

  test("Strict refuses an unknown field", async () => {
    const answer = await server.ask({
      method: "POST",
      path: `${path("bars")}?fieldValidation=Strict`,
      body: object("Bar", "strict", {
        spec: { req: "r", bogus: 1 },
        metadata: { name: "strict", foo: 1 },
      }) as JsonValue,
    });
    assert.equal(answer.code, 400);
    assert.match(
      answer.message,
      /^Bar in version "v1" cannot be handled as a Bar: strict decoding error: unknown field/,
    );
  });

  test("of another version or kind are refused", async () => {
    const version = await server.ask({
      method: "POST",
      path: path("bars"),
      body: object("Bar", "x", {}, "v2") as JsonValue,
    });
    assert.equal(
      version.object["message"],
      "the API version in the data (ex.io/v2) does not match the expected API version (ex.io/v1)",
    );
    const kind = await server.ask({ method: "POST", path: path("bars"), body: object("Nope", "t", {}) as JsonValue });
    assert.equal(kind.object["message"], 'Nope.ex.io "t" is invalid: kind: Invalid value: "Nope": must be Bar');
  });

  test("are replaced with their revision only", async () => {
    await bar("rv", { req: "r" });
    const answer = await server.ask({
      method: "PUT",
      path: `${path("bars")}/rv`,
      body: object("Bar", "rv", { spec: { req: "s" } }) as JsonValue,
    });
    assert.equal(
      answer.object["message"],
      'bars.ex.io "rv" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  test("status and spec keep out of each other's way, and only spec counts as a generation", async () => {
    await bar("st", { req: "r" }, { status: { from: "create" } });
    const created = await server.ask({ path: `${path("bars")}/st` });
    assert.equal(created.object["status"], undefined);
    const status = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/st/status`,
      headers: merge,
      body: { metadata: { labels: { x: "y" } }, spec: { req: "changed" }, status: { replicas: 2 } },
    });
    assert.equal(status.code, 200, JSON.stringify(status.object));
    assertContains(status.object, {
      metadata: { generation: 1, labels: undefined as never },
      spec: { req: "r" },
      status: { replicas: 2 },
    });
    const spec = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/st`,
      headers: merge,
      body: { spec: { req: "s" }, status: null },
    });
    assertContains(spec.object, { metadata: { generation: 2 }, status: { replicas: 2 } });
  });

  test("transition rules see the old value", async () => {
    await bar("imm", { req: "r", imm: "one" });
    const answer = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/imm`,
      headers: merge,
      body: { spec: { imm: "two" } },
    });
    assert.equal(
      answer.object["message"],
      'Bar.ex.io "imm" is invalid: spec.imm: Invalid value: "two": imm is immutable',
    );
    const removed = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/imm`,
      headers: merge,
      body: { spec: { imm: null } },
    });
    assert.equal(removed.code, 200);
  });

  test("scale through their paths", async () => {
    await bar("sc", { req: "r", replicas: 1 });
    const scaled = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/sc/scale`,
      headers: merge,
      body: { spec: { replicas: 4 } },
    });
    assertContains(scaled.object, {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 4 },
      status: { replicas: 0 },
    });
    const negative = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/sc/scale`,
      headers: merge,
      body: { spec: { replicas: -1 } },
    });
    assert.equal(
      negative.object["message"],
      'Bar.ex.io "sc" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    );
    await bar("nosc", { req: "r" });
    const none = await server.ask({ path: `${path("bars")}/nosc/scale` });
    assert.equal(
      none.object["message"],
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    );
  });

  test("take no strategic patch", async () => {
    const answer = await server.ask({
      method: "PATCH",
      path: `${path("bars")}/sc`,
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: {},
    });
    assert.equal(answer.code, 415);
    assert.match(
      answer.message,
      /application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml$/,
    );
  });

  test("print their columns and are selected by their fields", async () => {
    await bar("col", { req: "column" });
    await server.ask({
      method: "PATCH",
      path: `${path("bars")}/col/status`,
      headers: merge,
      body: { status: { conditions: [{ type: "Ready", status: "True" }] } },
    });
    const table = await server.ask({
      path: `${path("bars")}?fieldSelector=spec.req=column`,
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    assert.deepEqual(
      (table.object["rows"] as readonly JsonObject[]).map(({ cells }) => cells),
      [["col", "column", "True"]],
    );
    const refused = await server.ask({ path: `${path("bars")}?fieldSelector=spec.zz=1` });
    assert.equal(refused.object["message"], "field label not supported: spec.zz");
  });

  test("are applied from the server side, with conflicts and without defaults in their field sets", async () => {
    const apply = (manager: string, spec: JsonObject, force = false): Promise<Answer> =>
      server.ask({
        method: "PATCH",
        path: `${path("bars")}/ssa?fieldManager=${manager}${force ? "&force=true" : ""}`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: object("Bar", "ssa", { spec }) as JsonValue,
      });
    const created = await apply("m1", { req: "1", opt: "a" });
    assert.equal(created.code, 201, JSON.stringify(created.object));
    const fields = (created.object["metadata"] as JsonObject)["managedFields"] as readonly JsonObject[];
    assert.deepEqual(fields[0]?.["fieldsV1"], { "f:spec": { "f:opt": {}, "f:req": {} } });
    const conflict = await apply("m2", { req: "2" });
    assert.equal(conflict.object["message"], 'Apply failed with 1 conflict: conflict with "m1": .spec.req');
    const forced = await apply("m2", { req: "2" }, true);
    assertContains(forced.object, { spec: { req: "2", opt: "a", dft: "D" } });
    const dropped = await apply("m1", { req: "2" });
    assert.equal((dropped.object["spec"] as JsonObject)["opt"], undefined);
  });
});

describe("versions", () => {
  test("None conversion changes the apiVersion and nothing else", async () => {
    const definition = crd("convs", "Conv", { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const spec = definition["spec"] as { versions: JsonObject[] };
    const first = spec.versions[0]!;
    spec.versions.push({ ...first, name: "v2", storage: false, deprecated: true });
    assert.equal((await create(definition)).code, 201);
    await server.ask({
      method: "POST",
      path: path("convs"),
      body: object("Conv", "c", { spec: { a: 1 } }) as JsonValue,
    });
    const other = await server.ask({ path: `${path("convs", "v2")}/c` });
    assertContains(other.object, { apiVersion: "ex.io/v2", spec: { a: 1 } });
    assert.deepEqual(other.warnings, ["ex.io/v2 Conv is deprecated"]);
    const watch = await server.watch(`${path("convs", "v2")}?watch=true`);
    assert.equal((await watch.next())?.object.apiVersion, "ex.io/v2");
    watch.stop();
  });
});

test("a group that an unreachable server has is answered with a plain 503", async () => {
  await server.ask({
    method: "POST",
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    body: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1.far.io" },
      spec: {
        group: "far.io",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: "demo", name: "far" },
      },
    },
  });
  const answer = await server.ask({ path: "/apis/far.io/v1/namespaces/demo/things" });
  assert.equal(answer.code, 503);
  assert.equal(answer.text, "service unavailable\n");
});
