import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { TestServer, Answer } from "../../testing/server.ts";
import { testServer, withNamespace } from "../../testing/server.ts";

let server: TestServer;

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
});

const core = "/api/v1/namespaces/demo";

function apply(path: string, body: JsonValue, manager = "m1"): Promise<Answer> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  return server.ask({ method: "PATCH", path: `${core}/${path}?fieldManager=${manager}`, body, headers });
}

function fieldsOf({ object }: Answer): JsonValue | undefined {
  const metadata = member(object, "metadata");
  const entries: unknown = isJsonObject(metadata) ? member(metadata, "managedFields") : undefined;
  const [entry] = Array.isArray(entries) ? (entries as readonly JsonObject[]) : [];
  return entry === undefined ? undefined : member(entry, "fieldsV1");
}

describe("nulls in an apply", () => {
  test("a null is owned: an empty string in a map, absent for a map or a list", async () => {
    const answer = await apply("configmaps/nulls", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "nulls", labels: { l: null }, annotations: null },
      data: { a: null },
      binaryData: null,
    });
    assert.equal(answer.code, 201, answer.message);
    assert.deepEqual(member(answer.object, "data"), { a: "" });
    assert.equal(Object.hasOwn(answer.object, "binaryData"), false);
    assert.deepEqual(fieldsOf(answer), {
      "f:binaryData": {},
      "f:data": { "f:a": {} },
      "f:metadata": { "f:annotations": {}, "f:labels": { "f:l": {} } },
    });
  });
});

describe("an apply of what is there already", () => {
  const metadata = { name: "twice", finalizers: [] };
  const again = (manager: string): Promise<Answer> =>
    apply("configmaps/twice", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } }, manager);
  const version = ({ object }: Answer): unknown => {
    const held = member(object, "metadata");
    return isJsonObject(held) ? held["resourceVersion"] : undefined;
  };

  test("changes nothing as long as no other applier came later, else moves its entry behind that one", async () => {
    const first = await again("m1");
    server.clock.advance(2000);
    assert.equal(version(await again("m1")), version(first));
    const other = await again("m2");
    server.clock.advance(2000);
    assert.notEqual(version(await again("m1")), version(other));
    const last = await again("m2");
    server.clock.advance(2000);
    assert.equal(version(await again("m2")), version(last));
  });
});

describe("what no address can be given for", () => {
  const service = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec,
  });
  const post = (body: JsonValue, query = ""): Promise<Answer> =>
    server.ask({ method: "POST", path: `${core}/services${query}`, body });

  test("a Service without a name is refused by address allocation, and by validation in a dry run", async () => {
    const nameless = { spec: { ports: [{ port: 80 }] } };
    assert.match((await post(nameless)).message, /spec\.clusterIPs: Invalid value: \[""\]: failed to allocate IP: /u);
    assert.match((await post(nameless, "?dryRun=All")).message, /metadata\.name: Required value/u);
  });

  test("an allocation error is reported alone, with all errors of the requested values", async () => {
    const answer = await post(service("x", { clusterIP: "nonsense", ipFamilies: ["Foo"], sessionAffinity: "Foo" }));
    assert.match(answer.message, /spec\.ipFamilies\[0\]: Unsupported value: "Foo"/u);
    assert.match(answer.message, /spec\.clusterIPs\[0\]: Invalid value: "nonsense"/u);
    assert.doesNotMatch(answer.message, /spec\.ports|sessionAffinity/u);
  });

  test("a Service created through its status endpoint has its spec and no address", async () => {
    const answer = await apply("services/y/status", service("y", { ports: [{ port: 80 }] }));
    assert.equal(answer.code, 201, answer.message);
    const spec = member(answer.object, "spec");
    assert.equal(isJsonObject(spec) && Object.hasOwn(spec, "clusterIP"), false);
    assert.equal(isJsonObject(spec) && Object.hasOwn(spec, "ports"), true);
  });
});

describe("an apply to what is not there", () => {
  test("a uid is refused before an invalid resourceVersion", async () => {
    const metadata = { name: "none", uid: "1-2", resourceVersion: "abc" };
    const answer = await apply("configmaps/none", { apiVersion: "v1", kind: "ConfigMap", metadata });
    assert.equal(answer.code, 409);
    assert.match(
      answer.message,
      /uid mismatch: the provided object specified uid 1-2, and no existing object was found/u,
    );
  });
});

describe("values of another type", () => {
  test("an error of a type's own decoder is reported before all others", async () => {
    const answer = await server.ask({
      method: "POST",
      path: `${core}/events`,
      body: { metadata: { name: "e" }, action: 5, eventTime: 6, involvedObject: { namespace: "demo" } },
    });
    assert.match(answer.message, /cannot unmarshal number into Go struct field Event\.eventTime of type string/u);
  });
});
