import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../apis/object.ts";
import { configMaps, pods } from "../apis/resources.ts";
import type { Entropy } from "../entropy.ts";
import { readBody, readEvents } from "./api-body.ts";
import { backoffMs } from "./controller/backoff.ts";
import { WakingWatches } from "./controller/waking-watches.ts";
import { Counters } from "./counters.ts";
import { KeptMisses } from "./kept-misses.ts";
import { reaches } from "./resource-version.ts";
import type { ApiBody, WatchEvent } from "./transport.ts";
import { parseWarnings } from "./warnings.ts";
import { writeRequest } from "./write-request.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* chunksOf(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(typeof part === "string" ? bytes(part) : part);
}

async function* eventsOf(...events: readonly WatchEvent[]): AsyncGenerator<WatchEvent> {
  for (const event of events) yield await Promise.resolve(event);
}

test("a body of any form is read as JSON where it is JSON, and as its text otherwise", async () => {
  const euro = bytes('{"a":"€"}');
  const bodies: readonly (readonly [body: ApiBody | undefined, read: object])[] = [
    [undefined, { text: "" }],
    [
      { kind: "object", value: { a: 1 } },
      { json: { a: 1 }, text: "" },
    ],
    [
      { kind: "bytes", bytes: bytes("[1]") },
      { json: [1], text: "[1]" },
    ],
    [{ kind: "bytes", bytes: bytes("") }, { text: "" }],
    [{ kind: "bytes", bytes: bytes("<html>") }, { text: "<html>" }],
    [
      { kind: "texts", texts: ['{"a"', ":1}"] },
      { json: { a: 1 }, text: '{"a":1}' },
    ],
    [
      { kind: "stream", chunks: chunksOf(euro.subarray(0, 7), euro.subarray(7)) },
      { json: { a: "€" }, text: '{"a":"€"}' },
    ],
    [{ kind: "stream", chunks: chunksOf(bytes("€").subarray(0, 2)) }, { text: "\ufffd" }],
  ];
  for (const [body, read] of bodies) assert.deepEqual(await readBody(body), read);
  await assert.rejects(readBody({ kind: "events", events: eventsOf() }), {
    name: "UnreadableAnswerError",
    message: "The server answered with a watch stream where one document was expected",
  });
});

const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
const added: WatchEvent = { type: "ADDED", object: pod };
const line = JSON.stringify(added);

const read = (body: ApiBody | undefined): Promise<readonly WatchEvent[]> => Array.fromAsync(readEvents(body));

test("events come whole from however many chunks, and an incomplete last line is left out", async () => {
  assert.deepEqual(await read(undefined), []);
  assert.deepEqual(await read({ kind: "events", events: eventsOf(added) }), [added]);
  assert.deepEqual(await read({ kind: "bytes", bytes: bytes(`${line}\n\n  \n${line}\n${line}`) }), [added, added]);
  const chunks = chunksOf(line.slice(0, 5), line.slice(5, 9), `${line.slice(9)}\n${line}`, "\n", line);
  assert.deepEqual(await read({ kind: "stream", chunks }), [added, added]);
});

test("an answer to a watch that holds no events is an error with its beginning", async () => {
  for (const body of [
    { kind: "object", value: {} },
    { kind: "texts", texts: [] },
  ] as const)
    await assert.rejects(read(body), {
      name: "UnreadableAnswerError",
      message: "The server answered a watch with one document",
    });
  const long = "x".repeat(200);
  await assert.rejects(read({ kind: "bytes", bytes: bytes(`${long}\n`) }), {
    name: "UnreadableAnswerError",
    message: `A watch event is no JSON: ${"x".repeat(120)}`,
  });
  for (const event of [{ type: "OTHER", object: pod }, { type: 5, object: pod }, { object: pod }, { type: "ADDED" }])
    await assert.rejects(read({ kind: "bytes", bytes: bytes(`${JSON.stringify(event)}\n`) }), {
      name: "UnreadableAnswerError",
      message: `A watch event has no type or no object: ${JSON.stringify(event)}`,
    });
  for (const type of ["MODIFIED", "DELETED", "BOOKMARK", "ERROR"])
    assert.deepEqual(await read({ kind: "bytes", bytes: bytes(`${JSON.stringify({ type, object: pod })}\n`) }), [
      { type, object: pod },
    ]);
});

