import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../apis/object.ts";
import { configMaps } from "../../apis/resources.ts";
import type { SpanReference, Tracing } from "../../tracing.ts";
import type { Progress } from "../plan.ts";
import { Causes } from "./causes.ts";

interface Noted {
  readonly name: string;
  readonly parent: SpanReference | undefined;
  readonly attributes: object;
  ended?: readonly [state: unknown, failure: string | undefined];
}

const reference = (name: string): SpanReference => ({ traceId: name, spanId: name }) as unknown as SpanReference;

function noting(): { readonly causes: Causes; readonly spans: Noted[] } {
  const spans: Noted[] = [];
  const begin: Tracing["begin"] = ({ name, parent, attributes }) => {
    const span: Noted = { name, parent, attributes: attributes ?? {} };
    spans.push(span);
    return {
      reference: reference(`${name} ${spans.length}`),
      end: (given, failure) => (span.ended = [given?.["purser.state"], failure]),
    };
  };
  return { causes: new Causes({ begin } as unknown as Tracing), spans };
}

const object = (resourceVersion: string, uid = "u"): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "demo", name: "x", uid, resourceVersion },
});
const key = { namespace: "demo", name: "x" };
const pass = reference("pass");
const working = (): Progress => ({ kind: "working", state: "Pending" });

test("a change follows from the pass that wrote it: by its version, or by its name while the write is under way", () => {
  const { causes } = noting();
  const written = causes.writing(configMaps, key, pass);
  assert.equal(causes.of(configMaps, { after: object("9") }), pass);
  written(object("10"));
  assert.equal(causes.of(configMaps, { after: object("10") }), pass);
  for (const change of [{ after: object("11") }, { after: object("10", "other") }, { before: object("10") }, {}])
    assert.equal(causes.of(configMaps, change), undefined);
});

test("an object without a uid or a version is known by no write that has ended", () => {
  const { causes } = noting();
  for (const metadata of [{ resourceVersion: "1" }, { uid: "u" }]) {
    const bare = { ...object("1"), metadata: { ...key, ...metadata } };
    causes.writing(configMaps, key, pass)(bare);
    assert.equal(causes.of(configMaps, { after: bare }), undefined, JSON.stringify(metadata));
  }
});

test("of two writes under way the later one is the cause, also after the first has ended", () => {
  const { causes } = noting();
  const first = causes.writing(configMaps, key, pass);
  const second = causes.writing(configMaps, key, reference("second"));
  first();
  assert.deepEqual(causes.of(configMaps, { before: object("9") }), reference("second"));
  second();
  assert.equal(causes.of(configMaps, { before: object("9") }), undefined);
});

test("of ten thousand writes the first is forgotten", () => {
  const { causes } = noting();
  for (let version = 0; version <= 10_000; version++) causes.writing(configMaps, key, pass)(object(String(version)));
  assert.equal(causes.of(configMaps, { after: object("0") }), undefined);
  assert.equal(causes.of(configMaps, { after: object("1") }), pass);
});

test("a journey begins once, below the pass that set it going, and ends with the state", () => {
  const { causes, spans } = noting();
  const noted: readonly Noted[] = spans;
  causes.writing(configMaps, key, pass)(object("1"));
  causes.progressed(configMaps, { after: object("1") }, working);
  causes.progressed(configMaps, { before: object("1"), after: object("2") }, working);
  assert.deepEqual(causes.journey(configMaps, key), reference("ConfigMap demo/x 1"));
  assert.deepEqual(spans, [
    {
      name: "ConfigMap demo/x",
      parent: pass,
      attributes: {
        "purser.object.kind": "ConfigMap",
        "purser.object.name": "x",
        "k8s.namespace.name": "demo",
        "purser.state.first": "Pending",
      },
    },
  ]);
  causes.progressed(
    configMaps,
    { before: object("2"), after: object("3") },
    () => ({ kind: "done", state: "Ready" }) as Progress,
  );
  assert.deepEqual(noted[0]?.ended, ["Ready", undefined]);
  assert.equal(causes.journey(configMaps, key), undefined);
});

test("a journey ends as failed, deleted, replaced or interrupted", () => {
  const ends = (next: (causes: Causes) => void): readonly unknown[] => {
    const { causes, spans } = noting();
    causes.progressed(configMaps, { after: object("1") }, working);
    next(causes);
    return [spans.length, spans[0]?.ended];
  };
  const failed = (): Progress => ({ kind: "failed", state: "Failed", message: "why" });
  assert.deepEqual(
    ends((causes) => causes.progressed(configMaps, { before: object("1"), after: object("2") }, failed)),
    [1, ["Failed", "why"]],
  );
  assert.deepEqual(
    ends((causes) => causes.progressed(configMaps, { before: object("1") }, working)),
    [1, ["Deleted", "deleted"]],
  );
  assert.deepEqual(
    ends((causes) => causes.progressed(configMaps, { before: object("1"), after: object("2", "new") }, working)),
    [2, ["Deleted", "deleted"]],
  );
  assert.deepEqual(
    ends((causes) => causes.progressed(configMaps, {}, working)),
    [1, undefined],
  );
  assert.deepEqual(
    ends((causes) => causes.close()),
    [1, ["Interrupted", undefined]],
  );
});
