import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { rawExchange } from "../raw-exchange.ts";
import type { RawOptions } from "../raw-exchange.ts";
import type { Expectation, Row } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at } from "../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";
const json = { "content-type": "application/json" };
const yaml = { "content-type": "application/yaml" };

const unrouted = { code: 404, message: "the server could not find the requested resource", reason: "NotFound" };
const noPage = { code: 404, text: "404 page not found\n" };
const badName = (name: string, why: string): Expectation => ({
  code: 400,
  reason: "BadRequest",
  message: `Name parameter invalid: "${name}": ${why}`,
});
const badRequest = (message: string): Expectation => ({ code: 400, reason: "BadRequest", message });
const fine = { code: 200 };

function gets(row: number, table: readonly (readonly [path: string, expected: Expectation])[]): readonly Row[] {
  return table.map(([path, expected]) => ({ row, name: `GET ${path.slice(0, 80)}`, ask: { path }, ...expected }));
}

/** Paths that do not exist, or are interpreted differently than they look. */
export const pathRows: readonly Row[] = gets(41, [
  ["/api/v1/namespaces/%", { code: 400, text: "400 Bad Request" }],
  ["/api/v1/%4", { code: 400, text: "400 Bad Request" }],
  ["/api/v1/namespaces/{ns}%2Fconfigmaps", { code: 200, contains: { kind: "ConfigMapList" } }],
  [`${cms}/a%2Fb`, unrouted],
  ["/%61pi/v1/namespaces/{ns}", { code: 200, contains: { kind: "Namespace" } }],
  ["//api/v1/namespaces", noPage],
  ["/api//v1/namespaces", unrouted],
  ["/api/v1//namespaces", unrouted],
  ["/api/v1/namespaces//{ns}", unrouted],
  ["/api/v1/namespaces//configmaps", { code: 200, contains: { kind: "ConfigMapList" } }],
  ["/apis/apps//v1/deployments", unrouted],
  ["/apis//apps/v1/deployments", noPage],
  ["/apis/nope/v1//foos", noPage],
  ["/api/v1/namespaces/{ns}//", { code: 200, contains: { kind: "Namespace" } }],
  [`${cms}/%2e%2e`, badName("..", "may not be '..'")],
  [`${cms}/%2e`, badName(".", "may not be '.'")],
  [`${cms}/a%25b`, badName("a%b", "may not contain '%'")],
  ["/api/v1/namespaces/%2e%2e/configmaps", { code: 500, message: 'invalid key: "/configmaps/.."' }],
  [`${cms}/a%20b`, { code: 404, message: 'configmaps "a b" not found' }],
  [`${cms}/__proto__`, { code: 404, message: 'configmaps "__proto__" not found' }],
  ["/api/v1/__proto__", unrouted],
  ["/api/v1/constructor", unrouted],
  ["/apis/__proto__/v1/x", noPage],
  ["/apis/apps/constructor/deployments", unrouted],
  [`${cms}/a/__proto__`, unrouted],
  ["/__proto__", noPage],
  [
    "/api/v1/watch",
    {
      code: 500,
      text: 'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
    },
  ],
  [`/api/v1/namespaces/${"a".repeat(10_000)}`, { code: 404, reason: "NotFound" }],
  [`/api/v1/${"a/".repeat(3000)}`, unrouted],
]);

const parse = (name: string, text: string, why: string): string => `strconv.${name}: parsing "${text}": ${why}`;
const huge = "99999999999999999999";
const timeout = (why: string): Expectation => badRequest(`invalid timeout specified in the request URL - time: ${why}`);

/** Queries that are invalid, and queries that only look so. */
export const queryRows: readonly Row[] = gets(41, [
  [`${cms}?__proto__=1&constructor=2`, fine],
  [`${cms}?export=true`, fine],
  [`${cms}?limit=abc`, badRequest(parse("ParseInt", "abc", "invalid syntax"))],
  [`${cms}?limit=`, badRequest(parse("ParseInt", "", "invalid syntax"))],
  [`${cms}?limit=0x10`, badRequest(parse("ParseInt", "0x10", "invalid syntax"))],
  [`${cms}?limit=${huge}`, badRequest(parse("ParseInt", huge, "value out of range"))],
  [`${cms}?watch=true&timeoutSeconds=${huge}`, badRequest(parse("ParseInt", huge, "value out of range"))],
  [
    `${cms}?resourceVersion=${huge}`,
    badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${huge}": ${parse("ParseUint", huge, "value out of range")}`,
    ),
  ],
  [`${cms}?timeout=1e9h`, timeout('unknown unit "e" in duration "1e9h"')],
  [`${cms}?timeout=5`, timeout('missing unit in duration "5"')],
  [`${cms}?timeout=10000000h`, timeout('invalid duration "10000000h"')],
  [`${cms}?timeout=${"1".repeat(5000)}`, timeout(`invalid duration "${"1".repeat(5000)}"`)],
  [`${cms}?labelSelector=${"a%3Db%2C".repeat(1000)}a%3Db`, fine],
  [`${cms}?labelSelector=__proto__`, { code: 400 }],
  [`${cms}?labelSelector=constructor%3Dx`, fine],
  [`${cms}?fieldSelector=__proto__%3Dx`, { code: 400, reason: "BadRequest" }],
  [`${cms}?fieldSelector=metadata.name%3D..`, fine],
]);

