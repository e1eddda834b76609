import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { checkCrdUpgrade } from "./crd-upgrade-safety.ts";

/** A CRD with one served version per schema of `spec.a`. */
function crd(...schemas: readonly JsonObject[]): JsonObject {
  const versions = schemas.map((a, i) => ({
    name: `v${i + 1}`,
    served: true,
    storage: i === 0,
    schema: { openAPIV3Schema: { type: "object", properties: { a } } },
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "Widget", plural: "widgets" }, versions },
    status: { storedVersions: ["v1"] },
  };
}

/** Messages up to where a schema is shown. */
function messages(old: JsonObject, next: JsonObject): readonly string[] {
  return (checkCrdUpgrade(old, next)?.messages ?? []).map((text) => text.replace(/: \[.*$/s, ""));
}

const removed = "v1: ^.a: oneOf: allowed oneOf schemas removed";
const p = { required: ["p"] };

test("a branch of oneOf is another one when what it accepts changes; its texts and examples do not count", () => {
  const cases: readonly (readonly [JsonValue, JsonValue, readonly string[]])[] = [
    [p, { ...p, title: "T" }, []],
    [p, { ...p, description: "D" }, []],
    [p, { ...p, example: { p: 1 } }, []],
    [p, { ...p, externalDocs: { url: "https://example.com" } }, []],
    [{ ...p, title: "T", description: "D" }, p, []],
    [p, { ...p, nullable: false }, []],
    [p, { ...p, enum: [], properties: {}, allOf: [] }, []],
    [p, { ...p, nullable: true }, [removed]],
    [p, { ...p, format: "uuid" }, [removed]],
    [p, { required: ["p", "q"] }, [removed]],
    [p, { ...p, items: {} }, [removed]],
    // Inside of a branch the texts count.
    [
      { ...p, properties: { p: { type: "string" } } },
      { ...p, properties: { p: { type: "string", title: "T" } } },
      [removed],
    ],
    [{ not: { ...p } }, { not: { ...p, description: "D" } }, [removed]],
  ];
  for (const [old, next, expected] of cases) {
    const found = messages(crd({ type: "object", oneOf: [old] }), crd({ type: "object", oneOf: [next] }));
    assert.deepEqual(
      found.filter((text) => text.includes(": oneOf:")),
      expected,
      JSON.stringify(next),
    );
  }
});

test("branches that Go prints with addresses differ from themselves as soon as their node changes", () => {
  const limit = { minimum: 1 };
  const cases: readonly (readonly [JsonObject, boolean])[] = [
    [{ properties: { p: { type: "string" } } }, true],
    [{ properties: { p: limit } }, false],
    [{ properties: { p: { "x-kubernetes-preserve-unknown-fields": true } } }, false],
    [{ properties: { p: { anyOf: [limit] } } }, false],
    [{ properties: { p: { properties: { q: { maxLength: 3 } } } } }, false],
    [{ patternProperties: { "^p": limit } }, false],
    // A schema behind a pointer prints what it holds.
    [limit, true],
    [{ anyOf: [limit] }, true],
    [{ not: limit }, true],
    [{ items: limit }, true],
    [{ additionalProperties: limit }, true],
    [{ properties: { p: { items: limit, default: { a: 1 }, enum: ["a"] } } }, true],
    [{ items: { properties: { p: limit } } }, false],
  ];
  for (const [branch, isItself] of cases) {
    const node = { type: "object", oneOf: [branch] };
    const text = JSON.stringify(branch);
    assert.deepEqual(messages(crd(node), crd(node)), [], text);
    assert.deepEqual(messages(crd(node), crd({ ...node, description: "D" })), isItself ? [] : [removed], text);
    // Between served versions such a finding always counts as new.
    const pair = crd(node, { ...node, description: "D" });
    const across = "v1 -> v2: ^.a: oneOf: allowed oneOf schemas removed";
    assert.deepEqual(messages(pair, pair), isItself ? [] : [across], text);
  }
});

test("a version without a schema counts as one with an empty schema; `schema: {}` has no node that could change", () => {
  const versionOf = (schema: JsonObject | undefined): JsonObject => {
    const { spec, ...rest } = crd({});
    const version = { name: "v1", served: true, storage: true, ...(schema === undefined ? {} : { schema }) };
    return { ...rest, spec: { ...(spec as JsonObject), versions: [version] } };
  };
  const [absent, empty, full] = [undefined, {}, { openAPIV3Schema: { type: "object" } }].map(versionOf) as [
    JsonObject,
    JsonObject,
    JsonObject,
  ];
  const changed = 'v1: ^: type: type changed : "" -> "object"';
  const lost = 'v1: ^: type: type changed : "object" -> ""';
  assert.deepEqual(messages(absent, full), [changed]);
  assert.deepEqual(messages(empty, full), []);
  assert.deepEqual(messages(full, absent), [lost]);
  assert.deepEqual(messages(full, empty), ["existingFieldRemoval: removed field : v1.^", lost]);
});
