import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { toWire } from "./wire.ts";
import type { TestServer } from "./testing/server.ts";
import { testServer } from "./testing/server.ts";
import { healthAnswer, healthPaths } from "./health.ts";
import { memoryStorage } from "./storage/object-store.ts";

let server: TestServer;
before(async () => {
  server = await testServer();
});

async function lines(path: string): Promise<readonly string[]> {
  const { code, text } = await server.ask({ path });
  assert.equal(code, 200);
  return text.split("\n");
}

describe("health", () => {
  test("every path that the root names answers", async () => {
    for (const path of healthPaths()) assert.deepEqual(await lines(path), ["ok"], path);
  });

  test("an excluded check is marked as excluded, and an unknown one is warned about", async () => {
    const answer = await lines("/readyz?verbose&exclude=etcd&exclude=nope&exclude=a");
    assert.deepEqual(answer.slice(0, 4), ["[+]ping ok", "[+]log ok", "[+]etcd excluded: ok", "[+]etcd-readiness ok"]);
    assert.deepEqual(answer.slice(-4), [
      "[+]shutdown ok",
      'warn: some health checks cannot be excluded: no matches for "a","nope"',
      "readyz check passed",
      "",
    ]);
    assert.deepEqual(await lines("/readyz?exclude=nope"), ["ok"]);
  });

  test("readiness alone looks whether the server stops", async () => {
    assert.equal((await server.ask({ path: "/livez/shutdown" })).code, 404);
    const stopping = { stopping: AbortSignal.abort(), storage: memoryStorage() };
    const ask = (path: string, check = ""): unknown => {
      const endpoint = path === "readyz" ? "readyz" : "livez";
      const answer = healthAnswer(stopping, endpoint, check, { method: "GET", path });
      return answer.kind === "text" ? [answer.code, answer.text.split("\n").slice(-3).join("|")] : answer;
    };
    assert.deepEqual(ask("readyz"), [500, "[-]shutdown failed: reason withheld|readyz check failed|"]);
    assert.deepEqual(ask("readyz", "shutdown"), [500, "internal server error: process is shutting down|"]);
    assert.deepEqual(ask("livez"), [200, "ok"]);
  });
});

test("a document for people is written in lines, as /version and / are", () => {
  const { body } = toWire(
    {
      result: {
        ok: true,
        value: { kind: "document", code: 200, headers: {}, object: { a: 1, b: ["c"] }, indented: true },
      },
      warnings: [],
    },
    { method: "GET", path: "/version" },
  );
  assert.ok(body?.kind === "bytes");
  assert.equal(new TextDecoder().decode(body.bytes), '{\n  "a": 1,\n  "b": [\n    "c"\n  ]\n}');
});
