import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readBody } from "@purser/kubernetes/kube/api-body";
import type { ApiRequest, Transport } from "@purser/kubernetes/kube/transport";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { UsageError } from "../command.ts";
import { parseArguments } from "../program.ts";
import { commands } from "../commands.ts";
import { loggedTransport, requestLogOf } from "./request-log.ts";

const never = new AbortController().signal;

async function linesOf(request: ApiRequest, answer: string, bodies: boolean): Promise<readonly string[]> {
  const lines: string[] = [];
  const transport: Transport = async () => ({
    status: 200,
    headers: {},
    body: {
      kind: "stream",
      chunks: (async function* () {
        yield new TextEncoder().encode(answer.slice(0, 3));
        yield new TextEncoder().encode(answer.slice(3));
      })(),
    },
  });
  const clock = { ...systemClock, now: () => Date.parse("2026-01-01T10:00:00Z"), monotonic: () => 0 };
  const logged = loggedTransport(transport, { bodies, write: (line) => void lines.push(line) }, clock);
  const { text } = await readBody((await logged(request, never)).body);
  assert.equal(text, answer);
  return lines;
}

test("each request is a line with method, path, status and time, without headers", async () => {
  const query = new URLSearchParams({ labelSelector: "a=b" });
  const headers = { authorization: "Bearer abcdefghijkl" };
  assert.deepEqual(await linesOf({ method: "GET", path: "/api/v1/pods", query, headers }, "{}", false), [
    "10:00:00.000 GET /api/v1/pods?labelSelector=a%3Db 200 0 ms",
  ]);
});

test("with -vv bodies are shown without credentials, and those of Secrets and tokens never", async () => {
  const put = (path: string, answer: string): Promise<readonly string[]> => {
    const value = { kind: "ConfigMap", password: "hunter2", data: { a: "b" } };
    return linesOf({ method: "PUT", path, body: { kind: "object", value } }, answer, true);
  };
  const [, sent, got] = await put(
    "/api/v1/namespaces/a/configmaps/b",
    '{"kind":"Secret","data":{"key":"aHVudGVyMg=="}}',
  );
  assert.match(sent ?? "", /^ {2}> \{"kind":"ConfigMap","password":"[^h"]*","data":\{"a":"b"\}\}$/);
  assert.match(got ?? "", /^ {2}< \{"kind":"Secret","data":"<redacted>"\}$/);
  for (const path of [
    "/api/v1/secrets",
    "/api/v1/namespaces/a/secrets/b",
    "/api/v1/namespaces/a/serviceaccounts/b/token",
  ])
    assert.deepEqual((await put(path, '{"items":[{"data":{"key":"aHVudGVyMg=="}}]}')).slice(1), [
      "  > (not shown)",
      "  < (not shown)",
    ]);
  const long = await put("/api/v1/pods", JSON.stringify({ text: "x".repeat(20_000) }));
  assert.equal(long[2], "  < (20011 bytes)");
  assert.equal((await put("/metrics", "up 1"))[2], "  < (4 bytes that are no JSON)");
});

test("a request without an answer is logged and still fails", async () => {
  const lines: string[] = [];
  const refusing: Transport = () => Promise.reject(new Error("connection refused"));
  const logged = loggedTransport(refusing, { bodies: false, write: (line) => void lines.push(line) }, systemClock);
  await assert.rejects(logged({ method: "GET", path: "/api" }, never), /connection refused/);
  assert.match(lines[0] ?? "", / GET \/api no answer after \d+ ms: connection refused$/);
});

test("-v, -vv and --log-file choose what is logged and where", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-request-log-"));
  const file = join(directory, "requests.log");
  const printed: string[] = [];
  const log = async (...args: readonly string[]) => {
    const parsed = await parseArguments("purser", commands, ["list", ...args]);
    assert.ok(parsed.kind === "run");
    const terminal = { err: (...lines: readonly string[]) => void printed.push(...lines) } as never;
    return requestLogOf({ arguments: parsed.arguments, options: parsed.options, terminal, signal: never });
  };
  assert.equal(await log(), undefined);
  assert.equal((await log("-v"))?.bodies, false);
  const both = await log("-vv");
  both?.write("one");
  assert.deepEqual([both?.bodies, printed], [true, ["one"]]);
  (await log("--log-file", file))?.write("two");
  assert.deepEqual(printed, ["one"], "a file alone prints nothing");
  assert.equal(readFileSync(file, "utf8"), "# purser\ntwo\n");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await assert.rejects(log("--log-file", directory), UsageError);
  rmSync(directory, { recursive: true });
});
