import assert from "node:assert/strict";
import type { Expectation, Row } from "../../row.ts";
import { at } from "../../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";
const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const a = `${cms}/a`;

const badRequest = (message: string): Expectation => ({ code: 400, reason: "BadRequest", message });
const failed: Expectation = {
  code: 422,
  reason: "Invalid",
  message: "the server rejected our request due to an error in our request",
  contains: { details: {} },
};
const fine = (data: Readonly<Record<string, string>>): Expectation => ({ code: 200, contains: { data } });

function patches(
  row: number,
  type: "json-patch" | "merge-patch" | "strategic-merge-patch",
  table: readonly (readonly [body: string, expected: Expectation])[],
): readonly Row[] {
  const headers = { "content-type": `application/${type}+json` };
  return table.map(([body, expected]) => ({
    row,
    name: `${type} ${body.slice(0, 100)}`,
    ask: { method: "PATCH", path: a, body, headers },
    ...expected,
  }));
}

/** The result of a JSON patch depends on the notation of its values. */
const jsonPatches = patches(136, "json-patch", [
  ['[{"op":"test","path":"/data/k","value":"\\u0076"}]', failed],
  ['[{"op":"copy","from":"","path":"/data/x"}]', failed],
  ['[{"op":"replace","path":"","value":7}]', failed],
  ['[{"op":"add","path":"/data/x","value":"1","value":"2"}]', fine({ x: "2" })],
  ['[{"op":"remove","path":"/data/k","op":"add","value":"w"}]', fine({ k: "w" })],
  [
    '[{"op":"add","path":"/metadata/finalizers","value":["a.b/c"]},{"op":"add","path":"/metadata/finalizers/-0","value":"a.b/d"}]',
    {
      code: 200,
      contains: { metadata: { finalizers: ["a.b/d", "a.b/c"] } },
    },
  ],
  ['[{"op":"move","from":"/data","path":"/data/x"}]', failed],
  ["\ufeff[]", badRequest("error decoding patch: invalid character 'ï' looking for beginning of value")],
  ["nul", badRequest("error decoding patch: invalid character ' ' in literal null (expecting 'l')")],
  ['[{"op":"\\x"}]', badRequest("error decoding patch: invalid character 'x' in string escape code")],
]);

const strategicPatches = patches(146, "strategic-merge-patch", [
  ['{"metadata":{"$deleteFromPrimitiveList":["a"]}}', badRequest("invalid patch format of primitive list")],
  ['{"metadata":{"$setElementOrder":["a"]}}', badRequest("invalid patch format of setElementOrder list")],
  [
    '{"metadata":{"$setElementOrder/nope":["a"]}}',
    { code: 500, message: 'unable to find api field in struct ObjectMeta for the json field "nope"' },
  ],
  ['{"data":{"$setElementOrder/k":["a"]}}', { code: 500, message: "expected a []interface {}, but received a string" }],
  ['{"newtop":1,"k2":{"a":1}}', { code: 200, warnings: ['unknown field "k2"', 'unknown field "newtop"'] }],
]);

const mergePatches = patches(141, "merge-patch", [
  ['{"apiVersion":"/v1","data":{"x":"1"}}', fine({ k: "v", x: "1" })],
  ['{"data":{"x":"1","x":"2"}}', { code: 200, warnings: ['duplicate field "data.x"'], contains: { data: { x: "2" } } }],
]);

function lease(seconds: string): string {
  return `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"leaseDurationSeconds":${seconds}}}`;
}

const notInt32 = (literal: string): Expectation =>
  badRequest(
    `Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal number ${literal} into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32`,
  );

function configMap(rest: string, metadata = '{"name":"b"}'): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata}${rest}}`;
}

function creates(
  row: number,
  path: string,
  type: "json" | "yaml",
  table: readonly (readonly [body: string, expected: Expectation])[],
): readonly Row[] {
  const headers = { "content-type": `application/${type}` };
  return table.map(([body, expected]) => ({
    row,
    name: `POST ${type} ${body.replaceAll("\n", "|").slice(0, 160)}`,
    ask: { method: "POST", path, body, headers },
    ...expected,
  }));
}

/** Go accepts only digits as an integer. */
const numbers = creates(88, leases, "json", [
  [lease("15"), { code: 201 }],
  [lease("15.0"), notInt32("15.0")],
  [lease("1e1"), notInt32("1e1")],
  [lease("2147483648"), notInt32("2147483648")],
  [lease("12345678901234567890"), notInt32("12345678901234567890")],
]);

const texts = creates(89, cms, "json", [
  [
    configMap(',"data":{"a":1,"a":"2"}'),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    configMap(',"data":{"a":"1","a":"2"},"data":{"b":"1"}'),
    {
      code: 201,
      contains: { data: { a: "2", b: "1" } },
      warnings: ['duplicate field "data.a"', 'duplicate field "data"'],
    },
  ],
  [
    configMap(',"z":1,"y":{"q":1,"q":2},"y":2', '{"name":"b","b":1,"a":1,"b":2}'),
    {
      code: 201,
      warnings: ['unknown field "metadata.b"', 'unknown field "metadata.a"', 'unknown field "z"', 'unknown field "y"'],
    },
  ],
  [configMap(',"data":{"a":"\\ud83d x \\ude00 \\ud83d\\ude00"}'), { code: 201, contains: { data: { a: "� x � 😀" } } }],
  [configMap("").replace('"v1"', '"/v1"'), { code: 201 }],
  [
    configMap(',"data":{"a":"1"}').replace("ConfigMap", "Secret"),
    badRequest('Secret in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0'),
  ],
]);

const yamls = creates(90, cms, "yaml", [
  [
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\nzz: 1\naa: 2\n",
    {
      code: 201,
      warnings: ['unknown field "aa"', 'unknown field "zz"'],
    },
  ],
  [
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  a: b\ndata:\n  b: c\n",
    {
      code: 201,
      warnings: ['line 8: key "data" already set in map'],
    },
  ],
  ["%YAML 1.1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n", { code: 201 }],
  [
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: b\n",
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): yaml: line 4: found character that cannot start any token (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)",
    ),
  ],
  [
    "{apiVersion: v1",
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: did not find expected ',' or '}' ({apiVersion: v1)",
    ),
  ],
]);

/** Owners of unknown versions, and invalid entries. */
const owners: readonly Row[] = [
  {
    row: 197,
    name: "managed fields of an unknown version are dropped",
    run: async ({ ask, merge, ns }) => {
      const path = `/api/v1/namespaces/${ns}/configmaps/a`;
      const entry = { manager: "x", operation: "Update", apiVersion: "v9", fieldsType: "FieldsV1", fieldsV1: {} };
      await merge(path, { metadata: { managedFields: [entry] } });
      assert.equal(at((await ask({ path })).object, "metadata", "managedFields"), undefined);
    },
  },
  {
    row: 197,
    name: "a manager name that is too long is refused in managedFields too",
    run: async ({ merge, ns }) => {
      const path = `/api/v1/namespaces/${ns}/configmaps/a`;
      const entry = { manager: "x".repeat(129), operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
      const answer = await merge(path, { metadata: { managedFields: [{ ...entry, fieldsV1: { "f:data": {} } }] } });
      assert.equal(
        answer.message,
        'ConfigMap "a" is invalid: metadata.managedFields[0].manager: Too long: may not be more than 128 bytes',
      );
    },
  },
];

/** Bodies and patches whose notation matters, not only their values. */
export const writtenRows: readonly Row[] = [
  ...jsonPatches,
  ...strategicPatches,
  ...mergePatches,
  ...numbers,
  ...texts,
  ...yamls,
  ...owners,
];
