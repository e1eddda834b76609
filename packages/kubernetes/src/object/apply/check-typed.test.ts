import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { mergeSchemaOf } from "./builtin-merge-schemas.ts";
import { checkTyped, typedObjectText } from "./check-typed.ts";

const pod = mergeSchemaOf({ group: "", version: "v1", kind: "Pod" });
assert.ok(pod !== undefined);

/** A Pod and its faults: as it is applied, as it is stored, as it is converted. */
const pods: readonly (readonly [
  value: JsonValue,
  applied: readonly string[],
  stored: readonly string[],
  converted: readonly string[],
])[] = [
  [{ spec: { containers: [{ name: "a" }] } }, [], [], []],
  [
    { spec: { containers: [{ name: "a" }, { name: "a" }] } },
    ['.spec.containers: duplicate entries for key [name="a"]'],
    [],
    ['.spec.containers: duplicate entries for key [name="a"]'],
  ],
  [
    { spec: { containers: "x" } },
    [".spec.containers: expected list, got &{x}"],
    [".spec.containers: expected list, got &{x}"],
    [".spec.containers: expected list, got &{x}"],
  ],
  [
    { spec: "x" },
    [".spec: expected map, got &{x}"],
    [".spec: expected map, got &{x}"],
    [".spec: expected map, got &{x}"],
  ],
  [{ spec: { containers: [{ image: "i" }] } }, [], [], []],
  [{ spec: { nothing: 1, more: 2 } }, [".spec.more: field not declared in schema"], [], []],
  [{ nothing: 1 }, [".nothing: field not declared in schema"], [], []],
  [
    { metadata: { name: 5 } },
    [".metadata.name: expected string, got &value.valueUnstructured{Value:5}"],
    [".metadata.name: expected string, got &value.valueUnstructured{Value:5}"],
    [".metadata.name: expected string, got &value.valueUnstructured{Value:5}"],
  ],
  [
    { metadata: { name: ["a", 1, true, null, { b: "c", a: [1] }] } },
    [
      '.metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1, true, interface {}(nil), map[string]interface {}{"a":[]interface {}{1}, "b":"c"}}}',
    ],
    [
      '.metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1, true, interface {}(nil), map[string]interface {}{"a":[]interface {}{1}, "b":"c"}}}',
    ],
    [
      '.metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1, true, interface {}(nil), map[string]interface {}{"a":[]interface {}{1}, "b":"c"}}}',
    ],
  ],
  [
    { metadata: { name: { b: "c" } } },
    ['.metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":"c"}}'],
    ['.metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":"c"}}'],
    ['.metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":"c"}}'],
  ],
  [
    { spec: { priority: "x" } },
    [".spec.priority: expected numeric (int or float), got string"],
    [".spec.priority: expected numeric (int or float), got string"],
    [".spec.priority: expected numeric (int or float), got string"],
  ],
  [
    { spec: { priority: true } },
    [".spec.priority: expected numeric (int or float), got bool"],
    [".spec.priority: expected numeric (int or float), got bool"],
    [".spec.priority: expected numeric (int or float), got bool"],
  ],
  [
    { spec: { priority: [1] } },
    [".spec.priority: expected numeric (int or float), got []interface {}"],
    [".spec.priority: expected numeric (int or float), got []interface {}"],
    [".spec.priority: expected numeric (int or float), got []interface {}"],
  ],
  [
    { spec: { priority: { a: 1 } } },
    [".spec.priority: expected numeric (int or float), got map[string]interface {}"],
    [".spec.priority: expected numeric (int or float), got map[string]interface {}"],
    [".spec.priority: expected numeric (int or float), got map[string]interface {}"],
  ],
  [{ spec: { priority: 5 } }, [], [], []],
  [
    { spec: { hostNetwork: "x" } },
    [".spec.hostNetwork: expected boolean, got &{x}"],
    [".spec.hostNetwork: expected boolean, got &{x}"],
    [".spec.hostNetwork: expected boolean, got &{x}"],
  ],
  [{ spec: { hostNetwork: true } }, [], [], []],
  [{ spec: { hostNetwork: null } }, [], [], []],
  [
    { metadata: { labels: { a: 1 } } },
    [".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}"],
    [".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}"],
    [".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}"],
  ],
  [
    { metadata: { finalizers: ["a", "a"] } },
    ['.metadata.finalizers: duplicate entries for key [="a"]'],
    [],
    ['.metadata.finalizers: duplicate entries for key [="a"]'],
  ],
  [
    { metadata: { finalizers: [{ a: 1 }] } },
    [".metadata.finalizers: element 0: associative list without keys has an element that's a map type"],
    [".metadata.finalizers: element 0: associative list without keys has an element that's a map type"],
    [".metadata.finalizers: element 0: associative list without keys has an element that's a map type"],
  ],
  [
    { spec: { tolerations: ["x", { key: 5 }] } },
    [
      ".spec.tolerations[0]: expected map, got &{x}",
      ".spec.tolerations[1].key: expected string, got &value.valueUnstructured{Value:5}",
    ],
    [
      ".spec.tolerations[0]: expected map, got &{x}",
      ".spec.tolerations[1].key: expected string, got &value.valueUnstructured{Value:5}",
    ],
    [
      ".spec.tolerations[0]: expected map, got &{x}",
      ".spec.tolerations[1].key: expected string, got &value.valueUnstructured{Value:5}",
    ],
  ],
  [5, ["expected map, got &{5}"], ["expected map, got &{5}"], ["expected map, got &{5}"]],
  [[1], ["expected map, got &{[1]}"], ["expected map, got &{[1]}"], ["expected map, got &{[1]}"]],
  [null, [], [], []],
];

