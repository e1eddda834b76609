import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { testServer } from "../testing/server.ts";
import { turns, workPerTurn } from "../turns.ts";
import { builtInKinds } from "../kinds/catalogue.ts";
import { fieldsOf } from "../kinds/fields/field-table.ts";
import { describedStructs, structDescription } from "./descriptions.ts";

test("every group and version has a document without dangling references", async () => {
  const server = await testServer();
  const index = await server.ask({ path: "/openapi/v3" });
  const paths = Object.entries(index.object["paths"] as Record<string, { readonly serverRelativeURL: string }>);
  assert.ok(paths.some(([key]) => key === "api/v1"));
  for (const [key, { serverRelativeURL }] of paths) {
    const answer = await server.ask({ path: serverRelativeURL });
    assert.equal(answer.code, 200, key);
    assert.equal(answer.headers["cache-control"], "public, immutable");
    const { schemas } = answer.object["components"] as { readonly schemas: JsonObject };
    for (const [, name = ""] of JSON.stringify(answer.object).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      assert.ok(Object.hasOwn(schemas, name), `${key}: ${name}`);
  }
});

test("a document is sent in its turn: many clients may ask for it at once", async () => {
  const server = await testServer();
  for (const path of ["/openapi/v2", "/openapi/v3/api/v1"]) {
    await server.ask({ path });
    const order: string[] = [];
    const answer = server.ask({ path }).then(() => order.push("document"));
    // They are announced while the request is on its way.
    const others = Array.from({ length: 20 }, () => turns.before(workPerTurn)?.then(() => void order.push("other")));
    await Promise.all([answer, ...others]);
    assert.ok(order.indexOf("document") > 15, `${path}: ${order.join()}`);
  }
});

test("a stale hash redirects to the current document, an unknown group is not found", async () => {
  const server = await testServer();
  const moved = await server.ask({ path: "/openapi/v3/apis/apps/v1?hash=OLD" });
  assert.equal(moved.code, 301);
  assert.match(moved.headers["location"] ?? "", /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
  assert.equal((await server.ask({ path: "/openapi/v3/apis/nope/v1" })).code, 404);
});

test("every built-in kind has a description, and every description belongs to an existing field", () => {
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
