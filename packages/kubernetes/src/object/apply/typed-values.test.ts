// What merging, comparison and removal make of pairs of values of each type, whole: ../testing/typed-values.txt.
// PURSER_TEST_RECORD=typed-values writes that file anew: look at the difference before it is committed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { allSteps, Strides } from "../../steps.ts";
import { compileSchema } from "../schema/structural-schema.ts";
import { compareTyped } from "./compare-typed.ts";
import { mergeSchemaOfStructural } from "./crd-merge-schema.ts";
import { decodeFields, encodeFields, type FieldSet, formatPath, pathsOf } from "./field-set.ts";
import type { Maybe } from "./list-elements.ts";
import { mergeTyped } from "./merge-typed.ts";
import { dropEmptied, removeFields } from "./remove-typed.ts";
import { fieldsInSteps, withNamedFields } from "./typed-fields.ts";

const file = join(import.meta.dirname, "../testing/typed-values.txt");
const list = (type: string, items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "array",
  items,
  "x-kubernetes-list-type": type,
  ...more,
});
const string = { type: "string" };
const compiled = compileSchema({
  type: "object",
  properties: {
    scalar: string,
    struct: { type: "object", properties: { a: string, b: { type: "object", properties: { c: string } } } },
    map: { type: "object", additionalProperties: string },
    whole: { type: "object", additionalProperties: { type: "integer" }, "x-kubernetes-map-type": "atomic" },
    set: list("set", string),
    keyed: list(
      "map",
      {
        type: "object",
        required: ["k"],
        properties: { k: string, l: { type: "string", default: "D" }, v: string, w: list("set", string) },
      },
      { "x-kubernetes-list-map-keys": ["k", "l"] },
    ),
    atomic: list("atomic", { type: "integer" }),
    free: { "x-kubernetes-preserve-unknown-fields": true },
  },
});
assert.ok(compiled.ok);
const schema = mergeSchemaOfStructural(compiled.value);

const values: Readonly<Record<string, readonly JsonValue[]>> = {
  scalar: [null, "1", "2"],
  struct: [null, {}, { a: "1" }, { a: "2", b: { c: "1" } }, { a: null, b: {} }, { x: "1", b: null }, "text"],
  map: [null, {}, { x: "1" }, { x: "1", y: "2" }, { x: null, "f:y": "2" }],
  whole: [null, {}, { x: 1 }, { x: 2, y: 1 }],
  set: [null, [], ["a"], ["b", "a"], ["c", "a", "d", "b"], ["a", "a", "b"], [null, "a"], "text"],
  keyed: [
    [],
    [{ k: "1" }],
    [
      { k: "2", v: "x" },
      { k: "1", l: "D", w: ["p"] },
    ],
    [
      { k: "1", v: "y" },
      { k: "1", v: "z" },
    ],
    [{ k: "3" }, { k: "1", v: "x", w: ["p", "q"] }, { k: "1", l: "E" }, { k: "2" }],
    [{ v: "q" }, { k: "1", v: null }],
    [null, { k: "1", w: [] }],
  ],
  atomic: [null, [], [1], [1, 2]],
  free: [null, 1, "s", [1], [], {}, { x: { y: 1 } }, { x: 1 }],
};

/** The value of a member of the object that is merged: a path begins at the object, which has no path of its own. */
class Sample {
  readonly value: Maybe;
  readonly object: JsonObject;
  readonly #field: string;

  constructor(field: string, value: Maybe) {
    this.#field = field;
    this.value = value;
    this.object = value === undefined ? {} : { [field]: value };
  }

  get fields(): FieldSet {
    return allSteps(fieldsInSteps(this.object, schema));
  }

  /** The member's value in what became of the object, `absent` where it is gone; an object that lost all is null. */
  shown(result: Maybe = this.object): string {
    if (!isJsonObject(result)) return JSON.stringify(result);
    const held = member(result, this.#field);
    return held === undefined ? "absent" : JSON.stringify(held);
  }
}

const paths = (set: FieldSet, mark = ""): readonly string[] =>
  allSteps(pathsOf(set)).map((path) => `${mark}${formatPath(path)}`);

/** The paths of one value, those with its named fields, and how `fieldsV1` says it. */
function ownedLine(sample: Sample): string {
  const { fields } = sample;
  const named = allSteps(withNamedFields(fields, schema));
  const encoded = allSteps(encodeFields(fields, new Strides()));
  assert.deepEqual(allSteps(decodeFields(encoded)), fields);
  return `${sample.shown()} owns ${paths(fields).join(" ")} / ${paths(named).join(" ")} / ${JSON.stringify(encoded)}`;
}

function pairLines(before: Sample, after: Sample): readonly string[] {
  const merged = allSteps(mergeTyped(before.object, after.object, schema));
  const { added, modified, removed } = allSteps(compareTyped(before.object, after.object, schema));
  const changes = [...paths(added, "+"), ...paths(modified, "~"), ...paths(removed, "-")].join(" ");
  const line = `${before.shown()} and ${after.shown()}: ${after.shown(merged)} ${changes}`.trimEnd();
  if (before.value === undefined || after.value === undefined) return [line];
  const left = allSteps(removeFields(before.object, schema, after.fields));
  const tidy = allSteps(dropEmptied(before.object, left, schema));
  return [line, `  less the second: ${before.shown(left)}, then ${before.shown(tidy)}`];
}

test("values of each type are merged, compared, owned and removed as recorded", () => {
  const lines: string[] = [];
  for (const [field, held] of Object.entries(values)) {
    const samples = [undefined, ...held].map((value) => new Sample(field, value));
    lines.push(`# ${field}`, ...samples.map(ownedLine));
    for (const before of samples) for (const after of samples) lines.push(...pairLines(before, after));
  }
  const text = `${lines.join("\n")}\n`;
  if (process.env["PURSER_TEST_RECORD"] === "typed-values") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"));
});
