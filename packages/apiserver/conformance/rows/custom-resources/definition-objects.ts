import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, itemsOf, text } from "../../scene.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function withSpec(spec: JsonObject): JsonObject {
  return { type: "object", properties: { spec } };
}

const word: JsonObject = { type: "string" };
const free: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A row with the stored form of a `spec` under a schema. */
function becomes(name: string, schema: JsonObject, spec: JsonValue, expected: JsonValue): Row {
  return {
    row: 234,
    name,
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", withSpec(schema)));
      const made = await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      assert.deepEqual(at(made, "spec"), expected);
      assert.deepEqual(at(await scene.ok({ path: `${path}/t` }), "spec"), expected);
    },
  };
}

const defaulted: JsonObject = { type: "string", default: "dd" };
const nested: JsonObject = { type: "object", properties: { inner: { type: "integer", default: 5 } } };

async function tables(scene: Scene, path: string): Promise<JsonObject> {
  return scene.ok({ path, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
}

function cellsOf(table: JsonObject): readonly JsonValue[] {
  const [row] = (at(table, "rows") ?? []) as unknown as readonly JsonObject[];
  return (at(row, "cells") ?? []) as readonly JsonValue[];
}

/** A schema with rules that existing objects violate. */
const tightened: JsonObject = {
  type: "object",
  properties: {
    bad: {
      type: "string",
      pattern: "^[a-z]+$",
      maxLength: 20,
      "x-kubernetes-validations": [{ rule: "self != 'UPPER'", message: "not this word" }],
    },
    n: { type: "integer" },
  },
  "x-kubernetes-validations": [{ rule: "!has(self.bad) || self.bad.size() < 5", message: "bad is long" }],
};

const scaled: JsonObject = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { replicas: { type: "integer" } } },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: word } },
  },
};

async function defineScaled(scene: Scene): Promise<string> {
  const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const scale = { ...paths, labelSelectorPath: ".status.selector" };
  return scene.define(scene.definition("foos", "Foo", scaled, { subresources: { status: {}, scale } }));
}

