import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Ask, TestServer } from "./testing/server.ts";
import { assertContains, configMap, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
const cms = "/api/v1/namespaces/demo/configmaps";
const json = { "content-type": "application/json" };
const anonymous = { name: "system:anonymous", groups: ["system:unauthenticated"] };

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  await server.ask({ method: "POST", path: cms, body: configMap("a", { data: { k: "v" } }) });
});

interface Row {
  readonly name: string;
  readonly ask: Ask;
  readonly code: number;
  /** The exact message; or how it starts, when it ends in `…`. */
  readonly message?: string;
  readonly reason?: string;
  readonly contains?: JsonObject;
  readonly warnings?: readonly string[];
  readonly text?: string;
}

function rows(title: string, table: readonly Row[]): void {
  describe(title, () => {
    for (const row of table)
      test(row.name, async () => {
        const told = await server.ask(row.ask);
        assert.equal(told.code, row.code, JSON.stringify(told.object) + told.text);
        const message = told.message;
        if (row.message?.endsWith("…") === true) assert.ok(message.startsWith(row.message.slice(0, -1)), message);
        else if (row.message !== undefined) assert.equal(message, row.message);
        if (row.reason !== undefined) assert.equal(told.object["reason"] ?? "", row.reason);
        if (row.contains !== undefined) assertContains(told.object as JsonValue, row.contains);
        if (row.warnings !== undefined) assert.deepEqual(told.warnings, row.warnings);
        if (row.text !== undefined) assert.equal(told.text, row.text);
      });
  });
}

const unrouted = { code: 404, message: "the server could not find the requested resource", contains: { details: {} } };
const wrongMethod = {
  code: 405,
  message: "the server does not allow this method on the requested resource",
  reason: "MethodNotAllowed",
};

