import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type AnswerForm, packageRequest, type PackageResource, resourceOf } from "./package-request.ts";

const root = "/apis/packages.operators.coreos.com/v1";
const resource = (method: string, path: string, query = ""): PackageResource | undefined =>
  resourceOf(method, `${root}${path}`, new URLSearchParams(query));
const requested = (query: string, accept = "application/json", of: PackageResource = { verb: "list" }): unknown => {
  const asked = packageRequest(of, new URLSearchParams(query), accept);
  return asked.ok ? asked.value : `${asked.problem.code} ${asked.problem.reason} ${asked.problem.message}`;
};

suite("requests for PackageManifests", () => {
  test("paths name a verb, a namespace, a name and a subresource", () => {
    assert.deepEqual(
      [
        resource("GET", "/packagemanifests"),
        resource("GET", "/namespaces/n/packagemanifests"),
        resource("GET", "/namespaces/n/packagemanifests", "watch=1"),
        resource("GET", "/namespaces/n/packagemanifests/p"),
        resource("HEAD", "/namespaces/n/packagemanifests/p/icon"),
        resource("DELETE", "/namespaces/n/packagemanifests/p"),
        resource("DELETE", "/namespaces/n/packagemanifests"),
        resource("POST", "/namespaces/n/packagemanifests"),
        resource("PUT", "/namespaces/n/packagemanifests/p"),
        resource("PATCH", "/namespaces/n/packagemanifests/p"),
        resource("HEAD", "/packagemanifests", "watch=true"),
        resource("GET", "/packagemanifests", "watch=yes"),
      ],
      [
        { verb: "list" },
        { verb: "list", namespace: "n" },
        { verb: "watch", namespace: "n" },
        { verb: "get", namespace: "n", name: "p" },
        { verb: "get", namespace: "n", name: "p", subresource: "icon" },
        { verb: "delete", namespace: "n", name: "p" },
        { verb: "deletecollection", namespace: "n" },
        { verb: "create", namespace: "n" },
        { verb: "update", namespace: "n", name: "p" },
        { verb: "patch", namespace: "n", name: "p" },
        { verb: "watch" },
        { verb: "list" },
      ],
    );
  });

  test("all other paths name no resource", () => {
    for (const path of [
      "",
      "/",
      "/other",
      "/namespaces/n/other",
      "/namespaces//packagemanifests",
      "/namespaces/n/packagemanifests/",
      "/namespaces/n/packagemanifests/p/status",
      "/namespaces/n/packagemanifests/p/icon/x",
    ])
      assert.equal(resource("GET", path), undefined, path);
    assert.equal(resourceOf("GET", "/apis/other/v1/packagemanifests", new URLSearchParams()), undefined);
  });

  test("only reads are served", () => {
    assert.deepEqual(
      ["watch", "create", "delete"].map((verb) => requested("", "application/json", { verb })),
      [
        '405 MethodNotAllowed watch is not supported on resources of kind "packagemanifests.packages.operators.coreos.com"',
        "405 MethodNotAllowed the server does not allow this method on the requested resource",
        "405 MethodNotAllowed the server does not allow this method on the requested resource",
      ],
    );
  });

  test("an exact name counts and whatever stands beside it does not; without a name a field selector is refused", () => {
    const form: AnswerForm = { kind: "objects" };
    assert.deepEqual(
      [
        requested("fieldSelector=metadata.name=a,spec.x=b"),
        requested("fieldSelector=metadata.namespace=b"),
        requested("fieldSelector=metadata.name!=a"),
        requested("fieldSelector=metadata.namespace=b,metadata.name!=a"),
        requested("fieldSelector=metadata.name!=a,metadata.namespace=b"),
        requested("fieldSelector=metadata.name=a,metadata.namespace=b"),
        requested("fieldSelector=x"),
        requested("labelSelector=a,,"),
        requested("limit=1&continue=x"),
      ],
      [
        '400 BadRequest "spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        "500  field label not supported: metadata.namespace",
        "500  field label not supported: metadata.name",
        "500  field label not supported: metadata.name",
        "500  field label not supported: metadata.name",
        { kind: "list", labels: [], name: "a", form },
        "400 BadRequest invalid selector: 'x'; can't understand 'x'",
        "400 BadRequest found ',', expected: identifier after ','",
        { kind: "list", labels: [], form },
      ],
    );
  });

  test("the first form of the Accept header that is served counts", () => {
    const formOf = (accept: string, query = ""): unknown => {
      const asked = requested(query, accept, { verb: "get", namespace: "n", name: "p" });
      return typeof asked === "object" && asked !== null && "form" in asked ? asked.form : asked;
    };
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    assert.deepEqual(
      [
        formOf(""),
        formOf("application/vnd.kubernetes.protobuf, application/json"),
        formOf("*/*"),
        formOf(table),
        formOf(table, "includeObject=Object"),
        formOf("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
        formOf("application/json;as=Other,application/json"),
        formOf("application/yaml"),
      ],
      [
        { kind: "objects" },
        { kind: "objects" },
        { kind: "objects" },
        { kind: "table", include: "Metadata" },
        { kind: "table", include: "Object" },
        { kind: "metadata" },
        { kind: "objects" },
        "406 NotAcceptable 406: Not Acceptable\n\nAvailable representations: application/json",
      ],
    );
  });
});
