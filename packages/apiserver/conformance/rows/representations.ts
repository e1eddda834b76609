import assert from "node:assert/strict";
import type { RequestRow, Row, StoryRow } from "../row.ts";
import { assertContains } from "../row.ts";
import { text } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";
const produced = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const streamed = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Row, Accept, path below the namespace's ConfigMaps, code, kind or message. */
const accepts: readonly (readonly [number, string, string, number, string])[] = [
  [18, "application/*", "/a", 406, `406: Not Acceptable\n\nAvailable representations: ${produced}`],
  [17, "application/JSON", "/a", 406, `406: Not Acceptable\n\nAvailable representations: ${produced}`],
  [17, "text/html", "", 406, `406: Not Acceptable\n\nAvailable representations: ${produced}, ${streamed}`],
  [17, "text/html", "/missing", 406, `406: Not Acceptable\n\nAvailable representations: ${produced}`],
  [17, "application/json;v=v1;g=meta.k8s.io", "/a", 406, `only the following media types are accepted: ${produced}`],
  [
    20,
    "application/json;as=Foo;v=v1;g=meta.k8s.io",
    "/a",
    406,
    `only the following media types are accepted: ${produced}`,
  ],
  [20, "text/html,application/xhtml+xml,*/*;q=0.8", "/a", 200, "ConfigMap"],
  [20, "application/json;q=0.1,*/*;q=0.9", "/a", 200, "ConfigMap"],
  [20, "application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "/a", 200, "ConfigMap"],
  [35, "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", "/a", 200, "PartialObjectMetadata"],
];

const acceptRows = accepts.map(([row, accept, below, code, said]): RequestRow => ({
  row,
  name: `Accept ${accept} of ${below === "" ? "a list" : below} is ${code}`,
  ask: { path: `${cms}${below}`, headers: { accept } },
  code,
  ...(code === 200 ? { contains: { kind: said } } : { message: said, reason: "NotAcceptable" }),
}));

const yes = { code: 200 } as const;

const shaped: readonly RequestRow[] = [
  {
    row: 31,
    name: "a deletecollection can return a Table",
    ask: { method: "DELETE", path: `${cms}?dryRun=All&fieldSelector=metadata.name=a`, headers: { accept: table } },
    ...yes,
    contains: { kind: "Table", apiVersion: "meta.k8s.io/v1" },
  },
  {
    row: 31,
    name: "the Status of a deletion is not converted to a Table",
    ask: { method: "DELETE", path: `${cms}/a?dryRun=All`, headers: { accept: table } },
    ...yes,
    contains: { kind: "Status", status: "Success" },
  },
  {
    row: 31,
    name: "reviews cannot be converted to Tables",
    ask: {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      headers: { accept: table },
      body: { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } },
    },
    code: 406,
    message: `only the following media types are accepted: ${produced}`,
  },
];

/** Invalid `continue` parameters. */
const tokens: readonly (readonly [string, string, string])[] = [
  ["no base64", "!!!", "illegal base64 data at input byte 0"],
  ["padding", "e30=", "illegal base64 data at input byte 3"],
  ["no JSON", "abc", "invalid character 'i' looking for beginning of value"],
  ["no version", "e30", "server does not recognize this encoded version "],
  ["another version", token("meta.k8s.io/v2", 1, "a"), "server does not recognize this encoded version meta.k8s.io/v2"],
  [
    "revision 0",
    token("meta.k8s.io/v1", 0, "a\u0000"),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  ["no start", token("meta.k8s.io/v1", 1, ""), "encoded start key empty (version meta.k8s.io/v1)"],
  ["a start outside the list", token("meta.k8s.io/v1", -1, "../a"), "../a"],
];

function token(v: string, rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v, rv, start })).toString("base64url");
}

const tokenRows = tokens.flatMap(([name, value, why]): readonly RequestRow[] =>
  (["GET", "DELETE"] as const).map((method) => ({
    row: 101,
    name: `a continue token with ${name} is refused by ${method === "GET" ? "a list" : "a deletecollection"}`,
    ask: { method, path: `${cms}?continue=${value}${method === "DELETE" ? "&dryRun=All" : ""}` },
    code: 400,
    message: `invalid continue token: continue key is not valid: ${why}`,
  })),
);