rows("paths and discovery", [
  {
    name: "the version is told to anybody",
    ask: { path: "/version", user: anonymous },
    code: 200,
    contains: { gitVersion: "v1.36.3" },
  },
  { name: "health is told to anybody", ask: { path: "/readyz", user: anonymous }, code: 200, text: "ok" },
  {
    name: "discovery is refused to anonymous callers by path",
    ask: { path: "/api", user: anonymous },
    code: 403,
    message: 'forbidden: User "system:anonymous" cannot get path "/api"',
  },
  {
    name: "unauthorised callers get 403, not 404, for unknown resources",
    ask: { path: "/api/v1/nope", user: anonymous },
    code: 403,
    message:
      'nope is forbidden: User "system:anonymous" cannot list resource "nope" in API group "" at the cluster scope',
  },
  { name: "an unknown path is a plain 404", ask: { path: "/nope" }, code: 404, text: "404 page not found\n" },
  { name: "an unknown group is a plain 404", ask: { path: "/apis/nope" }, code: 404, text: "404 page not found\n" },
  { name: "an unknown core resource is a Status", ask: { path: "/api/v1/nope" }, ...unrouted },
  { name: "an unknown version is a Status", ask: { path: "/apis/apps/v9/deployments" }, ...unrouted },
  { name: "a namespaced name without a namespace leads nowhere", ask: { path: "/api/v1/configmaps/a" }, ...unrouted },
  {
    name: "a cluster-scoped kind within a namespace leads nowhere",
    ask: { path: "/api/v1/namespaces/demo/nodes" },
    ...unrouted,
  },
  { name: "POST to a name is no method", ask: { method: "POST", path: `${cms}/a`, body: {} }, ...wrongMethod },
  { name: "PUT to a collection is no method", ask: { method: "PUT", path: cms, body: {} }, ...wrongMethod },
  { name: "PATCH to a collection is no method", ask: { method: "PATCH", path: cms, body: {} }, ...wrongMethod },
  {
    name: "namespaces are not deleted together",
    ask: { method: "DELETE", path: "/api/v1/namespaces" },
    ...wrongMethod,
  },
  {
    name: "a broken timeout is a bad request",
    ask: { path: `${cms}?timeout=abc` },
    code: 400,
    message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
  },
  { name: "percent-encoding that means nothing is a bad request", ask: { path: "/api/v1/namespaces/%zz" }, code: 400 },
  {
    name: "the aggregated form exists on /api and /apis only",
    ask: {
      path: "/apis/apps/v1",
      headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    },
    code: 406,
    message:
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
]);

describe("discovery", () => {
  test("the core list tells short names and storage hash of config maps", async () => {
    const { object } = await server.ask({ path: "/api/v1" });
    const entry = (object["resources"] as readonly JsonObject[]).find(({ name }) => name === "configmaps");
    assertContains(entry, { shortNames: ["cm"], storageVersionHash: "qFsyl6wFWjQ=", singularName: "configmap" });
  });

  test("the scale subresource of deployments is of another group", async () => {
    const { object } = await server.ask({ path: "/apis/apps/v1" });
    const entry = (object["resources"] as readonly JsonObject[]).find(({ name }) => name === "deployments/scale");
    assertContains(entry, { group: "autoscaling", version: "v1", kind: "Scale" });
  });

  test("the aggregated form carries a tag, and the tag saves sending it again", async () => {
    const accept =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    const first = await server.ask({ path: "/apis", headers: { accept } });
    assert.match(first.headers["content-type"] ?? "", /as=APIGroupDiscoveryList/);
    assert.equal(first.object["kind"], "APIGroupDiscoveryList");
    const again = await server.ask({
      path: "/apis",
      headers: { accept, "if-none-match": first.headers["etag"] ?? "" },
    });
    assert.equal(again.code, 304);
  });

  test("every group prefers one of its versions", async () => {
    const { object } = await server.ask({ path: "/apis" });
    for (const group of object["groups"] as readonly JsonObject[]) {
      const preferred = (group["preferredVersion"] as JsonObject)["version"];
      assert.ok((group["versions"] as readonly JsonObject[]).some(({ version }) => version === preferred));
    }
  });
});

rows("content negotiation", [
  {
    name: "nothing acceptable is refused with what is offered",
    ask: { path: `${cms}/a`, headers: { accept: "text/html" } },
    code: 406,
    message:
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    reason: "NotAcceptable",
  },
  {
    name: "application/* alone is refused",
    ask: { path: `${cms}/a`, headers: { accept: "application/*" } },
    code: 406,
  },
  {
    name: "a Go client that prefers protobuf gets JSON",
    ask: { path: `${cms}/a`, headers: { accept: "application/vnd.kubernetes.protobuf,application/json" } },
    code: 200,
  },
  {
    name: "a controller-runtime client gets JSON",
    ask: { path: `${cms}/a`, headers: { accept: "application/vnd.kubernetes.protobuf, */*" } },
    code: 200,
  },
  {
    name: "an unknown content type is refused with what is accepted",
    ask: { method: "POST", path: cms, body: "x", headers: { "content-type": "text/plain" } },
    code: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
  {
    name: "a PATCH needs a patch type",
    ask: { method: "PATCH", path: `${cms}/a`, body: "{}", headers: json },
    code: 415,
    message: "415: Unsupported Media Type",
  },
  {
    name: "a Table holds the metadata of its row",
    ask: { path: `${cms}/a`, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
    code: 200,
    contains: { kind: "Table", apiVersion: "meta.k8s.io/v1" },
  },
  {
    name: "an unknown includeObject is refused",
    ask: { path: `${cms}?includeObject=Bad`, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
    code: 400,
    message:
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Bad\": must be 'Metadata', 'Object', 'None', or empty",
  },
  {
    name: "metadata of one object alone",
    ask: { path: `${cms}/a`, headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } },
    code: 200,
    contains: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } },
  },
  {
    name: "a list is not one object's metadata",
    ask: { path: cms, headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } },
    code: 406,
    message: "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
  },
]);