const items: readonly (readonly [value: JsonValue, fault: string])[] = [
  [
    { metadata: { finalizers: [["a"]] } },
    ".metadata.finalizers: element 0: not supported: associative list with lists as elements",
  ],
  [
    { metadata: { finalizers: ["a", null] } },
    ".metadata.finalizers: element 1: associative list without keys has an element that's an explicit null",
  ],
  [
    { spec: { containers: [null] } },
    ".spec.containers: element 0: associative list with keys may not have a null element",
  ],
  [
    { spec: { containers: ["x"] } },
    ".spec.containers: element 0: associative list with keys may not have non-map elements",
  ],
];
for (const [value, fault] of items)
  test(`an item without a key of its own is refused: ${JSON.stringify(value)}`, () => {
    for (const strictness of ["applied", "stored", "converted"] as const)
      assert.deepEqual(allSteps(checkTyped(value, pod, strictness)), [fault]);
  });

for (const [value, applied, stored, converted] of pods)
  test(`${JSON.stringify(value)} ${applied.length === 0 ? "fits" : "does not fit"} the type of a Pod`, () => {
    assert.deepEqual(allSteps(checkTyped(value, pod)), applied);
    assert.deepEqual(allSteps(checkTyped(value, pod, "stored")), stored);
    assert.deepEqual(allSteps(checkTyped(value, pod, "converted")), converted);
  });

test("the refusal of an object names it and lists its faults", () => {
  const object = { kind: "Pod", metadata: { namespace: "ns", name: "p" } };
  const one = typedObjectText(object, "v1", ["f"], "typed patch object", " after");
  assert.equal(one, "typed patch object (ns/p; /v1, Kind=Pod) after: f");
  const two = typedObjectText({ metadata: { name: 5 } }, "apps/v1", ["f", "g"], "object");
  assert.equal(two, "object (/; apps/v1, Kind=): errors:\n  f\n  g");
  assert.equal(typedObjectText({ kind: "K" }, "v1", [], "object"), "object (/; /v1, Kind=K): errors:\n");
});
