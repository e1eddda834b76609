import assert from "node:assert/strict";
import { test } from "node:test";
import { sortedAlong } from "./json-patch-order.ts";

const document = { spec: { z: { d: 1, c: 2 }, a: [{ y: 1, x: 2 }] }, kind: "K" };

for (const [name, patch, wanted] of [
  [
    "what an operation leads through comes back sorted, its target does not",
    [{ op: "copy", from: "/spec/z", path: "/spec/w" }],
    '{"kind":"K","spec":{"a":[{"y":1,"x":2}],"z":{"d":1,"c":2}}}',
  ],
  [
    "an item of a list is opened alone",
    [{ op: "remove", path: "/spec/a/0/w" }],
    '{"kind":"K","spec":{"a":[{"x":2,"y":1}],"z":{"d":1,"c":2}}}',
  ],
  [
    "a test opens all of its target",
    [{ op: "test", path: "/spec", value: {} }],
    '{"kind":"K","spec":{"a":[{"x":2,"y":1}],"z":{"c":2,"d":1}}}',
  ],
] as const)
  test(name, () => {
    assert.equal(JSON.stringify(sortedAlong(document, patch)), wanted);
  });