function posts(
  row: number,
  table: readonly (readonly [
    name: string,
    body: string,
    expected: Expectation,
    headers?: Readonly<Record<string, string>>,
  ])[],
): readonly Row[] {
  return table.map(([name, body, expected, headers = json]) => ({
    row,
    name: `POST ${name}`,
    ask: { method: "POST", path: `${cms}?dryRun=All`, body, headers },
    ...expected,
  }));
}

const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

const laughs = [
  `a: &a [${'"lol",'.repeat(9)}]`,
  ..."bcdefghi".split("").map(
    (name, index) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${"abcdefgh"[index] ?? ""}`)
        .join(",")}]`,
  ),
  "metadata: {name: x}",
].join("\n");

/** Bodies that are not objects, or with names of Object.prototype members. */
export const hostileBodyRows: readonly Row[] = [
  ...posts(27, [
    ["unclosed nesting", "[".repeat(200_000), { code: 400, reason: "BadRequest" }],
    ["two objects", '{"metadata":{"name":"x"}}{"metadata":{"name":"x"}}', { code: 400, reason: "BadRequest" }],
    ["an array", "[]", { code: 400, reason: "BadRequest" }],
    ["nesting in YAML", `metadata: {name: x}\nzz: ${"[".repeat(100_000)}\n`, { code: 400, reason: "BadRequest" }, yaml],
    ["a YAML alias bomb", laughs, { code: 400, reason: "BadRequest" }, yaml],
    ["a recursive YAML alias", "metadata: {name: x}\ndata: &a {b: *a}\n", { code: 400, reason: "BadRequest" }, yaml],
    [
      "a control character in YAML",
      'metadata: {name: x}\ndata: {a: "\u0001"}\n',
      { code: 400, reason: "BadRequest" },
      yaml,
    ],
    ["a value above one megabyte", `{"metadata":{"name":"x"},"data":{"a":"${"b".repeat(1_048_577)}"}}`, { code: 422 }],
    ["a compressed body", "\u001f\u008b", { code: 400, reason: "BadRequest" }, { ...json, "content-encoding": "gzip" }],
  ]),
  ...prototypeNames.flatMap((name) =>
    posts(83, [
      [
        `${name} as a key of data`,
        `{"metadata":{"name":"x"},"data":{"${name}":"v"}}`,
        { code: 201, contains: { data: JSON.parse(`{"${name}":"v"}`) as JsonObject } },
      ],
      [
        `${name} as a label`,
        `{"metadata":{"name":"x","labels":{"${name}":"v"}}}`,
        name === "__proto__"
          ? { code: 422 }
          : { code: 201, contains: { metadata: { labels: JSON.parse(`{"${name}":"v"}`) as JsonObject } } },
      ],
      [
        `${name} as a field`,
        `{"metadata":{"name":"x"},"${name}":{"polluted":1}}`,
        { code: 201, warnings: [`unknown field "${name}"`] },
      ],
      [`${name} as a kind`, `{"kind":"${name}","apiVersion":"v1","metadata":{"name":"x"}}`, { code: 400 }],
    ]),
  ),
];

const patchRefused: Expectation = {
  code: 422,
  reason: "Invalid",
  message: "the server rejected our request due to an error in our request",
};

function jsonPatches(
  table: readonly (readonly [name: string, operations: JsonValue, expected: Expectation])[],
): readonly Row[] {
  return table.map(([name, body, expected]) => ({
    row: 145,
    name: `JSON patch: ${name}`,
    ask: {
      method: "PATCH",
      path: `${cms}/a?dryRun=All`,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json-patch+json" },
    },
    ...expected,
  }));
}

const tests = (count: number): JsonValue => Array(count).fill({ op: "test", path: "/data/k", value: "v" }) as JsonValue;

