import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json.ts";
import { allSteps } from "../../steps.ts";
import { mergeSchemaOfStructural } from "./crd-merge-schema.ts";
import { applyServerSide, type Applied } from "./apply-server-side.ts";
import { updateManagedFields } from "./managed-fields.ts";
import { prune } from "../schema/prune.ts";
import { applyDefaults } from "../schema/schema-defaults.ts";
import { deepEqual } from "../semantic-equal.ts";
import { compileSchema } from "../schema/structural-schema.ts";

const compiled = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      default: {},
      properties: {
        a: { type: "string", default: "d" },
        s: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        l: { type: "array", items: { type: "integer" } },
        k: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
          items: {
            type: "object",
            required: ["n"],
            properties: { n: { type: "string" }, v: { type: "integer", default: 3 } },
          },
        },
        m: { type: "object", additionalProperties: { type: "string" } },
      },
    },
  },
});
assert.ok(compiled.ok);
const structural = compiled.value;
const schema = mergeSchemaOfStructural(structural);

const word = fc.constantFrom("a", "b", "c");
/** No empty containers: emptied ones vanish, given ones come back, upstream's applies do not settle there either. */
const spec = fc.record(
  {
    a: word,
    s: fc.uniqueArray(word, { minLength: 1 }),
    l: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
    k: fc.uniqueArray(fc.record({ n: word, v: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: ["n"] }), {
      selector: (item) => item.n,
      minLength: 1,
    }),
    m: fc.dictionary(word, word, { noNullPrototype: true, minKeys: 1 }),
  },
  { requiredKeys: ["a"] },
);

function resource(held: JsonObject): JsonObject {
  return { apiVersion: "ex.io/v1", kind: "P", metadata: { name: "x" }, spec: held };
}

let tick = 0;

function apply(live: JsonObject | undefined, manager: string, held: JsonObject): Applied {
  const result = allSteps(
    applyServerSide({
      ...(live === undefined ? {} : { live }),
      applied: resource(held),
      manager,
      force: true,
      apiVersion: "ex.io/v1",
      schema,
      now: new Date(Date.UTC(2026, 0, 1) + 1000 * tick++).toISOString(),
    }),
  );
  assert.ok(result.ok);
  return result.value;
}

function update(live: JsonObject, manager: string, held: JsonObject): JsonObject {
  const next = resource(held);
  const managedFields = allSteps(
    updateManagedFields({
      old: live,
      next,
      manager,
      apiVersion: "ex.io/v1",
      schema,
      now: new Date(Date.UTC(2026, 0, 1) + 1000 * tick++).toISOString(),
    }),
  );
  return { ...next, metadata: { name: "x", managedFields: managedFields as unknown as JsonValue } };
}

const write = fc.record({ manager: fc.constantFrom("m1", "m2", "m3"), isApply: fc.boolean(), held: spec });

test("after any writes, the second of two equal forced applies changes nothing", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 5 }), spec, (writes, last) => {
      let live: JsonObject | undefined;
      for (const { manager, isApply, held } of writes) {
        live = isApply || live === undefined ? apply(live, manager, held).object : update(live, manager, held);
      }
      const once = apply(live, "m1", last);
      const twice = apply(once.object, "m1", last);
      assert.equal(twice.changed, false);
      assert.equal(twice.object, once.object);
    }),
  );
});

test("what a manager applies is in the object, whatever the object was", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 4 }), spec, (writes, last) => {
      let live: JsonObject | undefined;
      for (const { manager, held } of writes) live = apply(live, manager, held).object;
      const { object } = apply(live, "m1", last);
      const result = (object["spec"] ?? {}) as JsonObject;
      assert.equal(result["a"], last.a);
      if (last.l !== undefined) assert.deepEqual(result["l"], last.l);
      for (const item of last.s ?? []) assert.ok((result["s"] as readonly string[]).includes(item));
      for (const [key, value] of Object.entries(last.m ?? {})) assert.equal((result["m"] as JsonObject)[key], value);
    }),
  );
});

test("a single applier's object contains only what it applies", () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const { object } = apply(apply(undefined, "m1", first).object, "m1", second);
      const fresh = apply(undefined, "m1", second).object;
      const comparable = (held: JsonValue | undefined): JsonValue => {
        const given = (held ?? {}) as JsonObject;
        // Order of a set is history, not content; an emptied container may stay or go.
        return Object.fromEntries(
          Object.entries(given).flatMap(([key, value]) => {
            if (value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0))
              return [];
            return [
              [key, Array.isArray(value) && key !== "l" ? value.map((item) => JSON.stringify(item)).toSorted() : value],
            ];
          }),
        );
      };
      assert.ok(
        deepEqual(comparable(object["spec"]), comparable(fresh["spec"])),
        JSON.stringify([object["spec"], fresh["spec"]]),
      );
    }),
  );
});

const anything = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue);

test("pruning and defaulting are idempotent and never change their input", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anything,
        spec.map((held) => ({ spec: held, extra: 1 }) as JsonValue),
      ),
      (value) => {
        const before = JSON.stringify(value);
        const pruned = prune(value, structural, { isResourceRoot: true }).value;
        assert.deepEqual(prune(pruned, structural, { isResourceRoot: true }).pruned, []);
        const filled = applyDefaults(pruned, structural);
        assert.equal(applyDefaults(filled, structural), filled);
        assert.equal(JSON.stringify(value), before);
      },
    ),
  );
});