rows("bodies", [
  {
    name: "a body without a content type is JSON",
    ask: { method: "POST", path: cms, body: JSON.stringify(configMap("no-type")) },
    code: 201,
  },
  {
    name: "a body may leave out what the path says",
    ask: { method: "POST", path: cms, body: '{"metadata":{"name":"bare"}}', headers: json },
    code: 201,
    contains: { kind: "ConfigMap", apiVersion: "v1" },
  },
  {
    name: "YAML's y is a boolean and no name",
    ask: {
      method: "POST",
      path: cms,
      body: "metadata:\n  name: y\n",
      headers: { "content-type": "application/yaml" },
    },
    code: 400,
    reason: "BadRequest",
  },
  {
    name: "half a body is named by its first bytes",
    ask: { method: "POST", path: cms, body: "{", headers: json },
    code: 400,
    message:
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
  },
  {
    name: "an empty body is named so",
    ask: { method: "POST", path: cms, body: "", headers: json },
    code: 400,
    message:
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
  },
  {
    name: "a Secret is no ConfigMap",
    ask: { method: "POST", path: cms, body: '{"kind":"Secret","apiVersion":"v1"}', headers: json },
    code: 400,
    message:
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    name: "a foreign namespace in the body is refused",
    ask: { method: "POST", path: cms, body: configMap("x", {}, "other") },
    code: 400,
    message: "the namespace of the provided object does not match the namespace sent on the request",
  },
  {
    name: "deep nesting is refused",
    ask: {
      method: "POST",
      path: cms,
      body: `{"metadata":{"name":"deep"},"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      headers: json,
    },
    code: 400,
  },
  {
    name: "4 MiB are refused",
    ask: { method: "POST", path: cms, body: "x".repeat(4 * 1024 * 1024), headers: json },
    code: 413,
    message: "Request entity too large: limit is 3145728",
  },
  {
    name: "prototype names are ordinary keys",
    ask: {
      method: "POST",
      path: cms,
      body: '{"metadata":{"name":"proto"},"data":{"__proto__":"x","constructor":"y"}}',
      headers: json,
    },
    code: 201,
  },
  {
    name: "Strict refuses unknown and doubled fields",
    ask: {
      method: "POST",
      path: `${cms}?fieldValidation=Strict`,
      body: '{"metadata":{"name":"s"},"data":{"a":"1","a":"2"},"bogus":1}',
      headers: json,
    },
    code: 400,
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus", duplicate field "data.a"',
  },
  {
    name: "Warn is the default and warns",
    ask: { method: "POST", path: cms, body: configMap("warned", { bogus: 1, Data: {} }) },
    code: 201,
    warnings: ['unknown field "bogus"', 'unknown field "Data"'],
  },
  {
    name: "Ignore is silent",
    ask: { method: "POST", path: `${cms}?fieldValidation=Ignore`, body: configMap("silent", { bogus: 1 }) },
    code: 201,
    warnings: [],
  },
  {
    name: "an unknown field validation is refused",
    ask: { method: "POST", path: `${cms}?fieldValidation=Foo`, body: configMap("f") },
    code: 422,
    message:
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
  },
]);

rows("names and metadata", [
  {
    name: "a name is required",
    ask: { method: "POST", path: cms, body: { metadata: {} } },
    code: 422,
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    name: "a name follows its rule",
    ask: { method: "POST", path: cms, body: configMap("A_b") },
    code: 422,
    reason: "Invalid",
    message: 'ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must…',
  },
  {
    name: "a name is taken once",
    ask: { method: "POST", path: cms, body: configMap("a") },
    code: 409,
    reason: "AlreadyExists",
    message: 'configmaps "a" already exists',
    contains: { details: { name: "a", kind: "configmaps" } },
  },
  {
    name: "a create carries no revision",
    ask: { method: "POST", path: cms, body: configMap("rv", { metadata: { resourceVersion: "5" } }) },
    code: 500,
    reason: "",
    message: "resourceVersion should not be set on objects to be created",
  },
  {
    name: "what is missing is named with its group",
    ask: { path: "/apis/apps/v1/namespaces/demo/deployments/missing" },
    code: 404,
    message: 'deployments.apps "missing" not found',
    contains: { details: { name: "missing", group: "apps", kind: "deployments" } },
  },
  {
    name: "a missing namespace takes nothing",
    ask: { method: "POST", path: "/api/v1/namespaces/nope/configmaps", body: configMap("a", {}, "nope") },
    code: 404,
    message: 'namespaces "nope" not found',
  },
  {
    name: "a list in a missing namespace is empty",
    ask: { path: "/api/v1/namespaces/nope/configmaps" },
    code: 200,
    contains: { items: [] },
  },
  {
    name: "a stale PUT is a conflict, even when it is invalid",
    ask: {
      method: "PUT",
      path: `${cms}/a`,
      body: configMap("a", { metadata: { resourceVersion: "1", labels: { "a b": "c" } } }),
    },
    code: 409,
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    name: "a revision that is no number is a 500 without a reason",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("a", { metadata: { resourceVersion: "abc" } }) },
    code: 500,
    reason: "",
    message: 'strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    name: "a PUT of another name is refused",
    ask: { method: "PUT", path: `${cms}/a`, body: configMap("b") },
    code: 400,
    message: "the name of the object (b) does not match the name on the URL (a)",
  },
  {
    name: "a PUT to nothing is a 404 for config maps",
    ask: { method: "PUT", path: `${cms}/nothing`, body: configMap("nothing") },
    code: 404,
  },
  {
    name: "a PUT to nothing makes a Role",
    ask: {
      method: "PUT",
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles/r",
      body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: [] },
    },
    code: 201,
  },
  {
    name: "a Lease is replaced with its revision only",
    ask: {
      method: "PUT",
      path: "/apis/coordination.k8s.io/v1/namespaces/demo/leases/l",
      body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} },
    },
    code: 201,
  },
  {
    name: "labels follow their syntax",
    ask: { method: "POST", path: cms, body: configMap("label", { metadata: { labels: { k: "x".repeat(64) } } }) },
    code: 422,
  },
  {
    name: "annotations have a size together",
    ask: {
      method: "POST",
      path: cms,
      body: configMap("notes", { metadata: { annotations: { k: "x".repeat(262_145) } } }),
    },
    code: 422,
    message: 'ConfigMap "notes" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
  },
  {
    name: "finalizers are qualified names",
    ask: { method: "POST", path: cms, body: configMap("fin", { metadata: { finalizers: ["nodomain"] } }) },
    code: 422,
    message:
      'ConfigMap "fin" is invalid: metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified',
  },
  {
    name: "an owner has a uid",
    ask: {
      method: "POST",
      path: cms,
      body: configMap("own", {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "" }] },
      }),
    },
    code: 422,
    message: 'ConfigMap "own" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  },
  {
    name: "default namespaces stay",
    ask: { method: "DELETE", path: "/api/v1/namespaces/default" },
    code: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  },
]);

describe("writes", () => {
  test("a generated name has five characters more than its base", async () => {
    const { object } = await server.ask({
      method: "POST",
      path: cms,
      body: { metadata: { generateName: "gen-" } },
    });
    assert.match((object["metadata"] as { name: string }).name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("a dry run stores nothing and shows no revision", async () => {
    const told = await server.ask({ method: "POST", path: `${cms}?dryRun=All`, body: configMap("dry") });
    assert.equal(told.code, 201);
    assertContains(told.object as JsonValue, { metadata: { name: "dry", resourceVersion: undefined as never } });
    assert.equal((await server.ask({ path: `${cms}/dry` })).code, 404);
  });

  test("a PUT that changes nothing keeps the revision", async () => {
    const created = await server.ask({ method: "POST", path: cms, body: configMap("same", { data: { a: "1" } }) });
    const again = await server.ask({ method: "PUT", path: `${cms}/same`, body: created.object as JsonValue });
    assert.deepEqual(again.object["metadata"], created.object["metadata"]);
  });

  test("a finalizer holds an object until it is taken away", async () => {
    const path = `${cms}/held`;
    await server.ask({ method: "POST", path: cms, body: configMap("held", { metadata: { finalizers: ["x.io/a"] } }) });
    const deleted = await server.ask({ method: "DELETE", path });
    assertContains(deleted.object as JsonValue, { metadata: { deletionGracePeriodSeconds: 0, name: "held" } });
    const added = await server.ask({
      method: "PATCH",
      path,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { finalizers: ["x.io/a", "x.io/b"] } },
    });
    assert.equal(added.code, 422);
    assert.match(added.message, /no new finalizers can be added if the object is being deleted/);
    const over = await server.ask({ method: "POST", path: cms, body: configMap("held") });
    assert.equal(over.object["message"], 'object is being deleted: configmaps "held" already exists');
    const freed = await server.ask({
      method: "PATCH",
      path,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { finalizers: null } },
    });
    assert.equal(freed.code, 200);
    assert.equal((await server.ask({ path })).code, 404);
  });

  test("a delete with another uid is a conflict about the Kind", async () => {
    await server.ask({ method: "POST", path: cms, body: configMap("uid") });
    const told = await server.ask({
      method: "DELETE",
      path: `${cms}/uid`,
      body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "zz" } },
    });
    assert.equal(told.code, 409);
    assert.match(told.message, /^Operation cannot be fulfilled on ConfigMap "uid": the UID in the/);
    assert.equal((told.object["details"] as JsonObject)["kind"], "ConfigMap");
  });

  test("two writers without a revision both succeed, with one stale revision one fails", async () => {
    await server.ask({ method: "POST", path: cms, body: configMap("race", { data: {} }) });
    const patch = (data: JsonObject): Promise<unknown> =>
      server.ask({
        method: "PATCH",
        path: `${cms}/race`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { data },
      });
    await Promise.all([patch({ a: "1" }), patch({ b: "2" }), patch({ c: "3" })]);
    const { object } = await server.ask({ path: `${cms}/race` });
    assert.deepEqual(object["data"], { a: "1", b: "2", c: "3" });
  });

  test("deleting a collection by label returns what it deleted", async () => {
    for (const name of ["c1", "c2"])
      await server.ask({ method: "POST", path: cms, body: configMap(name, { metadata: { labels: { set: "c" } } }) });
    const told = await server.ask({ method: "DELETE", path: `${cms}?labelSelector=set=c` });
    assert.equal((told.object["items"] as readonly JsonObject[]).length, 2);
    const left = await server.ask({ path: `${cms}?labelSelector=set=c` });
    assert.deepEqual(left.object["items"], []);
  });
});
