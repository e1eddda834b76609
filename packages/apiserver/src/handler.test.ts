import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { TestServer } from "./testing/server.ts";
import { assertContains, configMap, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
const cms = "/api/v1/namespaces/demo/configmaps";

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  await server.ask({ method: "POST", path: cms, body: configMap("a", { data: { k: "v" } }) });
});

describe("writes", () => {
  test("a generated name has five characters more than its base", async () => {
    const { object } = await server.ask({
      method: "POST",
      path: cms,
      body: { metadata: { generateName: "gen-" } },
    });
    assert.match((object["metadata"] as { name: string }).name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("a dry run stores nothing and shows no revision", async () => {
    const answer = await server.ask({ method: "POST", path: `${cms}?dryRun=All`, body: configMap("dry") });
    assert.equal(answer.code, 201);
    assertContains(answer.object as JsonValue, { metadata: { name: "dry", resourceVersion: undefined as never } });
    assert.equal((await server.ask({ path: `${cms}/dry` })).code, 404);
  });

  test("a PUT that changes nothing keeps the revision", async () => {
    const created = await server.ask({ method: "POST", path: cms, body: configMap("same", { data: { a: "1" } }) });
    const again = await server.ask({ method: "PUT", path: `${cms}/same`, body: created.object as JsonValue });
    assert.deepEqual(again.object["metadata"], created.object["metadata"]);
  });

  test("an object with a finalizer is deleted only after the finalizer is removed", async () => {
    const path = `${cms}/held`;
    await server.ask({ method: "POST", path: cms, body: configMap("held", { metadata: { finalizers: ["x.io/a"] } }) });
    const deleted = await server.ask({ method: "DELETE", path });
    assertContains(deleted.object as JsonValue, { metadata: { deletionGracePeriodSeconds: 0, name: "held" } });
    const added = await server.ask({
      method: "PATCH",
      path,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { finalizers: ["x.io/a", "x.io/b"] } },
    });
    assert.equal(added.code, 422);
    assert.match(added.message, /no new finalizers can be added if the object is being deleted/);
    const over = await server.ask({ method: "POST", path: cms, body: configMap("held") });
    assert.equal(over.object["message"], 'object is being deleted: configmaps "held" already exists');
    const freed = await server.ask({
      method: "PATCH",
      path,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { finalizers: null } },
    });
    assert.equal(freed.code, 200);
    assert.equal((await server.ask({ path })).code, 404);
  });

  test("a delete with another uid is a conflict about the Kind", async () => {
    await server.ask({ method: "POST", path: cms, body: configMap("uid") });
    const answer = await server.ask({
      method: "DELETE",
      path: `${cms}/uid`,
      body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "zz" } },
    });
    assert.equal(answer.code, 409);
    assert.match(answer.message, /^Operation cannot be fulfilled on ConfigMap "uid": the UID in the/);
    assert.equal((answer.object["details"] as JsonObject)["kind"], "ConfigMap");
  });

  test("two writers without a revision both succeed, with one stale revision one fails", async () => {
    await server.ask({ method: "POST", path: cms, body: configMap("race", { data: {} }) });
    const patch = (data: JsonObject): Promise<unknown> =>
      server.ask({
        method: "PATCH",
        path: `${cms}/race`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { data },
      });
    await Promise.all([patch({ a: "1" }), patch({ b: "2" }), patch({ c: "3" })]);
    const { object } = await server.ask({ path: `${cms}/race` });
    assert.deepEqual(object["data"], { a: "1", b: "2", c: "3" });
  });

  test("deleting a collection by label returns what it deleted", async () => {
    for (const name of ["c1", "c2"])
      await server.ask({ method: "POST", path: cms, body: configMap(name, { metadata: { labels: { set: "c" } } }) });
    const answer = await server.ask({ method: "DELETE", path: `${cms}?labelSelector=set=c` });
    assert.equal((answer.object["items"] as readonly JsonObject[]).length, 2);
    const left = await server.ask({ path: `${cms}?labelSelector=set=c` });
    assert.deepEqual(left.object["items"], []);
  });
});
