import assert from "node:assert/strict";
import { after, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Inside } from "./door-answer.ts";
import { listenAtDoor } from "./door-listener.ts";

const logged: string[] = [];
const inside: Inside = {
  checks: () => [{ name: "caches" }],
  metrics: () => Promise.reject(new Error("the token is secret")),
  queues: () => ({ leading: true }),
  explain: {
    installations: () => Promise.resolve([]),
    explain: () => Promise.reject(new Error("nothing to explain")),
    tenancy: () => Promise.resolve({ csvs: [], groups: [], extensions: [] }),
  },
};
const listening = await listenAtDoor(
  {
    inside,
    access: { kind: "open", debug: false },
    clock: systemClock,
    log: (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
  },
  { host: "127.0.0.1", port: 0 },
);
assert.ok(listening.ok);
after(() => listening.value.stop(0));

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${listening.value.port}${path}`, init);

test("an answer that fails is 500 without its cause, which is logged", async () => {
  const answer = await ask("/metrics");
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type"), await answer.text()],
    [500, "text/plain; charset=utf-8", "Internal Server Error\n"],
  );
  assert.deepEqual(logged, [
    'warn a request failed {"method":"GET","target":"/metrics","error":"Error: the token is secret"}',
  ]);
});

test("HEAD is answered with the headers of GET and no body", async () => {
  const [get, head] = [await ask("/healthz"), await ask("/healthz", { method: "HEAD" })];
  assert.deepEqual([get.status, await get.text()], [200, "ok"]);
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
});

test("a request keeps an id that may be one and gets a new one otherwise", async () => {
  const idOf = async (given?: string): Promise<string | null> => {
    const answer = await ask("/healthz", given === undefined ? {} : { headers: { "x-request-id": given } });
    await answer.text();
    return answer.headers.get("x-request-id");
  };
  assert.equal(await idOf("abc-123"), "abc-123");
  const [first, second] = [await idOf(), await idOf()];
  assert.match(first ?? "", /^\S{8,}$/);
  assert.notEqual(first, second);
});

test("an address that is taken is a problem, not an exception", async () => {
  const again = await listenAtDoor(
    { inside, access: { kind: "open", debug: false }, clock: systemClock, log: () => {} },
    { host: "127.0.0.1", port: listening.value.port },
  );
  assert.equal(again.ok, false);
});

test("what a client asked for ends when the client goes, and that is no failure", async () => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const lines: string[] = [];
  const sleep = (_ms: number, signal: AbortSignal): Promise<void> => {
    asked.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        ended.resolve(signal.reason);
        reject(signal.reason as Error);
      });
    });
  };
  const door = await listenAtDoor(
    {
      inside,
      access: { kind: "open", debug: true },
      clock: { ...systemClock, sleep },
      log: (level, message) => lines.push(`${level} ${message}`),
    },
    { host: "127.0.0.1", port: 0 },
  );
  assert.ok(door.ok);
  const client = new AbortController();
  const answer = fetch(`http://127.0.0.1:${door.value.port}/debug/profile?seconds=60`, { signal: client.signal });
  await asked.promise;
  client.abort();
  await assert.rejects(answer, { name: "AbortError" });
  assert.match(String(await ended.promise), /the client disconnected/);
  await door.value.stop(0);
  assert.deepEqual(lines, []);
});
