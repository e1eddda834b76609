import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { TestServer, Answer } from "./testing/server.ts";
import { configMap, testServer, withNamespace } from "./testing/server.ts";

let server: TestServer;
const merge = { "content-type": "application/merge-patch+json" };

before(async () => {
  server = await testServer();
});

async function fill(
  namespace: string,
  names: readonly string[],
  more: (name: string) => JsonObject = () => ({}),
): Promise<string> {
  await withNamespace(server, namespace);
  // The namespace's own config map would count.
  await server.ask({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt` });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (const name of names) await server.ask({ method: "POST", path, body: configMap(name, more(name), namespace) });
  return path;
}

function namesOf({ object }: Answer): readonly unknown[] {
  return (object["items"] as readonly JsonObject[]).map((item) => (item["metadata"] as JsonObject)["name"]);
}

type ListMeta = { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };

function listMeta({ object }: Answer): ListMeta {
  return object["metadata"] as ListMeta;
}

describe("lists", () => {
  test("pages are of one revision, each object once, and later ones do not appear", async () => {
    const path = await fill("pages", ["a", "b", "c", "d", "e"]);
    const first = await server.ask({ path: `${path}?limit=2` });
    assert.deepEqual(namesOf(first), ["a", "b"]);
    assert.equal(listMeta(first).remainingItemCount, 3);
    await server.ask({ method: "POST", path, body: configMap("bb", {}, "pages") });
    await server.ask({ method: "DELETE", path: `${path}/d` });
    const second = await server.ask({ path: `${path}?limit=2&continue=${listMeta(first).continue}` });
    assert.deepEqual(namesOf(second), ["c", "d"]);
    const third = await server.ask({ path: `${path}?limit=2&continue=${listMeta(second).continue}` });
    assert.deepEqual(namesOf(third), ["e"]);
    assert.equal(listMeta(third).continue, undefined);
    assert.equal(listMeta(third).resourceVersion, listMeta(first).resourceVersion);
  });

  test("the whole cluster is paged by namespace and name", async () => {
    await fill("span-a", ["x", "y"]);
    await fill("span-b", ["x"]);
    const all: { readonly namespace: string; readonly name: string }[] = [];
    let next = "";
    do {
      const page = await server.ask({ path: `/api/v1/configmaps?limit=2${next}` });
      all.push(
        ...(page.object["items"] as readonly JsonObject[]).map(
          (item) => item["metadata"] as { readonly namespace: string; readonly name: string },
        ),
      );
      next = listMeta(page).continue === undefined ? "" : `&continue=${listMeta(page).continue}`;
    } while (next !== "");
    const keys = all.map(({ namespace, name: held }) => `${namespace}/${held}`);
    assert.deepEqual(keys, keys.toSorted());
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(keys.includes("span-b/x"));
  });

  test("a limit is ignored with resourceVersion 0", async () => {
    const path = await fill("zero", ["a", "b"]);
    assert.equal(namesOf(await server.ask({ path: `${path}?limit=1&resourceVersion=0` })).length, 2);
  });

  test("an exact revision shows the past", async () => {
    const path = await fill("exact", ["a"]);
    const then = listMeta(await server.ask({ path })).resourceVersion;
    await server.ask({ method: "POST", path, body: configMap("b", {}, "exact") });
    const past = await server.ask({ path: `${path}?resourceVersion=${then}&resourceVersionMatch=Exact` });
    assert.deepEqual(namesOf(past), ["a"]);
    assert.equal(listMeta(past).resourceVersion, then);
  });

  test("an expired continue token is refused with a token that continues at the current state", async () => {
    const path = await fill("compacted", ["a", "b", "c"]);
    const first = await server.ask({ path: `${path}?limit=1` });
    await server.ask({ method: "POST", path, body: configMap("d", {}, "compacted") });
    server.storage.compact(server.storage.revision());
    const lost = await server.ask({ path: `${path}?limit=1&continue=${listMeta(first).continue}` });
    assert.equal(lost.code, 410);
    assert.equal(lost.object["reason"], "Expired");
    const onwards = await server.ask({ path: `${path}?continue=${listMeta(lost).continue}` });
    assert.deepEqual(namesOf(onwards), ["b", "c", "d"]);
    const old = await server.ask({
      path: `${path}?resourceVersion=${listMeta(first).resourceVersion}&resourceVersionMatch=Exact`,
    });
    assert.equal(old.object["message"], "The resourceVersion for the provided list is too old.");
  });

  const refusals: readonly (readonly [string, number, string])[] = [
    ["continue=garbage", 400, "invalid continue token: continue key is not valid: "],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      "resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      "resourceVersion=1&resourceVersionMatch=Foo",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      "resourceVersion=abc",
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      "sendInitialEvents=true",
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ["labelSelector=app%20in%20x", 400, "unable to parse requirement: found 'x' expected: '('"],
    [
      "fieldSelector=spec.x=y",
      400,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      "watch=true&resourceVersion=abc",
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      "watch=true&sendInitialEvents=true",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
  ];
  for (const [query, code, message] of refusals)
    test(`${query} is refused`, async () => {
      const answer = await server.ask({ path: `/api/v1/configmaps?${query}` });
      assert.equal(answer.code, code);
      assert.ok(answer.message.startsWith(message), answer.message);
    });

  test("a revision from the future is waited for, then refused", async () => {
    const asked = server.ask({ path: "/api/v1/configmaps?resourceVersion=999999" });
    for (let i = 0; i < 40; i++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      server.clock.advance(100);
    }
    const answer = await asked;
    assert.equal(answer.code, 504);
    assert.match(answer.message, /^Timeout: Too large resource version: 999999, current: \d+$/);
  });

  test("field selectors know the fields of their kind", async () => {
    const path = await fill("fields", ["a", "b"]);
    assert.deepEqual(namesOf(await server.ask({ path: `${path}?fieldSelector=metadata.name=b` })), ["b"]);
    const pods = await server.ask({ path: "/api/v1/pods?fieldSelector=spec.foo=1" });
    assert.equal(pods.object["message"], "field label not supported: spec.foo");
    const jobs = await server.ask({ path: "/apis/batch/v1/jobs?fieldSelector=foo=1" });
    assert.equal(jobs.object["message"], 'field label "foo" not supported for Job');
  });
});

describe("watches", () => {
  test("send every change once, in order, and a deletion with its own revision", async () => {
    const path = await fill("w1", []);
    const from = listMeta(await server.ask({ path })).resourceVersion;
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${from}`);
    await server.ask({ method: "POST", path, body: configMap("x", {}, "w1") });
    await server.ask({ method: "PATCH", path: `${path}/x`, headers: merge, body: { data: { a: "1" } } });
    await server.ask({ method: "PATCH", path: `${path}/x`, headers: merge, body: { data: { a: "1" } } });
    await server.ask({ method: "DELETE", path: `${path}/x` });
    const events = [await watch.next(), await watch.next(), await watch.next()];
    assert.deepEqual(
      events.map((event) => event?.type),
      ["ADDED", "MODIFIED", "DELETED"],
    );
    const revisions = events.map((event) => Number(event?.object.metadata.resourceVersion));
    assert.ok((revisions[0] ?? 0) < (revisions[1] ?? 0) && (revisions[1] ?? 0) < (revisions[2] ?? 0));
    watch.stop();
    assert.equal(await watch.next(), undefined);
  });

  test("an informer gets the state, then the bookmark that it waits for", async () => {
    const path = await fill("w2", ["a", "b"]);
    const watch = await server.watch(
      `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    assert.deepEqual([(await watch.next())?.type, (await watch.next())?.type], ["ADDED", "ADDED"]);
    const end = await watch.next();
    assert.equal(end?.type, "BOOKMARK");
    assert.equal(end?.object.metadata.annotations?.["k8s.io/initial-events-end"], "true");
    assert.equal(end?.object.metadata.resourceVersion, String(server.storage.revision()));
    watch.stop();
  });

  test("an empty selection gets its bookmark at once", async () => {
    const watch = await server.watch(
      "/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=no=thing",
    );
    assert.equal((await watch.next())?.type, "BOOKMARK");
    watch.stop();
  });

  test("leaving a selection is DELETED with the old labels and the new revision; entering again is ADDED", async () => {
    const path = await fill("w3", ["a"], () => ({ metadata: { labels: { color: "red" } } }));
    const watch = await server.watch(`${path}?watch=true&labelSelector=color=red`);
    assert.equal((await watch.next())?.type, "ADDED");
    const changed = await server.ask({
      method: "PATCH",
      path: `${path}/a`,
      headers: merge,
      body: { metadata: { labels: { color: "blue" } } },
    });
    const left = await watch.next();
    assert.equal(left?.type, "DELETED");
    assert.equal(left?.object.metadata.labels?.["color"], "red");
    assert.equal(left?.object.metadata.resourceVersion, (changed.object["metadata"] as JsonObject)["resourceVersion"]);
    await server.ask({
      method: "PATCH",
      path: `${path}/a`,
      headers: merge,
      body: { metadata: { labels: { color: "red" } } },
    });
    assert.equal((await watch.next())?.type, "ADDED");
    watch.stop();
  });

  test("a revision that is no longer kept ends the watch with 410 inside", async () => {
    const path = await fill("w4", ["a", "b"]);
    server.storage.compact(server.storage.revision());
    const watch = await server.watch(`${path}?watch=true&resourceVersion=1`);
    assert.equal(watch.code, 200);
    const event = await watch.next();
    assert.ok(event?.type === "ERROR");
    const status = event.object as unknown as { readonly code: number; readonly message: string };
    assert.equal(status.code, 410);
    assert.match(status.message, /^too old resource version: 1 \(\d+\)$/);
    assert.equal(await watch.next(), undefined);
  });

  test("a watch ends when its time is over, after a last bookmark", async () => {
    const path = await fill("w5", []);
    const watch = await server.watch(
      `${path}?watch=true&resourceVersion=${server.storage.revision()}&timeoutSeconds=5&allowWatchBookmarks=true`,
    );
    const next = watch.next();
    await new Promise((resolve) => setTimeout(resolve, 0));
    server.clock.advance(3000);
    assert.equal((await next)?.type, "BOOKMARK");
    await new Promise((resolve) => setTimeout(resolve, 0));
    server.clock.advance(2000);
    assert.equal(await watch.next(), undefined);
  });

  test("an idle watch gets bookmarks, so that it can resume", async () => {
    const path = await fill("w6", []);
    const watch = await server.watch(
      `${path}?watch=true&resourceVersion=${server.storage.revision()}&allowWatchBookmarks=true`,
    );
    await fill("w6-other", ["a"]);
    const next = watch.next();
    server.clock.advance(10_000);
    assert.equal((await next)?.object.metadata.resourceVersion, String(server.storage.revision()));
    watch.stop();
  });

  test("100 watchers see 200 creates in the same order", async () => {
    const path = await fill("w7", []);
    const watches = await Promise.all(
      Array.from({ length: 100 }, () =>
        server.watch(`${path}?watch=true&resourceVersion=${server.storage.revision()}`),
      ),
    );
    for (let i = 0; i < 200; i++) await server.ask({ method: "POST", path, body: configMap(`n${i}`, {}, "w7") });
    for (const watch of watches) {
      for (let i = 0; i < 200; i++) assert.equal((await watch.next())?.object.metadata.name, `n${i}`);
      watch.stop();
    }
  });

  test("a deleted and recreated name is DELETED, then ADDED with another uid", async () => {
    const path = await fill("w8", ["a"]);
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${server.storage.revision()}`);
    await server.ask({ method: "DELETE", path: `${path}/a` });
    await server.ask({ method: "POST", path, body: configMap("a", {}, "w8") });
    const [removal, creation] = [await watch.next(), await watch.next()];
    assert.deepEqual([removal?.type, creation?.type], ["DELETED", "ADDED"]);
    assert.notEqual(removal?.object.metadata.uid, creation?.object.metadata.uid);
    watch.stop();
  });

  test("a watcher that reads nothing is dropped and delays no other watcher", async () => {
    const path = await fill("w9", ["a"]);
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${server.storage.revision()}`);
    for (let i = 0; i < 16_500; i++) server.storage.put("configmaps", "w9/a", configMap("a", {}, "w9") as never);
    await server.storage.durable();
    assert.equal(await watch.next(), undefined);
  });
});
