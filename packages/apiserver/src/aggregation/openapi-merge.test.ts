import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { mergeSwagger, swaggerToV3 } from "./openapi-merge.ts";

const gv = "g.example.com/v1";
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

function swagger(paths: JsonObject, definitions: JsonObject): JsonObject {
  return { swagger: "2.0", info: { title: "t", version: "1" }, paths, definitions };
}

function getting(schema: JsonObject): JsonObject {
  return { get: { responses: { "200": { description: "OK", schema } } } };
}

suite("OpenAPI documents of others", () => {
  test("a conflicting definition is renamed together with all references to it", () => {
    const own = swagger({}, { Foo: { type: "string" } });
    const other = swagger(
      { [`/apis/${gv}/foos`]: getting(ref("Foo")) },
      { Foo: { type: "object", properties: { bar: ref("Bar"), self: ref("Foo") } }, Bar: { type: "integer" } },
    );
    const merged = mergeSwagger(own, other, gv);
    assert.deepEqual(merged["definitions"], {
      Foo: { type: "string" },
      Foo_v2: { type: "object", properties: { bar: ref("Bar"), self: ref("Foo_v2") } },
      Bar: { type: "integer" },
    });
    assert.deepEqual(merged["paths"], { [`/apis/${gv}/foos`]: getting(ref("Foo_v2")) });
  });

  test("an identical definition is kept once", () => {
    const own = swagger({}, { Foo: { type: "object" } });
    const other = swagger({ [`/apis/${gv}/foos`]: getting(ref("Foo")) }, { Foo: { type: "object" } });
    assert.deepEqual(mergeSwagger(own, other, gv)["definitions"], { Foo: { type: "object" } });
  });

  test("paths of other groups are left out, with the definitions only they use", () => {
    const other = swagger({ "/apis/other/v1/foos": getting(ref("Other")) }, { Other: { type: "object" } });
    const merged = mergeSwagger(swagger({}, {}), other, gv);
    assert.deepEqual([merged["paths"], merged["definitions"]], [{}, {}]);
  });

  test("names of Object.prototype members are ordinary names", () => {
    const definitions = JSON.parse('{"constructor":{"type":"object"},"__proto__":{"type":"string"}}') as JsonObject;
    const merged = mergeSwagger(swagger({}, {}), swagger({}, definitions), gv);
    assert.deepEqual(Object.keys(merged["definitions"] as JsonObject).toSorted(), ["__proto__", "constructor"]);
  });

  test("bodies, parameters and responses are converted to OpenAPI 3", () => {
    const post = {
      consumes: ["application/json"],
      produces: ["application/json"],
      parameters: [
        { name: "body", in: "body", required: true, schema: ref("Foo") },
        { name: "dryRun", in: "query", type: "string" },
      ],
      responses: { "201": { description: "Created", schema: ref("Foo") } },
    };
    const document = swaggerToV3(swagger({ [`/apis/${gv}/foos`]: { post } }, { Foo: { type: "object" } }), gv);
    const schema = { $ref: "#/components/schemas/Foo" };
    assert.deepEqual(document["paths"], {
      [`/apis/${gv}/foos`]: {
        post: {
          parameters: [{ name: "dryRun", in: "query", schema: { type: "string" } }],
          requestBody: { required: true, content: { "application/json": { schema } } },
          responses: { "201": { description: "Created", content: { "application/json": { schema } } } },
        },
      },
    });
    assert.deepEqual(document["components"], { schemas: { Foo: { type: "object" } } });
  });
});
