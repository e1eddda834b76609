import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { allSteps } from "@purser/kubernetes/steps";
import { memoryStorage } from "./object-store.ts";
import { writtenInSteps } from "./written-object.ts";

const anyObject = fc
  .record({
    spec: fc.jsonValue({ maxDepth: 3 }),
    labels: fc.dictionary(fc.string(), fc.string()),
    revision: fc.constantFrom("", "first", "middle"),
    extra: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  })
  .map(({ spec, labels, revision, extra }) => {
    const version = { resourceVersion: "7" };
    const metadata = {
      ...(revision === "first" ? version : {}),
      name: "a",
      ...(revision === "middle" ? version : {}),
      labels,
      uid: undefined,
      finalizers: ["x"],
    };
    return { kind: "ConfigMap", apiVersion: "v1", ...extra, metadata, spec } as unknown as KubeObject;
  });

test("the text of an object that is written in steps is what the store would have written", () => {
  fc.assert(
    fc.property(anyObject, (object) => {
      const storage = memoryStorage();
      const stored = storage.put("configmaps", "demo/a", object);
      const written = allSteps(writtenInSteps(object));
      assert.equal(written.textAt(stored.metadata.resourceVersion ?? ""), JSON.stringify(stored));
      assert.equal(written.size, Buffer.byteLength(JSON.stringify(object)));
    }),
  );
});

test("the size of an object without any metadata is that of its text", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
  assert.equal(allSteps(writtenInSteps(object)).size, JSON.stringify(object).length);
});

test("the text of a wide object is written with pauses, and stored as it is", () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`key-${number}`, { a: [1] }]));
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data } as unknown as KubeObject;
  const steps = writtenInSteps(object);
  let pauses = 0;
  for (;;) {
    const step = steps.next();
    if (step.done !== true) {
      pauses++;
      continue;
    }
    const storage = memoryStorage();
    const { stringify } = JSON;
    let longest = 0;
    JSON.stringify = (value: unknown) => {
      const text = stringify(value);
      longest = Math.max(longest, text.length);
      return text;
    };
    try {
      storage.put("configmaps", "demo/a", object, step.value);
    } finally {
      JSON.stringify = stringify;
    }
    assert.ok(longest < 100, `${longest} characters at once`);
    assert.equal(storage.version("configmaps", "demo/a")?.text, JSON.stringify(storage.get("configmaps", "demo/a")));
    break;
  }
  assert.ok(pauses >= 12, `${pauses} pauses`);
});
