import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { allSteps, Strides } from "../../steps.ts";
import {
  decodeFields,
  difference,
  differenceBelow,
  emptySet,
  encodeFields,
  type FieldSet,
  formatPath,
  hasPath,
  intersectionInSteps,
  pathsOf,
  setOf,
  union,
  unionOf,
} from "./field-set.ts";

/** `.a .a.b [="x"]`, with `.` for the path of the set itself. */
const shown = (set: FieldSet): string =>
  [...(set.member ? ["."] : []), ...allSteps(pathsOf(set)).map(formatPath)].join(" ");
/** A set from paths such as `f:a/f:b`; the empty text is the path of the set itself. */
const set = (...paths: readonly string[]): FieldSet => setOf(paths.map((path) => (path === "" ? [] : path.split("/"))));
const encoded = (fields: FieldSet): string => JSON.stringify(allSteps(encodeFields(fields, new Strides())));

test("a set holds the paths that were added, in any order and more than once", () => {
  assert.equal(shown(set()), "");
  assert.equal(shown(set("")), ".");
  assert.equal(shown(set("", "f:a")), ". .a");
  assert.equal(shown(set("f:a/f:b", "f:a", "f:a")), ".a .a.b");
  assert.equal(shown(set("f:a", "f:a/f:b/f:c", "f:a/f:b/f:d")), ".a .a.b.c .a.b.d");
  const mixed = set("i:10", "v:2", 'k:{"n":"b"}', "f:z", "i:2", 'k:{"n":"a"}', "f:a", "v:1");
  assert.equal(shown(mixed), '.a .z [n="a"] [n="b"] [=1] [=2] [10] [2]');
  assert.equal(shown(set('k:{"m":1,"n":"a"}/f:x')), '[m=1,n="a"].x');
});

test("a path is in a set only where it was added itself", () => {
  const held = set("f:a/f:b", "f:c");
  const asked = ["f:a/f:b", "f:a", "f:c", "f:c/f:d", "f:x/f:y"].map((path) => hasPath(held, path.split("/")));
  assert.deepEqual(asked, [true, false, true, false, false]);
  assert.equal(hasPath(held, []), false);
});

test("sets are joined, intersected and subtracted path by path", () => {
  const rows: readonly (readonly [
    a: FieldSet,
    b: FieldSet,
    union: string,
    both: string,
    less: string,
    below: string,
  ])[] = [
    [set("f:a"), set(), ".a", "", ".a", ".a"],
    [set(), set("f:a"), ".a", "", "", ""],
    [set("f:a"), set("f:a"), ".a", ".a", "", ""],
    [set("f:a/f:b"), set("f:a"), ".a .a.b", "", ".a.b", ""],
    [set("f:a"), set("f:a/f:b"), ".a .a.b", "", ".a", ".a"],
    [set("f:a", "f:a/f:b", "f:c"), set("f:a/f:b", "f:d"), ".a .c .d .a.b", ".a.b", ".a .c", ".a .c"],
    [set("f:a/f:b/f:c", "f:a/f:d"), set("f:a/f:b"), ".a.b .a.d .a.b.c", "", ".a.d .a.b.c", ".a.d"],
    [set("f:a/f:b"), set("f:a/f:c"), ".a.b .a.c", "", ".a.b", ".a.b"],
    [set("", "f:a"), set(""), ". .a", ".", ".a", ""],
    [set("f:a"), set(""), ". .a", "", ".a", ""],
    [set(""), set("f:a"), ". .a", "", ".", "."],
  ];
  for (const [a, b, joined, both, less, below] of rows) {
    const found = [union(a, b), allSteps(intersectionInSteps(a, b, new Strides())), difference(a, b)].map(shown);
    assert.deepEqual(
      [...found, shown(differenceBelow(a, b))],
      [joined, both, less, below],
      `${shown(a)} and ${shown(b)}`,
    );
  }
  assert.equal(shown(unionOf([])), "");
  assert.equal(shown(unionOf([set("f:c")])), ".c");
  assert.equal(shown(unionOf([set("f:c"), set("f:a"), set("f:b/f:x")])), ".a .c .b.x");
  assert.equal(allSteps(intersectionInSteps(set("f:a"), set("f:b"), new Strides())), emptySet);
});

test("fields of more than 1000 elements are written in the order of few ones", () => {
  const elements = Array.from({ length: 300 }, (_, at) => String((at * 7) % 300).padStart(3, "0"));
  const kinds = [...elements.map((name) => `f:${name}`), ...elements.map((name) => `v:${name}`)];
  const large = [...kinds, ...elements.map((name) => `i:${name}`), ...elements.map((name) => `k:{"n":"${name}"}`)];
  const sorted = elements.toSorted();
  const expected = [
    ...sorted.map((name) => `f:${name}`),
    ...sorted.map((name) => `k:{"n":"${name}"}`),
    ...sorted.map((name) => `v:${name}`),
    ...sorted.map((name) => `i:${name}`),
  ];
  const asText = (names: readonly string[]): string => JSON.stringify(Object.fromEntries(names.map((n) => [n, {}])));
  assert.equal(encoded(set(...large)), asText(expected));
  assert.deepEqual(
    allSteps(pathsOf(set(...large))).map(([element]) => element),
    expected,
  );
  assert.equal(encoded(set("f:a", "f:a/f:b", "f:a/v:1")), '{"f:a":{".":{},"f:b":{},"v:1":{}}}');
  assert.equal(encoded(set("", "f:a")), '{".":{},"f:a":{}}');
});

test("fieldsV1 is read with keys in one order and later kinds passed over, and refused as a whole for a wrong element", () => {
  const read = (fields: JsonValue | undefined): string => {
    const found = allSteps(decodeFields(fields));
    return found === undefined ? "refused" : shown(found);
  };
  const rows: readonly (readonly [JsonValue | undefined, string])[] = [
    [undefined, "refused"],
    [null, "refused"],
    [[], "refused"],
    [{}, ""],
    [{ ".": {} }, ""],
    [{ ".": {}, "f:a": {} }, ".a"],
    [{ "f:a": { ".": {}, "f:b": {} } }, ".a .a.b"],
    [{ "f:a": { ".": {} } }, ".a"],
    [{ "f:a": { "f:b": {} } }, ".a.b"],
    [{ 'k:{"n":"x","a":1}': {} }, '[a=1,n="x"]'],
    [{ 'k: { "n" : "x" }': {}, "v: 1 ": {} }, '[n="x"] [=1]'],
    [{ "i:0": {}, "i:-1": {} }, "[-1] [0]"],
    [{ "i:x": {} }, "refused"],
    [{ "i:1x": {} }, "refused"],
    [{ "k:1": {} }, "refused"],
    [{ "k:{": {} }, "refused"],
    [{ "v:": {} }, "refused"],
    [{ "x:later": {}, "f:a": {} }, ".a"],
    [{ "x:later": 1, "f:a": {} }, ".a"],
    [{ later: {} }, "refused"],
    [{ ff: {} }, "refused"],
    [{ "f:a": 1 }, "refused"],
    [{ "f:a": { "f:b": null } }, "refused"],
    [{ "f:x:later": {} }, ".x:later"],
  ];
  for (const [fields, expected] of rows) assert.equal(read(fields), expected, JSON.stringify(fields));
});