export const hostilePatchRows: readonly Row[] = jsonPatches([
  ["a move into itself", [{ op: "move", from: "/data", path: "/data/k/x" }], patchRefused],
  ["moving the whole document into a part", [{ op: "move", from: "", path: "/data/k" }], patchRefused],
  ["10,000 operations", tests(10_000), { code: 200 }],
  [
    "10,001 operations",
    tests(10_001),
    {
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    },
  ],
  ["below __proto__", [{ op: "add", path: "/__proto__/polluted", value: "x" }], patchRefused],
  ["below constructor", [{ op: "add", path: "/constructor/prototype/polluted", value: "x" }], patchRefused],
  [
    "a key __proto__",
    [{ op: "add", path: "/data/__proto__", value: "x" }],
    { code: 200, contains: { data: JSON.parse('{"__proto__":"x"}') as JsonObject } },
  ],
  ["a test of toString", [{ op: "test", path: "/data/toString", value: "x" }], patchRefused],
  [
    "an index far beyond the end",
    [
      { op: "add", path: "/metadata/finalizers", value: ["a.b/c"] },
      { op: "add", path: "/metadata/finalizers/1000000000", value: "x" },
    ],
    patchRefused,
  ],
  ["an index beyond 64 bits", [{ op: "add", path: `/metadata/finalizers/${huge}`, value: "x" }], patchRefused],
]);

interface RawRow extends RawOptions {
  readonly name: string;
  readonly send: readonly (string | Buffer)[];
  /** Prefix of the status line. */
  readonly status: string;
  readonly body?: string | RegExp;
}

const lines = (...head: readonly string[]): string => `${head.join("\r\n")}\r\n\r\n`;
const methodRefused = /"reason":"MethodNotAllowed"/;
const tooLarge = /"message":"Request entity too large: limit is 3145728"/;

const rawTable: readonly RawRow[] = [
  {
    name: "plain HTTP gets an error about HTTPS",
    plain: true,
    send: [lines("GET /version HTTP/1.1", "Host: x")],
    status: "HTTP/1.0 400 Bad Request",
    body: "Client sent an HTTP request to an HTTPS server.\n",
  },
  {
    name: "an unknown method",
    send: [lines("FROB /api/v1/namespaces HTTP/1.1", "Host: x", "{auth}Connection: close")],
    status: "HTTP/1.1 405 ",
    body: methodRefused,
  },
  {
    name: "CONNECT",
    send: [lines("CONNECT /api/v1/namespaces HTTP/1.1", "Host: x", "{auth}Connection: close")],
    status: "HTTP/1.1 405 ",
    body: methodRefused,
  },
  {
    name: "OPTIONS * gets an empty response",
    send: [lines("OPTIONS * HTTP/1.1", "Host: x", "{auth}Connection: close")],
    status: "HTTP/1.1 200 OK",
    body: "",
  },
  {
    name: "a path with a control character",
    send: [lines("GET /api/\u0001 HTTP/1.1", "Host: x", "Connection: close")],
    status: "HTTP/1.1 400 Bad Request",
    body: "400 Bad Request",
  },
  {
    name: "no Host",
    send: [lines("GET /version HTTP/1.1", "Connection: close")],
    status: "HTTP/1.1 400 Bad Request: missing required Host header",
    body: "400 Bad Request: missing required Host header",
  },
  {
    name: "an invalid Host",
    send: [lines("GET /version HTTP/1.1", "Host: a b/c", "Connection: close")],
    status: "HTTP/1.1 400 Bad Request: malformed Host header",
  },
  {
    name: "two Hosts",
    send: [lines("GET /version HTTP/1.1", "Host: a", "Host: b", "Connection: close")],
    status: "HTTP/1.1 400 Bad Request",
  },
  {
    name: "an HTTP/2.0 request line",
    send: [lines("GET /version HTTP/2.0", "Host: x")],
    status: "HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version",
  },
  {
    name: "HTTP/1.0 without Host is served",
    send: [lines("GET /version HTTP/1.0", "{auth}X-A: b")],
    status: "HTTP/1.",
    body: /"gitVersion": ?"v1\.36\.3"/,
  },
  {
    name: "an absolute request target",
    send: [lines("GET http://other/version HTTP/1.1", "Host: x", "{auth}Connection: close")],
    status: "HTTP/1.1 200 OK",
    body: /"gitVersion": ?"v1\.36\.3"/,
  },
  ...["labelSelector=%zz", "limit=1;watch=true", "limit=%", "&&&=&=x"].map((query) => ({
    name: `an invalid query that is ignored: ${query}`,
    send: [lines(`GET /api/v1/namespaces/default/configmaps?${query} HTTP/1.1`, "Host: x", "{auth}Connection: close")],
    status: "HTTP/1.1 200 OK",
    body: /"kind": ?"ConfigMapList"/,
  })),
  {
    name: "an unsupported transfer encoding",
    send: [lines("POST /version HTTP/1.1", "Host: x", "{auth}Transfer-Encoding: gzip, chunked"), "0\r\n\r\n"],
    status: "HTTP/1.1 501 Not Implemented",
    body: "Unsupported transfer encoding",
  },
  {
    name: "a header of 900 KiB is accepted",
    send: [lines("GET /version HTTP/1.1", "Host: x", `{auth}X-Long: ${"a".repeat(900 * 1024)}`, "Connection: close")],
    status: "HTTP/1.1 200 OK",
  },
  {
    name: "a header of 2 MiB is refused",
    send: [lines("GET /version HTTP/1.1", "Host: x", `X-Long: ${"a".repeat(2 * 1024 * 1024)}`, "Connection: close")],
    status: "HTTP/1.1 431 Request Header Fields Too Large",
    body: "431 Request Header Fields Too Large",
  },
  {
    name: "an unsupported expectation",
    send: [lines("GET /version HTTP/1.1", "Host: x", "{auth}Expect: something", "Connection: close")],
    status: "HTTP/1.1 417 ",
  },
  {
    name: "Expect: 100-continue is refused before the body",
    anonymous: true,
    send: [lines("POST /api/v1/namespaces HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 104857600")],
    status: "HTTP/1.1 403 Forbidden",
    body: /"reason":"Forbidden"/,
  },
  {
    name: "a body of 100 MB to an unknown path need not be sent",
    send: [lines("POST /nope HTTP/1.1", "Host: x", "{auth}Content-Length: 104857600"), "x".repeat(1000)],
    status: "HTTP/1.1 404 Not Found",
    body: "404 page not found\n",
  },
  {
    name: "an unused body is ignored",
    send: [lines("GET /version HTTP/1.1", "Host: x", "{auth}Content-Length: 104857600"), "x".repeat(1000)],
    status: "HTTP/1.1 200 OK",
  },
  {
    name: "a chunked body is refused at the size limit",
    send: [
      lines("POST /api/v1/namespaces HTTP/1.1", "Host: x", "{auth}Transfer-Encoding: chunked"),
      ...Array.from({ length: 48 }, () => `10000\r\n${"x".repeat(0x10000)}\r\n`),
      "1\r\nx\r\n0\r\n\r\n",
    ],
    status: "HTTP/1.1 413 Request Entity Too Large",
    body: tooLarge,
  },
];