test("counters are kept by name and labels, in any order of labels", () => {
  const counters = new Counters();
  counters.add("a", { x: "1", y: "2" });
  counters.add("a", { y: "2", x: "1" }, 4);
  counters.add("b", {}, 0);
  counters.set("c", { x: "1" }, 7);
  counters.set("c", { x: "1" }, 8);
  counters.set("c", { x: "2" }, 9);
  assert.equal(counters.value("a", { x: "1", y: "2" }), 5);
  assert.equal(counters.value("a"), 0);
  assert.equal(counters.value("c", { x: "2" }), 9);
  counters.remove("c", { x: "2" });
  assert.deepEqual(counters.snapshot(), [
    { name: "a", labels: { x: "1", y: "2" }, value: 5 },
    { name: "b", labels: {}, value: 0 },
    { name: "c", labels: { x: "1" }, value: 8 },
  ]);
  const seen: unknown[] = [];
  counters.observe("d", {}, 1);
  counters.observedBy((...given) => seen.push(given));
  counters.observe("d", { x: "1" }, 2);
  assert.deepEqual(seen, [["d", { x: "1" }, 2]]);
  assert.equal(counters.snapshot().length, 3);
});

const gvk = (group: string, kind: string) => ({ group, version: "v1", kind });

test("a kind that was not served is remembered for a minute, or until its group changes", () => {
  const misses = new KeptMisses();
  assert.equal(misses.has(gvk("a", "A"), 0), false);
  misses.note(gvk("a", "A"), 1000);
  misses.note(gvk("b", "B"), 1000);
  assert.equal(misses.has(gvk("a", "A"), 60_999), true);
  assert.equal(misses.has(gvk("a", "A"), 61_000), false);
  assert.equal(misses.has(gvk("a", "Other"), 1000), false);
  misses.changed("a", 2000);
  assert.equal(misses.has(gvk("a", "A"), 2000), false);
  assert.equal(misses.has(gvk("b", "B"), 2000), true);
  // For ten seconds the API server may not serve yet what it has accepted.
  misses.note(gvk("a", "A"), 11_999);
  assert.equal(misses.has(gvk("a", "A"), 11_999), false);
  misses.note(gvk("a", "A"), 12_000);
  assert.equal(misses.has(gvk("a", "A"), 12_000), true);
  misses.changed(undefined, 12_000);
  assert.equal(misses.has(gvk("a", "A"), 12_000), false);
  assert.equal(misses.has(gvk("b", "B"), 12_000), false);
});

test("no more than a thousand misses, and as many groups, are remembered", () => {
  const misses = new KeptMisses();
  for (let count = 0; count < 1000; count++) misses.note(gvk("a", `K${count}`), 0);
  assert.equal(misses.has(gvk("a", "K0"), 0), true);
  misses.note(gvk("a", "K1000"), 0);
  assert.equal(misses.has(gvk("a", "K0"), 0), false);
  assert.equal(misses.has(gvk("a", "K1000"), 0), true);
  for (let count = 0; count < 1000; count++) misses.changed(`g${count}`, 0);
  misses.note(gvk("g0", "K"), 0);
  assert.equal(misses.has(gvk("g0", "K"), 0), false);
  misses.changed("g1000", 0);
  misses.note(gvk("g0", "K"), 0);
  assert.equal(misses.has(gvk("g0", "K"), 0), true);
});

test("a state includes a change when its version is the same or a greater number", () => {
  for (const [seen, wanted, expected] of [
    [undefined, "1", false],
    ["1", "1", true],
    ["9", "10", false],
    ["10", "9", true],
    ["11", "10", true],
    ["10", "11", false],
    ["x", "x", true],
    ["x", "1", false],
    ["1", "x", false],
    ["0", "1", false],
    ["2", "01", false],
    ["100000000000000000001", "100000000000000000000", true],
  ] as const)
    assert.equal(reaches(seen, wanted), expected, `${seen} ${wanted}`);
});

test("warnings are the texts of a header, once each, and what cannot be read is left out", () => {
  for (const [header, texts] of [
    [undefined, []],
    ["", []],
    ['299 - "one"', ["one"]],
    ['299 - "one", 299 - "two" "date",299 - "one"', ["one", "two"]],
    ['299 - "a \\"b\\" \\\\"', ['a "b" \\']],
    ["299 - one", []],
    ['29 - "one"', []],
  ] as const)
    assert.deepEqual(parseWarnings(header), texts, header);
});

const entropy = (fraction: number): Entropy => ({ fraction: () => fraction }) as Entropy;

test("a wait doubles with every failure up to the longest, with up to a fifth more", () => {
  const limits = { firstMs: 100, longestMs: 5000 };
  assert.deepEqual(
    [-1, 0, 1, 2, 3, 6, 7, 100].map((failures) => backoffMs(limits, failures, entropy(0))),
    [100, 100, 100, 200, 400, 3200, 5000, 5000],
  );
  assert.equal(backoffMs(limits, 1, entropy(0.5)), 110.00000000000001);
  assert.equal(backoffMs({ firstMs: 1, longestMs: Infinity }, 1000, entropy(0)), 2 ** 40);
});

