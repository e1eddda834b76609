import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectVectors, vectorSpec } from "@purser/kubernetes/testing/object-vectors";
import { acceptedOddities, ruledSpec, ruleVectors, schemaRefusals } from "@purser/kubernetes/testing/schema-vectors";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at, text } from "../../scene.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schemaField = "spec.validation.openAPIV3Schema";

function withSpec(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties: { spec }, ...more };
}

const anything: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const definitionRows: readonly Row[] = [
  {
    row: 230,
    name: "the create response has no conditions; then the names are accepted and the definition is established",
    run: async (scene) => {
      const answer = await scene.tryDefine(scene.definition("foos", "Foo", { type: "object" }));
      assertAnswer(answer, {
        code: 201,
        contains: {
          metadata: { generation: 1 },
          spec: { names: { singular: "foo", listKind: "FooList" }, conversion: { strategy: "None" } },
          status: { acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
        },
      });
      await eventually(async () => {
        const now = await scene.ok({ path: `${definitions}/foos.${scene.group}` });
        const conditions = (at(now, "status", "conditions") ?? []) as unknown as readonly Readonly<
          Record<string, string>
        >[];
        assert.deepEqual(
          conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
          [
            ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
            ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
          ],
        );
      });
    },
  },
  ...schemaRefusals.map(([name, schema, expected]): Row => ({
    row: 231,
    name,
    run: async (scene) => {
      const answer = await scene.tryDefine(scene.definition("foos", "Foo", schema));
      assert.equal(answer.code, 422, answer.text);
      const wanted = expected.replaceAll(/\bS(?=[.:]|$)/g, schemaField);
      assert.ok(answer.message.includes(wanted), `${answer.message}\n  has not\n  ${wanted}`);
    },
  })),
  ...acceptedOddities.map((schema, index): Row => ({
    row: 232,
    name: `unusual schema ${index} is accepted`,
    run: async (scene) => {
      assert.equal((await scene.tryDefine(scene.definition("foos", "Foo", schema))).code, 201);
    },
  })),
  ...objectVectors.map(([name, spec, expected]): Row => ({
    row: 233,
    name,
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", withSpec(vectorSpec, { required: ["spec"] })));
      const answer = await scene.ask({
        method: "POST",
        path,
        body: scene.object("Foo", "t", spec === undefined ? {} : { spec }),
      });
      assertAnswer(answer, { code: 422, message: `Foo.${scene.group} "t" is invalid: ${expected}` });
    },
  })),
  {
    row: 235,
    name: "integers beyond 2^53 are preserved",
    run: async (scene) => {
      const path = await scene.define(
        scene.definition("foos", "Foo", withSpec({ type: "object", properties: { i: { type: "integer" } } })),
      );
      const body = `{"apiVersion":"${scene.group}/v1","kind":"Foo","metadata":{"name":"x"},"spec":{"i":9007199254740993}}`;
      await scene.ok({ method: "POST", path, body, headers: { "content-type": "application/json" } });
      assert.match((await scene.ask({ path: `${path}/x` })).text, /"i":9007199254740993/);
    },
  },
  {
    row: 236,
    name: "unknown fields are dropped with a warning, refused with Strict, and kept with preserve-unknown-fields",
    run: async (scene) => {
      const path = await scene.define(
        scene.definition("foos", "Foo", withSpec({ type: "object", properties: { free: anything } })),
      );
      const body = scene.object("Foo", "x", { spec: { bogus: 1, free: { any: 1 } } });
      const answer = await scene.ask({ method: "POST", path, body });
      assertAnswer(answer, { code: 201, warnings: ['unknown field "spec.bogus"'] });
      assert.deepEqual(at(answer.object, "spec"), { free: { any: 1 } });
      assert.equal((await scene.ask({ method: "POST", path: `${path}?fieldValidation=Strict`, body })).code, 400);
    },
  },
  ...ruleVectors
    .filter(([, , old]) => old === undefined)
    .map(([name, value, , expected]): Row => ({
      row: 239,
      name,
      run: async (scene) => {
        const path = await scene.define(scene.definition("foos", "Foo", withSpec(ruledSpec)));
        const answer = await scene.ask({ method: "POST", path, body: scene.object("Foo", "t", { spec: value }) });
        if (expected === "[]") assert.equal(answer.code, 201, answer.text);
        else assertAnswer(answer, { code: 422, message: `Foo.${scene.group} "t" is invalid: ${expected}` });
      },
    })),
  {
    row: 241,
    name: "a field with an immutability rule can be removed and set again",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", withSpec(ruledSpec)));
      await scene.ok({ method: "POST", path, body: scene.object("Foo", "t", { spec: { imm: "one" } }) });
      assertAnswer(await scene.merge(`${path}/t`, { spec: { imm: "two" } }), {
        code: 422,
        message: `Foo.${scene.group} "t" is invalid: spec.imm: Invalid value: "two": imm is immutable`,
      });
      assert.equal((await scene.merge(`${path}/t`, { spec: { imm: null } })).code, 200);
      assert.equal((await scene.merge(`${path}/t`, { spec: { imm: "two" } })).code, 200);
    },
  },
  {
    row: 244,
    name: "status and spec are updated separately, and only spec increments the generation",
    run: async (scene) => {
      const schema = { type: "object", properties: { spec: anything, status: anything } };
      const path = await scene.define(scene.definition("foos", "Foo", schema, { subresources: { status: {} } }));
      const made = await scene.ok({
        method: "POST",
        path,
        body: scene.object("Foo", "t", { spec: { a: 1 }, status: { b: 1 } }),
      });
      assertContains(made, { status: undefined, metadata: { generation: 1 } } as unknown as JsonObject);
      const written = await scene.merge(`${path}/t/status`, { spec: { a: 2 }, status: { b: 2 } });
      assertContains(written.object, { spec: { a: 1 }, status: { b: 2 }, metadata: { generation: 1 } });
      const changed = await scene.merge(`${path}/t`, { spec: { a: 3 }, status: { b: 3 } });
      assertContains(changed.object, { spec: { a: 3 }, status: { b: 2 }, metadata: { generation: 2 } });
    },
  },
  {
    row: 248,
    name: "a version with served false does not exist",
    run: async (scene) => {
      const definition = scene.definition("foos", "Foo", { type: "object" });
      const version = { name: "v2", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } };
      const spec = definition["spec"] as { readonly versions: readonly JsonObject[] } & JsonObject;
      await scene.define({ ...definition, spec: { ...spec, versions: [...spec.versions, version] } });
      const path = `/apis/${scene.group}/v2/namespaces/${scene.ns}/foos`;
      assert.equal((await scene.ask({ path })).code, 404);
    },
  },
  {
    row: 254,
    name: "an APIService is created and deleted with the definition",
    run: async (scene) => {
      await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      const path = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${scene.group}`;
      await eventually(async () => assert.equal((await scene.ask({ path })).code, 200));
      await scene.ok({ method: "DELETE", path: `${definitions}/foos.${scene.group}` });
      await eventually(async () => assert.equal((await scene.ask({ path })).code, 404));
    },
  },
  {
    row: 254,
    name: "watchers of objects see their deletion with the definition, then the watch ends",
    run: async (scene) => {
      const path = await scene.define(scene.definition("foos", "Foo", { type: "object" }));
      for (const name of ["a", "b", "c"]) await scene.ok({ method: "POST", path, body: scene.object("Foo", name) });
      const watch = await scene.watch(`${path}?watch=true&resourceVersion=0`);
      const types: string[] = [];
      for (let left = 3; left > 0; left--) types.push((await watch.next())?.type ?? "");
      await scene.ok({ method: "DELETE", path: `${definitions}/foos.${scene.group}` });
      for (let event = await watch.next(); event !== undefined; event = await watch.next()) types.push(event.type);
      assert.deepEqual(types, ["ADDED", "ADDED", "ADDED", "DELETED", "DELETED", "DELETED"]);
    },
  },
  {
    row: 255,
    name: "`versions: []` is reported differently from an absent field",
    run: async (scene) => {
      for (const [versions, shown] of [
        [[], "[]"],
        [null, "null"],
      ] as const) {
        const answer = await scene.tryDefine(scene.definition("foos", "Foo", { type: "object" }, {}, { versions }));
        const wanted = `spec.versions: Invalid value: ${shown}: must have exactly one version marked as storage version`;
        assert.ok(answer.message.includes(wanted), answer.message);
      }
    },
  },
  {
    row: 255,
    name: "a k8s.io group requires the approval annotation",
    run: async (scene) => {
      const definition = scene.definition("foos", "Foo", { type: "object" });
      const spec = definition["spec"] as JsonObject;
      const answer = await scene.tryDefine({
        ...definition,
        metadata: { name: "foos.purser.k8s.io" },
        spec: { ...spec, group: "purser.k8s.io" },
      });
      assert.equal(answer.code, 422);
      assert.match(answer.message, /api-approved\.kubernetes\.io/);
    },
  },
  {
    row: 256,
    name: "singular and listKind default from the kind",
    run: async (scene) => {
      const answer = await scene.tryDefine(scene.definition("foos", "Foo", { type: "object" }));
      assert.equal(text(answer.object, "spec", "names", "singular"), "foo");
      assert.equal(text(answer.object, "spec", "names", "listKind"), "FooList");
    },
  },
];
