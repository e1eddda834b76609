import assert from "node:assert/strict";
import { test } from "node:test";
import { compareKubeVersions } from "./kube-version-order.ts";
import { unhandledChanges } from "./unhandled-changes.ts";
import { branchesOf, branchesWithout } from "./oneof-branches.ts";

test("API versions are ordered by stability, then by number; other names come first, the last by text before the others", () => {
  const sorted = [
    "z",
    "foo",
    "v0",
    "v1alpha1",
    "v1alpha2",
    "v2alpha1",
    "v1beta1",
    "v1beta10",
    "v3beta1",
    "v1",
    "v2",
    "v10",
  ];
  assert.deepEqual([...sorted].reverse().toSorted(compareKubeVersions), ["z", "v0", "foo", ...sorted.slice(3)]);
  assert.deepEqual(
    [compareKubeVersions("v1", "v1"), compareKubeVersions("x", "x"), compareKubeVersions("v1beta1", "v1beta1")],
    [0, 0, 0],
  );
});

test("a change that no rule is about is named as Go's type names the member, with how Go shows it", () => {
  const rows: readonly (readonly [member: string, name: string, before: unknown, after: unknown, shown: string])[] = [
    ["id", "ID", "a", "b", '"a" -> "b"'],
    ["$schema", "Schema", "a", "b", '"a" -> "b"'],
    ["$ref", "Ref", "a", undefined, '&"a" -> nil'],
    ["format", "Format", undefined, 'q"', '"" -> `q"`'],
    ["title", "Title", "a", "b", '"a" -> "b"'],
    ["exclusiveMaximum", "ExclusiveMaximum", true, undefined, "true -> false"],
    ["exclusiveMinimum", "ExclusiveMinimum", undefined, true, "false -> true"],
    ["uniqueItems", "UniqueItems", true, undefined, "true -> false"],
    ["multipleOf", "MultipleOf", 2, 3, "&2 -> &3"],
    ["allOf", "AllOf", undefined, [{ type: "a" }], "nil -> <complex value>"],
    ["anyOf", "AnyOf", [{ type: "a" }], undefined, "<complex value> -> nil"],
    ["not", "Not", { type: "a" }, undefined, "<complex value> -> nil"],
    ["additionalProperties", "AdditionalProperties", undefined, { type: "a" }, "nil -> <complex value>"],
    ["patternProperties", "PatternProperties", undefined, { a: { type: "a" } }, "nil -> <complex value>"],
    ["dependencies", "Dependencies", undefined, { a: ["b"] }, "nil -> <complex value>"],
    ["additionalItems", "AdditionalItems", undefined, { type: "a" }, "nil -> <complex value>"],
    ["definitions", "Definitions", undefined, { a: { type: "a" } }, "nil -> <complex value>"],
    ["externalDocs", "ExternalDocs", undefined, { url: "a" }, "nil -> <complex value>"],
    ["example", "Example", 1, 2, "<complex value> -> <complex value>"],
    ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", true, undefined, "&true -> nil"],
    ["x-kubernetes-embedded-resource", "XEmbeddedResource", true, undefined, "true -> false"],
    ["x-kubernetes-int-or-string", "XIntOrString", true, undefined, "true -> false"],
    ["x-kubernetes-list-map-keys", "XListMapKeys", undefined, ["a", "b"], 'nil -> []string{"a", "b"}'],
    ["x-kubernetes-list-type", "XListType", "set", "map", '&"set" -> &"map"'],
    ["x-kubernetes-map-type", "XMapType", undefined, "atomic", 'nil -> &"atomic"'],
    [
      "x-kubernetes-validations",
      "XValidations",
      undefined,
      [{ rule: "self", message: "m" }, { rule: "other" }],
      'nil -> ValidationRules{{Rule: "self", Message: "m"}, {Rule: "other"}}',
    ],
    ["x-other", "x-other", undefined, 1, "nil -> <complex value>"],
  ];
  for (const [member, name, before, after, shown] of rows) {
    const node = (value: unknown) => (value === undefined ? {} : { [member]: value }) as never;
    assert.equal(unhandledChanges(node(before), node(after)), `unhandled changes found (${name} ${shown})`, member);
    assert.equal(unhandledChanges(node(after), node(after)), undefined, member);
  }
});

