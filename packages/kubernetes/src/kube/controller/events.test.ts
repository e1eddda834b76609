import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../apis/object.ts";
import { SeededEntropy } from "../../entropy.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient } from "../client.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import { createEventRecorder, type EventRecorder } from "./events.ts";

const object: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { namespace: "team", name: "one", uid: "u-1", resourceVersion: "7" },
};

interface Recording {
  readonly api: MemoryApi;
  readonly recorder: EventRecorder;
  readonly lines: string[];
  readonly stopping: AbortController;
  /** Bodies of the writes. */
  readonly written: JsonObject[];
}

function recording(): Recording {
  const api = new MemoryApi(["/api/v1/events"]);
  const lines: string[] = [];
  const written: JsonObject[] = [];
  const stopping = new AbortController();
  const writer = createClient((request, signal) => {
    const body = request.body?.kind === "object" ? request.body.value : undefined;
    if (isJsonObject(body)) written.push(body);
    return api.transport(request, signal);
  });
  const recorder = createEventRecorder({
    writer,
    component: "purser",
    clock: new VirtualClock(),
    entropy: new SeededEntropy(1),
    log: (level, message, facts) => lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
    signal: stopping.signal,
  });
  return { api, recorder, lines, stopping, written };
}

test("an event names its object, its reason and its source", async () => {
  const { recorder, written } = recording();
  recorder.record(object, "Warning", "Broken", "it is broken", "spec.size");
  await recorder.flushed();
  const [{ metadata, firstTimestamp, lastTimestamp, ...rest } = {}] = written;
  assert.match((metadata as { readonly name: string }).name, /^one\.[0-9a-f]+$/);
  assert.equal((metadata as JsonObject)["namespace"], "team");
  assert.equal(firstTimestamp, "2026-01-01T00:00:00Z");
  assert.equal(lastTimestamp, firstTimestamp);
  assert.deepEqual(rest, {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      apiVersion: "example.com/v1",
      kind: "Widget",
      namespace: "team",
      name: "one",
      uid: "u-1",
      resourceVersion: "7",
      fieldPath: "spec.size",
    },
    type: "Warning",
    reason: "Broken",
    message: "it is broken",
    count: 1,
    source: { component: "purser" },
    reportingComponent: "purser",
    reportingInstance: "",
  });
});

test("an event about a cluster-scoped object is in the namespace default and names no field without one", async () => {
  const { recorder, written } = recording();
  recorder.record({ ...object, metadata: { name: "one" } }, "Normal", "Done", "done");
  await recorder.flushed();
  const [{ metadata, involvedObject } = {}] = written;
  assert.equal((metadata as JsonObject)["namespace"], "default");
  assert.deepEqual(involvedObject, { apiVersion: "example.com/v1", kind: "Widget", name: "one" });
});

test("a repeated event increments the count; one that the server has deleted is created with the count so far", async () => {
  const { api, recorder, written } = recording();
  const raise = async (): Promise<void> => {
    recorder.record(object, "Normal", "Done", "done");
    await recorder.flushed();
  };
  await raise();
  await raise();
  const time = "2026-01-01T00:00:00Z";
  assert.deepEqual(written.slice(1), [{ count: 2, lastTimestamp: time, message: "done" }]);
  api.refuse = ({ method }) =>
    method === "PATCH" ? { kind: "Status", code: 404, reason: "NotFound", message: "gone" } : undefined;
  await raise();
  assert.deepEqual(
    written.slice(2).map(({ kind = "patch", count }) => [kind, count]),
    [
      ["patch", 3],
      ["Event", 3],
    ],
  );
});

test("the longest message is 1024 characters, a longer one ends with dots", async () => {
  const { recorder, written } = recording();
  recorder.record(object, "Normal", "Long", "a".repeat(1024));
  recorder.record(object, "Normal", "Long", "b".repeat(1025));
  await recorder.flushed();
  assert.deepEqual(
    written.map(({ message }) => message),
    ["a".repeat(1024), `${"b".repeat(1021)}...`],
  );
});

test("an event that the server refuses is logged, and the next one is sent", async () => {
  const { api, recorder, lines, written } = recording();
  recorder.record(object, "Normal", "Done", "done");
  await recorder.flushed();
  api.refuse = () => ({ kind: "Status", code: 403, reason: "Forbidden", message: "not allowed" });
  recorder.record(object, "Normal", "Done", "done");
  recorder.record(object, "Normal", "Other", "other");
  await recorder.flushed();
  assert.deepEqual(lines, [
    'warn Cannot send an event {"reason":"Done","error":"Error: not allowed"}',
    'warn Cannot send an event {"reason":"Other","error":"Error: not allowed"}',
  ]);
  api.refuse = () => undefined;
  recorder.record(object, "Normal", "Third", "third");
  await recorder.flushed();
  assert.equal(written.at(-1)?.["reason"], "Third");
  assert.equal(lines.length, 2);
});

test("of more than a thousand waiting events the rest is dropped with a log line", async () => {
  const { recorder, lines, written } = recording();
  for (let index = 0; index <= 1000; index++)
    recorder.record({ ...object, metadata: { ...object.metadata, name: `n${index}` } }, "Normal", "Many", "many");
  await recorder.flushed();
  assert.equal(written.length, 1000);
  assert.deepEqual(lines, ['warn Too many events wait to be sent, this one is dropped {"reason":"Many"}']);
  recorder.record(object, "Normal", "Later", "later");
  await recorder.flushed();
  assert.equal(written.length, 1001);
});

test("nothing is sent or logged after the end", async () => {
  const { api, recorder, lines, stopping, written } = recording();
  api.refuse = () => {
    stopping.abort(new Error("stopped"));
    throw new Error("cut off");
  };
  recorder.record(object, "Normal", "First", "first");
  recorder.record(object, "Normal", "Second", "second");
  await recorder.flushed();
  await settle();
  assert.equal(written.length, 1);
  assert.deepEqual(lines, []);
});