export const definitionObjectRows: readonly Row[] = [
  becomes("a default fills what is missing", { type: "object", properties: { d: defaulted } }, {}, { d: "dd" }),
  becomes("a default fills null", { type: "object", properties: { d: defaulted } }, { d: null }, { d: "dd" }),
  becomes(
    "null is kept where it is nullable",
    { type: "object", properties: { d: { ...defaulted, nullable: true }, n: { ...word, nullable: true } } },
    { d: null, n: null },
    { d: null, n: null },
  ),
  becomes("null goes where it may not be", { type: "object", properties: { n: word } }, { n: null }, {}),
  becomes("no default without its parent", { type: "object", properties: { p: nested } }, {}, {}),
  becomes(
    "a default in an empty parent",
    { type: "object", properties: { p: nested } },
    { p: {} },
    { p: { inner: 5 } },
  ),
  becomes(
    "a default of the parent, with defaults inside it",
    { type: "object", properties: { p: { ...nested, default: {} } } },
    {},
    { p: { inner: 5 } },
  ),
  becomes(
    "defaults in items and map values",
    {
      type: "object",
      properties: { l: { type: "array", items: nested }, m: { type: "object", additionalProperties: nested } },
    },
    { l: [{}], m: { k: {} } },
    { l: [{ inner: 5 }], m: { k: { inner: 5 } } },
  ),
  {
    row: 234,
    name: "null for a required value",
    run: async (scene) => {
      const schema = withSpec({ type: "object", required: ["r"], properties: { r: word } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec: { r: null } }) });
      assertAnswer(answer, { code: 422, message: `Foo.${scene.group} "t" is invalid: spec.r: Required value` });
    },
  },
  {
    row: 233,
    name: "E30",
    run: async (scene) => {
      const emb: JsonObject = { ...free, "x-kubernetes-embedded-resource": true };
      const schema = withSpec({ type: "object", properties: { emb } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const spec = { emb: { apiVersion: "a/b/c", kind: "x y" } };
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      assert.equal(answer.code, 422, answer.text);
      assert.ok(answer.message.includes('spec.emb.kind: Invalid value: "x y": may have mixed case, '), answer.message);
      const version = 'spec.emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c';
      assert.ok(answer.message.includes(version), answer.message);
    },
  },
  {
    row: 233,
    name: "E31",
    run: async (scene) => {
      const emb: JsonObject = { ...free, "x-kubernetes-embedded-resource": true };
      const schema = withSpec({ type: "object", properties: { emb } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const spec = { emb: { apiVersion: "v1", kind: "X", metadata: { name: 5 } } };
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      assertAnswer(answer, {
        code: 400,
        message:
          'Foo in version "v1" cannot be handled as a Foo: spec.emb.metadata: Invalid value: {"name":5}: json: cannot unmarshal …',
      });
    },
  },
  {
    row: 233,
    name: "E33",
    run: async (scene) => {
      const schema = withSpec({
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "string", maxLength: 2 }, c: { type: "string", enum: ["x"] } },
      });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const spec = { a: "x", b: "long", c: "y" };
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      assert.equal(answer.code, 422, answer.text);
      for (const field of ["spec.a: ", "spec.b: ", "spec.c: "])
        assert.ok(answer.message.includes(field), answer.message);
    },
  },
  {
    row: 237,
    name: "unknown metadata of an embedded object is dropped with a warning",
    run: async (scene) => {
      const emb: JsonObject = { ...free, "x-kubernetes-embedded-resource": true };
      const schema = withSpec({ type: "object", properties: { emb } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const spec = { emb: { apiVersion: "v1", kind: "X", metadata: { name: "n", bogus: 1 }, other: 1 } };
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      assertAnswer(answer, { code: 201, warnings: ['unknown field "spec.emb.metadata.bogus"'] });
      assert.deepEqual(at(answer.object, "spec", "emb"), { ...spec.emb, metadata: { name: "n" } });
    },
  },
  {
    row: 238,
    name: "items whose keys differ by a default are distinct",
    run: async (scene) => {
      const map: JsonObject = {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "p"],
        items: { type: "object", required: ["k"], properties: { k: word, p: { type: "string", default: "dp" } } },
      };
      const schema = withSpec({ type: "object", properties: { map } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const body = scene.object("Foo", "t", { spec: { map: [{ k: "a" }, { k: "a", p: "q" }] } });
      const made = await scene.ok({ method: "POST", path, body });
      assert.deepEqual(at(made, "spec", "map"), [
        { k: "a", p: "dp" },
        { k: "a", p: "q" },
      ]);
    },
  },
  {
    row: 241,
    name: "optionalOldSelf applies a transition rule on create",
    run: async (scene) => {
      const opt: JsonObject = {
        type: "string",
        maxLength: 8,
        "x-kubernetes-validations": [
          { rule: "oldSelf.hasValue() || self == 'x'", optionalOldSelf: true, message: "opt rule" },
        ],
      };
      const schema = withSpec({ type: "object", properties: { opt } });
      const path = await scene.define(scene.definition("foos", "Foo", schema));
      const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec: { opt: "y" } }) });
      assertAnswer(answer, {
        code: 422,
        message: `Foo.${scene.group} "t" is invalid: spec.opt: Invalid value: "y": opt rule`,
      });
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: { opt: "x" } }) });
      await scene.ok({
        method: "PATCH",
        path: `${path}/t`,
        body: { spec: { opt: "y" } },
        headers: { "content-type": "application/merge-patch+json" },
      });
    },
  },
  {
    row: 242,
    name: "invalid unchanged fields are accepted until they change",
    run: async (scene) => {
      const loose = withSpec({ type: "object", properties: { bad: { type: "string" }, n: { type: "integer" } } });
      const path = await scene.define(scene.definition("foos", "Foo", loose));
      const message = `Foo.${scene.group} "t" is invalid: `;
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: { bad: "UPPER" } }) });
      const definition = `${definitions}/foos.${scene.group}`;
      const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: withSpec(tightened) } }];
      assert.equal((await scene.merge(definition, { spec: { versions } })).code, 200);
      // The new schema is effective when a new object is refused.
      const other = { method: "POST", path, body: scene.object("Foo", "x", { spec: { bad: "UPPER" } }) } as const;
      for (let tries = 0; tries < 100; tries++) {
        if ((await scene.ask({ ...other, path: `${path}?dryRun=All` })).code === 422) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert.equal((await scene.merge(`${path}/t`, { metadata: { labels: { l: "1" } } })).code, 200);
      assertAnswer(await scene.merge(`${path}/t`, { spec: { n: 1 } }), {
        code: 422,
        message: `${message}spec: Invalid value: bad is long`,
      });
      const touched = await scene.merge(`${path}/t`, { spec: { bad: "LONGER" } });
      assert.equal(touched.code, 422);
      const pattern = `spec.bad: Invalid value: "LONGER": spec.bad in body should match '^[a-z]+$'`;
      assert.ok(touched.message.includes(pattern), touched.message);
      assert.ok(touched.message.includes("spec: Invalid value: bad is long"), touched.message);
    },
  },
  {
    row: 243,
    name: "reading and writing the scale of an object",
    run: async (scene) => {
      const path = await defineScaled(scene);
      const made = await scene.ok({
        method: "POST",
        path,
        body: scene.object("Foo", "t", { spec: { replicas: 2 } }),
      });
      await scene.merge(`${path}/t/status`, { status: { replicas: 1, selector: "a=b" } });
      const scale = await scene.ok({ path: `${path}/t/scale` });
      assertContains(scale, {
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name: "t", namespace: scene.ns, uid: text(made, "metadata", "uid") },
        spec: { replicas: 2 },
        status: { replicas: 1, selector: "a=b" },
      });
      const put = { ...scale, spec: { replicas: 3 } };
      assertContains(await scene.ok({ method: "PUT", path: `${path}/t/scale`, body: put }), { spec: { replicas: 3 } });
      const now = await scene.ok({ path: `${path}/t` });
      assertContains(now, { spec: { replicas: 3 }, metadata: { generation: 2 } });
      const entries = at(now, "metadata", "managedFields") as unknown as readonly JsonObject[];
      assert.ok(entries.some((entry) => entry["subresource"] === "scale"));
      assert.equal((await scene.ask({ method: "PUT", path: `${path}/t/scale`, body: put })).code, 409);
      assertAnswer(await scene.merge(`${path}/t/scale`, { spec: { replicas: -1 } }), {
        code: 422,
        message: `Foo.${scene.group} "t" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer`,
      });
    },
  },
  {
    row: 243,
    name: "the scale of an object without replicas",
    run: async (scene) => {
      const path = await defineScaled(scene);
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: {} }) });
      assertAnswer(await scene.ask({ path: `${path}/t/scale` }), {
        code: 500,
        reason: "InternalError",
        message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
      });
    },
  },
  {
    row: 245,
    name: "printer columns",
    run: async (scene) => {
      const schema: JsonObject = {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              host: word,
              n: { type: "integer" },
              on: { type: "boolean" },
              list: { type: "array", items: word },
              map: { type: "object", additionalProperties: word },
              when: { type: "string", format: "date-time" },
            },
          },
          status: free,
        },
      };
      const column = (name: string, type: string, jsonPath: string, more: JsonObject = {}): JsonObject => ({
        name,
        type,
        jsonPath,
        ...more,
      });
      const additionalPrinterColumns = [
        column("Host", "string", ".spec.host"),
        column("N", "integer", ".spec.n", { description: "a number" }),
        column("On", "boolean", ".spec.on"),
        column("List", "string", ".spec.list"),
        column("Map", "string", ".spec.map"),
        column("First", "string", ".spec.list[0]"),
        column("Each", "string", ".spec.list[*]"),
        column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
        column("None", "string", ".spec.none"),
        column("Wrong", "integer", ".spec.host"),
        column("Old", "date", ".spec.when"),
        column("Age", "date", ".metadata.creationTimestamp"),
        column("Wide", "string", ".spec.host", { priority: 1 }),
      ];
      const version = { additionalPrinterColumns, subresources: { status: {} } };
      const path = await scene.define(scene.definition("foos", "Foo", schema, version));
      const spec = {
        host: "h",
        n: 3,
        on: true,
        list: ["a", "b"],
        map: { k: "v" },
        when: "2000-01-01T00:00:00Z",
      };
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec }) });
      const conditions = [
        { type: "Other", status: "False" },
        { type: "Ready", status: "True" },
      ];
      await scene.merge(`${path}/t/status`, { status: { conditions } });
      const table = await tables(scene, path);
      const columns = at(table, "columnDefinitions") as unknown as readonly JsonObject[];
      assert.deepEqual(
        columns.map(({ name, type, priority }) => [name, type, priority]),
        [
          ["Name", "string", 0],
          ...additionalPrinterColumns.map((given) => [given["name"], given["type"], given["priority"] ?? 0]),
        ],
      );
      assert.equal(columns[1]?.["description"], "Custom resource definition column (in JSONPath format): .spec.host");
      assert.equal(columns[2]?.["description"], "a number");
      const cells = cellsOf(table);
      assert.deepEqual(cells.slice(0, 11), ["t", "h", 3, true, '["a","b"]', '{"k":"v"}', "a", "a", "True", null, null]);
      assert.match(JSON.stringify(cells[11]), /^"\d+y"$/);
      assert.match(JSON.stringify(cells[12]), /^"\d+s"$/);
      assert.equal(cells[13], "h");
    },
  },
  {
    row: 245,
    name: "a kind without printer columns shows name and age",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t") });
      const table = await tables(scene, path);
      const columns = at(table, "columnDefinitions") as unknown as readonly JsonObject[];
      assert.deepEqual(
        columns.map(({ name, type, format }) => [name, type, format]),
        [
          ["Name", "string", "name"],
          ["Age", "date", ""],
        ],
      );
      assert.equal(itemsOf(table).length, 0);
    },
  },
];