test("of nested schemas the simple members that differ are named", () => {
  const inner = (old: object, next: object) => unhandledChanges({ not: old } as never, { not: next } as never);
  const rows: readonly (readonly [member: string, before: unknown, after: unknown, text: string])[] = [
    ["description", "a", "b", 'Description "a" -> "b"'],
    ["type", "a", "b", 'Type "a" -> "b"'],
    ["maximum", 1, 2, "Maximum &1 -> &2"],
    ["minimum", 1, 2, "Minimum &1 -> &2"],
    ["maxLength", 1, 2, "MaxLength &1 -> &2"],
    ["minLength", 1, 2, "MinLength &1 -> &2"],
    ["pattern", "a", "b", 'Pattern "a" -> "b"'],
    ["maxItems", 1, 2, "MaxItems &1 -> &2"],
    ["minItems", 1, 2, "MinItems &1 -> &2"],
    ["maxProperties", 1, 2, "MaxProperties &1 -> &2"],
    ["minProperties", 1, 2, "MinProperties &1 -> &2"],
    ["required", ["a"], ["b"], 'Required []string{"a"} -> []string{"b"}'],
    ["oneOf", [{ type: "a" }], [{ type: "b" }], "OneOf <complex value> -> <complex value>"],
    ["nullable", true, false, "Nullable true -> false"],
    ["default", 1, 2, "Default <complex value> -> <complex value>"],
    ["format", "a", "b", 'Format "a" -> "b"'],
  ];
  for (const [member, before, after, text] of rows)
    assert.equal(inner({ [member]: before }, { [member]: after }), `unhandled changes found (${text})`, member);
  assert.equal(
    unhandledChanges({ allOf: [{ type: "a" }, { type: "b" }] }, { allOf: [{ type: "a" }, { type: "c" }] }),
    'unhandled changes found (Type "b" -> "c")',
  );
  assert.equal(
    inner({ properties: { a: { type: "a" } } }, { properties: { a: { type: "b" } } }),
    "unhandled changes found",
  );
});

test("branches are compared without what they say and what is empty, once each; what Go shows by address equals nothing", () => {
  const texts = (...oneOf: readonly object[]) =>
    branchesOf({ oneOf } as never).map(({ text, comparable }) => `${text} ${comparable}`);
  assert.deepEqual(
    texts(
      { required: ["b"], title: "t", description: "d", example: 1, externalDocs: {} },
      { required: ["b"] },
      { required: ["a"], enum: [], properties: {}, allOf: [], default: { enum: [] } },
      { not: { required: [], enum: [{ required: [] }], title: "t" } },
    ),
    [
      '{"default":{"enum":[]},"required":["a"]} true',
      '{"not":{"enum":[{"required":[]}],"title":"t"}} true',
      '{"required":["b"]} true',
    ],
  );
  const comparable = (branch: object) => branchesOf({ oneOf: [branch] } as never)[0]?.comparable;
  const limit = { maximum: 1 };
  assert.deepEqual(
    [
      comparable(limit),
      comparable({ properties: { a: limit } }),
      comparable({ patternProperties: { a: limit } }),
      comparable({ definitions: { a: limit } }),
      comparable({ properties: { a: { anyOf: [limit] } } }),
      comparable({ anyOf: [limit] }),
      comparable({ properties: { a: { items: limit } } }),
      comparable({ items: { properties: { a: limit } } }),
      comparable({ items: [{ properties: { a: limit } }] }),
      comparable({ not: { properties: { a: limit } } }),
      comparable({ additionalProperties: { properties: { a: limit } } }),
      comparable({ additionalItems: { properties: { a: limit } } }),
      comparable({ dependencies: { a: { properties: { a: limit } } } }),
      comparable({ properties: { a: { "x-kubernetes-validations": [{ reason: "r" }] } } }),
      comparable({ properties: { a: { "x-kubernetes-validations": [{ rule: "r" }] } } }),
      comparable({ "x-kubernetes-validations": [{ reason: "r" }] }),
      comparable({ properties: { a: { type: "string" } } }),
    ],
    [true, false, false, false, false, true, true, false, false, false, false, false, false, false, true, true, true],
  );
  for (const name of [
    "$ref",
    "minimum",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "multipleOf",
    "maxProperties",
    "minProperties",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
  ])
    assert.equal(comparable({ properties: { a: { [name]: 1 } } }), false, name);
  const [a, b, odd] = [
    { text: "a", comparable: true },
    { text: "b", comparable: true },
    { text: "c", comparable: false },
  ];
  assert.deepEqual(branchesWithout([a, b, odd], [a, odd]), [b, odd]);
  assert.deepEqual(branchesOf({}), []);
});