const options: readonly RequestRow[] = [
  {
    row: 103,
    name: "several invalid options of a list are reported together",
    ask: { path: `${cms}?resourceVersionMatch=Foo&sendInitialEvents=true` },
    code: 422,
    message:
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", "", sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]',
  },
  {
    row: 105,
    name: "a deletecollection supports resourceVersion",
    ask: { method: "DELETE", path: `${cms}?dryRun=All&resourceVersion=abc` },
    code: 400,
    message:
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    row: 108,
    name: "values of a set are reported in sorted order",
    ask: { path: `${cms}?labelSelector=app%20notin%20(x,-y)` },
    code: 400,
    message:
      'unable to parse requirement: values[0][app]: Invalid value: "-y": a valid label must be an empty string or consist of…',
  },
  {
    row: 109,
    name: "namespaces have no field metadata.namespace",
    ask: { path: "/api/v1/namespaces?fieldSelector=metadata.namespace=x" },
    code: 400,
    message: "field label not supported: metadata.namespace",
  },
  {
    row: 209,
    name: "resourceVersion in the query of a delete is a precondition",
    ask: { method: "DELETE", path: `${cms}/a?resourceVersion=1` },
    code: 409,
    message:
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match…',
  },
  {
    row: 28,
    name: "a body of another kind of the same version cannot be converted",
    ask: { method: "POST", path: cms, body: { apiVersion: "v1", kind: "ConfigMapList", items: [] } },
    code: 400,
    message:
      'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
  },
];

const stories: readonly StoryRow[] = [
  {
    row: 46,
    name: "OpenAPI 2 is served as JSON with the schemas of version 3",
    async run(scene) {
      const answer = await scene.ask({ path: "/openapi/v2" });
      assert.equal(answer.code, 200);
      assertContains(answer.object, {
        swagger: "2.0",
        definitions: { "io.k8s.api.core.v1.Container": { type: "object", required: ["name"] } },
      });
    },
  },
  {
    row: 46,
    name: "schemas of built-in kinds have list types and merge keys",
    async run(scene) {
      const { object } = await scene.ask({ path: "/openapi/v3/api/v1" });
      assertContains(object, {
        components: {
          schemas: {
            "io.k8s.api.core.v1.PodSpec": {
              required: ["containers"],
              properties: {
                containers: {
                  type: "array",
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"],
                  "x-kubernetes-patch-merge-key": "name",
                  "x-kubernetes-patch-strategy": "merge",
                },
                restartPolicy: { enum: ["Always", "Never", "OnFailure"] },
              },
            },
          },
        },
      });
    },
  },
  {
    row: 76,
    name: "an update cannot set the generation of a ConfigMap",
    async run(scene) {
      await scene.make("g", { metadata: { generation: 77 } });
      const answer = await scene.ask({
        method: "PATCH",
        path: `${scene.cms}/g`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { generation: 50 }, data: { x: "y" } },
      });
      assert.equal(answer.code, 200);
      assertContains(answer.object, { metadata: { generation: 77 } });
    },
  },
  {
    row: 131,
    name: "the last event of an object has its former finalizers",
    async run(scene) {
      await scene.make("held", { metadata: { finalizers: ["example.com/f"] } });
      const path = `${scene.cms}/held`;
      const { object } = await scene.ask({ method: "DELETE", path });
      const since = text(object, "metadata", "resourceVersion");
      const watch = await scene.watch(
        `${scene.cms}?watch=true&resourceVersion=${since}&fieldSelector=metadata.name=held`,
      );
      await scene.ask({
        method: "PATCH",
        path,
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { finalizers: null } },
      });
      const event = await watch.next();
      assert.equal(event?.type, "DELETED");
      assert.deepEqual(event.object.metadata.finalizers, ["example.com/f"]);
    },
  },
  {
    row: 120,
    name: "the bookmark of a Table watch is a Table",
    async run(scene) {
      const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const path = `${scene.cms}?${query}&fieldSelector=metadata.name=none`;
      const watch = await scene.watch(path, { accept: table });
      const event = await watch.next();
      assert.equal(event?.type, "BOOKMARK");
      assert.equal(event.object.kind, "Table");
    },
  },
];

/** Content negotiation, and further details of list, delete and watch. */
export const representationRows: readonly Row[] = [...acceptRows, ...shaped, ...tokenRows, ...options, ...stories];