export const rawRows: readonly Row[] = rawTable.map(({ name, send, status, body, ...options }) => ({
  row: 41,
  name,
  run: async (scene: Scene) => {
    const answer = await rawExchange(scene, send, options);
    assert.equal(answer.status.slice(0, status.length), status, `${answer.status} ${answer.body.slice(0, 500)}`);
    if (typeof body === "string") assert.equal(answer.body, body);
    else if (body !== undefined) assert.match(answer.body, body);
  },
}));

/** Names of Object.prototype members, in a definition and its objects. */
export const prototypeRows: readonly Row[] = [
  {
    row: 83,
    name: "properties of a definition may have the names of Object.prototype members",
    run: async (scene) => {
      const properties = JSON.parse(
        '{"constructor":{"type":"string"},"toString":{"type":"string","default":"here"},"__proto__":{"type":"object","properties":{"a":{"type":"string"}}}}',
      ) as JsonObject;
      const schema: JsonObject = {
        type: "object",
        properties: { spec: { type: "object", properties } },
      };
      const path = await scene.define(scene.definition("widgets", "Widget", schema));
      const body = JSON.stringify(scene.object("Widget", "w")).replace(
        /\}$/,
        ',"spec":{"constructor":"c","__proto__":{"a":"x","pruned":1},"valueOf":"pruned"}}',
      );
      const made = await scene.ok({ method: "POST", path, body, headers: json });
      const spec = Object.entries(at(made, "spec") as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(spec, [
        ["__proto__", { a: "x" }],
        ["constructor", "c"],
        ["toString", "here"],
      ]);
      const refused = await scene.ask({
        method: "POST",
        path,
        body: body.replace('"w"', '"w2"').replace('"constructor":"c"', '"constructor":1'),
        headers: json,
      });
      assert.equal(refused.code, 422, refused.text);
      assert.match(
        refused.message,
        /spec\.constructor: Invalid value: "integer": spec\.constructor in body must be of type string/,
      );
    },
  },
];