test("a type is watched once while any key asks for it", () => {
  const log: string[] = [];
  const watches = new WakingWatches((type) => {
    log.push(`+${type.plural}`);
    return { release: () => log.push(`-${type.plural}`), refused: () => Promise.resolve(undefined) };
  }, assert.fail);
  watches.hold("a", [pods]);
  watches.hold("b", [pods, configMaps]);
  watches.hold("a", []);
  assert.deepEqual(log, ["+pods", "+configmaps"]);
  watches.hold("b", [pods]);
  watches.hold("c", []);
  assert.deepEqual(log.splice(0), ["+pods", "+configmaps", "-configmaps"]);
  watches.hold("b", []);
  assert.deepEqual(log.splice(0), ["-pods"]);
  watches.hold("a", [pods, configMaps]);
  watches.release();
  watches.release();
  assert.deepEqual(log, ["+pods", "+configmaps", "-pods", "-configmaps"]);
});

test("each key that asks for a type which may not be followed is named once", async () => {
  const refused: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const watches = new WakingWatches(
    ({ plural }) => ({ release() {}, refused: () => (plural === "pods" ? promise : Promise.resolve(undefined)) }),
    (key, text) => refused.push(`${key}: ${text}`),
  );
  watches.hold("a", [pods, configMaps]);
  watches.hold("gone", [pods]);
  watches.hold("gone", []);
  resolve("cannot list");
  await promise;
  watches.hold("a", [pods]);
  watches.hold("b", [pods]);
  watches.hold("c", [configMaps]);
  assert.deepEqual(refused, ["a: cannot list", "b: cannot list"]);
});

test("each write is a request with its method, path, query and body", () => {
  const object: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "ns", name: "p" } };
  const shown = (write: Parameters<typeof writeRequest>[0]): unknown => {
    const { query, headers, body, ...rest } = writeRequest(write);
    assert.ok(body?.kind === "object");
    return { ...rest, query: query?.toString(), type: headers?.["content-type"], body: body.value };
  };
  const path = "/api/v1/namespaces/ns/pods";
  const json = "application/json";
  assert.deepEqual(shown({ verb: "create", type: pods, object }), {
    method: "POST",
    path,
    query: undefined,
    type: json,
    body: object,
  });
  const cluster = { ...object, metadata: { name: "p" } };
  assert.deepEqual(shown({ verb: "create", type: pods, object: cluster, fieldManager: "m", dryRun: true }), {
    method: "POST",
    path: "/api/v1/pods",
    query: "fieldManager=m&dryRun=All",
    type: json,
    body: cluster,
  });
  assert.deepEqual(shown({ verb: "replace", type: pods, object, subresource: "status", fieldManager: "m" }), {
    method: "PUT",
    path: `${path}/p/status`,
    query: "fieldManager=m",
    type: json,
    body: object,
  });
  const apply = "application/apply-patch+yaml";
  assert.deepEqual(shown({ verb: "apply", type: pods, object, fieldManager: "m", force: false }), {
    method: "PATCH",
    path: `${path}/p`,
    query: "fieldManager=m",
    type: apply,
    body: object,
  });
  assert.deepEqual(
    shown({ verb: "apply", type: pods, object, fieldManager: "m", force: true, dryRun: true, subresource: "scale" }),
    {
      method: "PATCH",
      path: `${path}/p/scale`,
      query: "fieldManager=m&force=true&dryRun=All",
      type: apply,
      body: object,
    },
  );
  const key = { namespace: "ns", name: "p" };
  for (const [patchType, type] of [
    ["json", "application/json-patch+json"],
    ["merge", "application/merge-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
  ] as const)
    assert.deepEqual(shown({ verb: "patch", type: pods, key, patch: { a: 1 }, patchType, fieldManager: "m" }), {
      method: "PATCH",
      path: `${path}/p`,
      query: "fieldManager=m",
      type,
      body: { a: 1 },
    });
  const options = { kind: "DeleteOptions", apiVersion: "v1" };
  assert.deepEqual(shown({ verb: "delete", type: pods, key }), {
    method: "DELETE",
    path: `${path}/p`,
    query: undefined,
    type: json,
    body: options,
  });
  const preconditions = { uid: "u", resourceVersion: "5" };
  assert.deepEqual(shown({ verb: "delete", type: pods, key, propagation: "Foreground", preconditions }), {
    method: "DELETE",
    path: `${path}/p`,
    query: undefined,
    type: json,
    body: { ...options, propagationPolicy: "Foreground", preconditions },
  });
});
