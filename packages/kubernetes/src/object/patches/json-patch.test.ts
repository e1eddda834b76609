import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { applyJsonPatch } from "./json-patch.ts";

/** A document, a patch, and the result; or the operation that failed and why. */
const patches: readonly (readonly [document: JsonValue, patch: JsonValue, result: JsonValue])[] = [
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, {}, "-1: a JSON patch is a list of operations"],
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, [1], "0: an operation is an object"],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/a", value: 1 }, null],
    "1: an operation is an object",
  ],
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, [{}], "0: Unexpected kind: unknown"],
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, [{ op: 5 }], "0: Unexpected kind: unknown"],
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, [{ op: "frob", path: "/a" }], "0: Unexpected kind: frob"],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", value: 1 }],
    "0: add operation failed to decode path: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: 5 }],
    "0: remove operation failed to decode path: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "", value: 1 }],
    "0: replace operation value must be object or array: %!w(<nil>)",
  ],
  [{ a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null }, [{ op: "replace", path: "", value: [1] }], [1]],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "" }],
    "0: replace operation value must be object or array: %!w(<nil>)",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "", value: { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } } }],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "", value: { a: 1 } }],
    "0: testing value  failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/x/y", value: 1 }],
    '0: add operation does not apply: doc is missing path: "/x/y": missing value',
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/x/y" }],
    '0: remove operation does not apply: doc is missing path: "/x/y": missing value',
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "/x/y", value: 1 }],
    "0: replace operation does not apply: doc is missing path: /x/y: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/x/y", value: 1 }],
    "0: test operation does not apply: is missing path: /x/y: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/a/y", value: 1 }],
    '0: add operation does not apply: doc is missing path: "/a/y": missing value',
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "x", value: 1 }],
    '0: add operation does not apply: doc is missing path: "x": missing value',
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/x" }],
    "0: error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "/l/5", value: 1 }],
    "0: replace operation does not apply: doc is missing key: /l/5: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "/l/0", value: 9 }],
    { a: 1, l: [9, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "/l/-1", value: 9 }],
    { a: 1, l: [1, 9], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "replace", path: "/l/-", value: 9 }],
    "0: replace operation does not apply: doc is missing key: /l/-: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/-2", value: 9 }],
    { a: 1, l: [1, 9, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/-3", value: 9 }],
    { a: 1, l: [9, 1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/3", value: 9 }],
    "0: error in add for path: '/l/3': Unable to access invalid index: 3: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/x", value: 9 }],
    "0: error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/01", value: 9 }],
    { a: 1, l: [1, 9, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/99999999999999999999", value: 9 }],
    "0: error in add for path: '/l/99999999999999999999': value was not a proper array index: '99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": value out of range",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "add", path: "/l/", value: 9 }],
    "0: error in add for path: '/l/': value was not a proper array index: '': strconv.Atoi: parsing \"\": invalid syntax",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/l/0" }],
    { a: 1, l: [2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/l/2" }],
    "0: error in remove for path: '/l/2': Unable to access invalid index: 2: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/l/-1" }],
    { a: 1, l: [1], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/l/-3" }],
    "0: error in remove for path: '/l/-3': Unable to access invalid index: -3: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "remove", path: "/l/x" }],
    "0: error in remove for path: '/l/x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/a", value: 2 }],
    "0: testing value /a failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/l", value: [1, 2] }],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/l", value: [1] }],
    "0: testing value /l failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/l", value: [2, 1] }],
    "0: testing value /l failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/l", value: { "0": 1 } }],
    "0: testing value /l failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: [1] }],
    "0: testing value /o failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: { b: { c: 2 } } }],
    "0: testing value /o failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: { b: { c: 1 }, d: 1 } }],
    "0: testing value /o failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: { e: { c: 1 } } }],
    "0: testing value /o failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: { b: { c: 1 } } }],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/n", value: null }],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/n" }],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/a" }],
    "0: testing value /a failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/l/7", value: 1 }],
    "0: error in test for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/a", value: "1" }],
    "0: testing value /a failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "test", path: "/o", value: null }],
    "0: testing value /o failed: test failed",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", path: "/x" }],
    "0: move operation failed to decode from: operation, missing from field: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/x/y", path: "/z" }],
    "0: move operation does not apply: doc is missing from path: /x/y: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/x", path: "/z" }],
    "0: error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/a" }],
    "0: move operation failed to decode path: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/a", path: "/x/y" }],
    "0: move operation does not apply: doc is missing destination path: /x/y: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/l/0", path: "/o/z" }],
    { a: 1, l: [2], n: null, o: { b: { c: 1 }, z: 1 } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "move", from: "/l/9", path: "/o/z" }],
    "0: error in move for path: '9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "copy", from: "/l/9", path: "/z" }],
    "0: error in copy for from: '/l/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "copy", path: "/x" }],
    "0: copy operation failed to decode from: operation, missing from field: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "copy", from: "/x/y", path: "/z" }],
    "0: copy operation does not apply: doc is missing from path: /x/y: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "copy", from: "/o", path: "/l/-" }],
    { a: 1, l: [1, 2, { b: { c: 1 } }], n: null, o: { b: { c: 1 } } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [{ op: "copy", from: "/o", path: "/q/z" }],
    "0: copy operation does not apply: doc is missing destination path: /q/z: missing value",
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [
      { op: "copy", from: "/o/b", path: "/z" },
      { op: "replace", path: "/z/c", value: 2 },
    ],
    { a: 1, l: [1, 2], n: null, o: { b: { c: 1 } }, z: { c: 2 } },
  ],
  [
    { a: 1, l: [1, 2], o: { b: { c: 1 } }, n: null },
    [
      { op: "add", path: "/z", value: {} },
      { op: "remove", path: "/zz" },
    ],
    "1: error in remove for path: '/zz': Unable to remove nonexistent key: zz: missing value",
  ],
  [[1, 2], [{ op: "add", path: "/0", value: 0 }], [0, 1, 2]],
  [
    5,
    [{ op: "add", path: "/0", value: 0 }],
    '0: add operation does not apply: doc is missing path: "/0": missing value',
  ],
  [5, [{ op: "test", path: "", value: 5 }], 5],
  [{ "a~b": 1, "c/d": 2 }, [{ op: "test", path: "/a~0b", value: 1 }], { "a~b": 1, "c/d": 2 }],
  [{ "": 1 }, [{ op: "remove", path: "/" }], {}],
  [
    { s: "x".repeat(1000000) },
    [
      { op: "copy", from: "/s", path: "/1" },
      { op: "copy", from: "/s", path: "/2" },
      { op: "copy", from: "/s", path: "/3" },
      { op: "copy", from: "/s", path: "/4" },
    ],
    "3: Unable to complete the copy, the accumulated size increase of copy is 4000008, exceeding the limit 3145728",
  ],
];

for (const [index, [document, patch, expected]] of patches.entries())
  test(`JSON patch ${index} ${typeof expected === "string" ? "fails as in kube-apiserver" : "gives its result"}`, () => {
    const result = applyJsonPatch(document, patch);
    assert.deepEqual(result.ok ? result.value : `${result.problem.operation}: ${result.problem.message}`, expected);
  });
