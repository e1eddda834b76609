import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";
import { assertAnswer } from "../row.ts";
import { at, configMap } from "../scene.ts";

const json = { "content-type": "application/json" };
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const unknown = numbers(150).map((index) => `"u${index}":1`);
const repeated = numbers(150).map((index) => `"k${index}":"x","k${index}":"y"`);

function findings(name: string, members: string, first: string): Row {
  return {
    row: 44,
    name,
    run: async ({ ask, cms }) => {
      const body = `{"metadata":{"name":"b"},${members}}`;
      const path = `${cms}?dryRun=All&fieldValidation=`;
      const warned = await ask({ method: "POST", path: `${path}Warn`, headers: json, body });
      assert.equal(warned.code, 201);
      assert.equal(warned.warnings.length, 100);
      assert.equal(warned.warnings[0], first);
      const refused = await ask({ method: "POST", path: `${path}Strict`, headers: json, body });
      assert.equal(refused.message.split(", ").length, 100);
    },
  };
}

/** Limits of the cost of a request, and of errors in its response. */
export const boundRows: readonly Row[] = [
  findings("at most a hundred unknown fields are reported", unknown.join(","), 'unknown field "u0"'),
  findings(
    "at most a hundred duplicate fields are reported",
    `"data":{${repeated.join(",")}},${unknown.join(",")}`,
    'duplicate field "data.k0"',
  ),
  {
    row: 44,
    name: "a field that occurs three times is reported once",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/configmaps?dryRun=All&fieldValidation=Strict",
      headers: json,
      body: '{"metadata":{"name":"b"},"data":{"a":"1","a":"2","a":"3"}}',
    },
    code: 400,
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
  },
  {
    row: 44,
    name: "excessive nesting is refused",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/configmaps?dryRun=All",
      headers: json,
      body: `{"metadata":{"name":"b"},"x":${'{"a":'.repeat(10_001)}1${"}".repeat(10_001)}}`,
    },
    code: 400,
    message:
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: invalid character \'{\' exceeded max depth ({"metadata":{"name":"b"},"x":{ ...)',
  },
  {
    row: 144,
    name: "a JSON patch may copy at most three megabytes",
    run: async ({ ask, ok, cms }) => {
      await ok({ method: "POST", path: cms, body: configMap("long", { data: { a: "x".repeat(100_000) } }) });
      const copies = (count: number): string =>
        JSON.stringify(numbers(count).map(() => ({ op: "copy", from: "/data/a", path: "/data/b" })));
      const patch = async (count: number): Promise<JsonObject> => {
        const headers = { "content-type": "application/json-patch+json" };
        const answer = await ask({ method: "PATCH", path: `${cms}/long?dryRun=All`, headers, body: copies(count) });
        return { code: answer.code, message: answer.message };
      };
      assert.equal((await patch(31))["code"], 200);
      assert.deepEqual(await patch(32), {
        code: 422,
        message: "the server rejected our request due to an error in our request",
      });
    },
  },
  {
    row: 55,
    name: "an invalid resourceVersion is ignored by a create, and an error for all other writes",
    run: async ({ ask, cms }) => {
      const post = (resourceVersion: string, query: string): ReturnType<typeof ask> =>
        ask({ method: "POST", path: `${cms}${query}`, body: { metadata: { generateName: "r", resourceVersion } } });
      for (const revision of ["abc", "99999999999999999999999"]) assert.equal((await post(revision, "")).code, 201);
      for (const revision of ["abc", "12"]) assert.equal((await post(revision, "?dryRun=All")).code, 201);
      for (const [revision, why] of [
        ["abc", "invalid syntax"],
        ["99999999999999999999999", "value out of range"],
      ] as const) {
        const expected = { code: 500, message: `strconv.ParseUint: parsing "${revision}": ${why}` };
        const body = configMap("a", { metadata: { resourceVersion: revision } });
        assertAnswer(await ask({ method: "PUT", path: `${cms}/a`, body }), expected);
        const headers = { "content-type": "application/apply-patch+yaml" };
        const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n", resourceVersion: revision } };
        assertAnswer(await ask({ method: "PATCH", path: `${cms}/n?fieldManager=m`, headers, body: applied }), expected);
      }
    },
  },
  {
    row: 55,
    name: "selfLink is dropped",
    run: async ({ ok, cms }) => {
      const body = configMap("linked", { metadata: { selfLink: "/x" } });
      assert.equal(at(await ok({ method: "POST", path: cms, body }), "metadata", "selfLink"), undefined);
      assert.equal(at(await ok({ method: "PUT", path: `${cms}/linked`, body }), "metadata", "selfLink"), undefined);
    },
  },
];
