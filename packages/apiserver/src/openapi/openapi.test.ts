import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { testServer } from "../testing/server.ts";
import { builtInKinds } from "../kinds/catalogue.ts";
import { fieldsOf } from "../kinds/fields/field-table.ts";
import { describedStructs, structDescription } from "./descriptions.ts";

test("every group and version has a document, whose references all lead somewhere", async () => {
  const server = await testServer();
  const index = await server.ask({ path: "/openapi/v3" });
  const paths = Object.entries(index.object["paths"] as Record<string, { readonly serverRelativeURL: string }>);
  assert.ok(paths.some(([key]) => key === "api/v1"));
  for (const [key, { serverRelativeURL }] of paths) {
    const told = await server.ask({ path: serverRelativeURL });
    assert.equal(told.code, 200, key);
    assert.equal(told.headers["cache-control"], "public, immutable");
    const { schemas } = told.object["components"] as { readonly schemas: JsonObject };
    for (const [, name = ""] of JSON.stringify(told.object).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      assert.ok(Object.hasOwn(schemas, name), `${key}: ${name}`);
  }
});

test("a stale hash leads to the current document, an unknown group to nothing", async () => {
  const server = await testServer();
  const moved = await server.ask({ path: "/openapi/v3/apis/apps/v1?hash=OLD" });
  assert.equal(moved.code, 301);
  assert.match(moved.headers["location"] ?? "", /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
  assert.equal((await server.ask({ path: "/openapi/v3/apis/nope/v1" })).code, 404);
});

test("every built-in kind has a sentence, and every sentence is about a field that exists", () => {
  for (const { type } of builtInKinds) {
    const text = structDescription(type.group === "events.k8s.io" ? "events.Event" : type.kind) ?? "";
    assert.match(text, /^[A-Z].*\.$/, type.kind);
  }
  for (const [struct, { text, fields }] of describedStructs()) {
    const names = new Set(fieldsOf(struct).map(({ name }) => name));
    assert.ok(names.size > 0, struct);
    for (const [field, sentence] of fields) {
      assert.ok(names.has(field), `${struct}.${field}`);
      assert.match(sentence, /^[\p{L}0-9].*\.$/u, `${struct}.${field}`);
      assert.ok(sentence.length <= 120 && text.length <= 120, `${struct}.${field}`);
    }
  }
});
