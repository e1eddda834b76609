import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { answerDoor, type DoorAccess, type DoorRequest, type Inside } from "./door-answer.ts";

const never = new AbortController().signal;
const inside: Inside = {
  checks: () => [{ name: "caches" }],
  metrics: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "csv_count 1\n" }),
  queues: () => ({ leading: true }),
  explain: {
    installations: () => Promise.resolve([]),
    explain: () => Promise.reject(new Error("nothing to explain")),
    tenancy: () => Promise.resolve({ csvs: [], groups: [], extensions: [] }),
  },
};
const open: DoorAccess = { kind: "open", debug: false };
const asked = async (target: string, access: DoorAccess = open, more: Partial<DoorRequest> = {}): Promise<string> => {
  const request = { method: "GET", target, authorization: undefined, accept: "", isVerified: false, ...more };
  const { status, body } = await answerDoor(request, { inside, access, clock: new VirtualClock() }, never);
  assert.ok(typeof body === "string");
  return `${status} ${body}`;
};
const debug: DoorAccess = { kind: "open", debug: true };

const rows: readonly (readonly [string, string, DoorAccess])[] = [
  ["/healthz", "200 ok", open],
  ["/livez", "200 ok", open],
  ["/readyz", "200 ok", open],
  ["/readyz?verbose", "200 [+]caches ok\nreadyz check passed\n", open],
  ["/metrics", "200 csv_count 1\n", open],
  ["/", "404 this address serves /healthz, /livez, /readyz, /metrics, /explain, /tenancy and /debug\n", open],
  [
    "/explain",
    "403 explanations require TLS, which shows who asks: add --tls-cert and --tls-key, or use the address of the package API\n",
    open,
  ],
  ["/debug/queues", "403 debug pages require --debug-pages\n", open],
  ["/debug/queues", '200 {\n  "leading": true\n}\n', debug],
  ["/debug/profile?seconds=0", "400 seconds must be a number from 1 to 300\n", debug],
  ["/debug/profile?seconds=301", "400 seconds must be a number from 1 to 300\n", debug],
  ["/debug/other", "404 the debug pages are /debug/queues, /debug/profile and /debug/heap\n", debug],
];
for (const [target, answer, access] of rows)
  test(`GET ${target} is answered with ${JSON.stringify(answer)}${access === debug ? " for debugging" : ""}`, async () =>
    assert.equal(await asked(target, access), answer));

test("a request that is neither GET nor HEAD is refused", async () => {
  assert.equal(await asked("/healthz", open, { method: "HEAD" }), "200 ok");
  assert.equal(await asked("/metrics", open, { method: "POST" }), "405 only GET is supported\n");
});

test("a profile is taken of this process, for as long as was asked", async () => {
  const clock = new VirtualClock();
  const request = {
    method: "GET",
    target: "/debug/profile?seconds=1",
    authorization: undefined,
    accept: "",
    isVerified: false,
  };
  let isAnswered = false;
  const answered = answerDoor(request, { inside, access: debug, clock }, never).finally(() => (isAnswered = true));
  // The profiler starts in a thread of its own, and only then the clock is asked.
  for (let turns = 0; turns < 3; turns++) await setImmediate();
  assert.equal(isAnswered, false);
  while (!isAnswered) {
    clock.advance(1000);
    await setImmediate();
  }
  const { status, body } = await answered;
  assert.equal(status, 200);
  assert.ok(typeof body === "string");
  assert.ok(Array.isArray((JSON.parse(body) as { readonly nodes?: unknown }).nodes));
});
