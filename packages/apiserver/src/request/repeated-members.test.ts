import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { patchJsonText } from "@purser/kubernetes/object/patches/json-patch";
import { bodyLimit, parseJsonBody } from "./body.ts";
import { oddNumbers, scanJson } from "./json-scan.ts";
import { allSteps } from "@purser/kubernetes/steps";
import { readRepeated } from "./repeated-members.ts";

describe("members of one name", () => {
  const table: readonly (readonly [text: string, value: JsonValue])[] = [
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":{"x":1},"a":{"y":2}}', { a: { x: 1, y: 2 } }],
    ['{"a":{"x":{"p":1}},"a":{"x":{"q":2}},"a":{"x":{"p":3}}}', { a: { x: { p: 3, q: 2 } } }],
    ['{"a":{"x":1},"a":null,"a":{"y":2}}', { a: { y: 2 } }],
    ['{"a":{"x":1},"a":[1]}', { a: [1] }],
    ['[{"a":{"x":1},"a":{"y":2}}, 7 ]', [{ a: { x: 1, y: 2 } }, 7]],
    ['{"a":{"x":1,"x":{"p":1}},"a":{"x":{"q":2}}}', { a: { x: { p: 1, q: 2 } } }],
  ];
  for (const [text, value] of table)
    test(`${text} is read as ${JSON.stringify(value)}`, () => {
      assert.deepEqual(allSteps(readRepeated(text)).value, value);
    });

  test("what later ones take the place of is read as well, one state for each that is covered", () => {
    const { value, earlier } = allSteps(readRepeated('{"a":1,"a":2,"a":3,"b":[{"c":"x","c":"y"}],"d":{}}'));
    assert.deepEqual(value, { a: 3, b: [{ c: "y" }], d: {} });
    assert.deepEqual(earlier, [
      { a: 1, b: [{ c: "x" }], d: {} },
      { a: 2, b: [{ c: "y" }], d: {} },
    ]);
  });

  test("a member named like a prototype's is a member", () => {
    const { value } = allSteps(readRepeated('{"__proto__":{"x":1},"__proto__":{"y":2}}'));
    assert.equal(JSON.stringify(value), '{"__proto__":{"x":1,"y":2}}');
  });
});

const depth = 990;

/** The largest body: nested as deep as may be, a member that stands twice on each level, and full at its deepest place. */
function deepest(item: string): string {
  const open = '{"b":0,"b":0,"a":'.repeat(depth);
  const items = Math.floor((bodyLimit - open.length - depth - 3) / (item.length + 1));
  return `${open}[${Array.from({ length: items }, () => item).join(",")}]${"}".repeat(depth)}`;
}

/** Where reading costs the depth times the size, these take minutes. */
describe("the largest and deepest body", () => {
  test("is scanned in one pass with all duplicate keys", () => {
    const { value, earlier } = allSteps(readRepeated(deepest('"x"')));
    assert.equal(JSON.stringify(value).startsWith('{"b":0,"a":{"b":0,'), true);
    assert.equal(earlier.length, 1);
  });

  for (const [what, text] of [
    ["members", `{${Array.from({ length: 100_000 }, () => '"a":"b"').join()}}`],
    ["items", `{"a":0,"a":[${Array.from({ length: 100_000 }, () => "1").join()}]}`],
  ] as const)
    test(`is left for others again and again while a hundred thousand ${what} are read`, () => {
      let steps = 0;
      for (const reading = readRepeated(text); reading.next().done !== true;) steps++;
      assert.ok(steps > 10, `${steps} steps`);
    });

  test("names each duplicate member", () => {
    const read = parseJsonBody(deepest("1"));
    assert.equal(read.ok && read.value.duplicates.length, depth);
  });

  test("is patched at its deepest place", () => {
    const document = deepest("1");
    const path = `${"/a".repeat(depth)}/0`;
    const patched = allSteps(patchJsonText(document, JSON.stringify([{ op: "replace", path, value: 2 }])));
    assert.equal(patched.ok && patched.value.includes(":[2,1,1,"), true);
  });
});

describe("paths of a text", () => {
  test("below a key of a megabyte not every member is named", () => {
    const below = Array.from({ length: 100_000 }, (_, index) => `"${index}":1,"${index}":2.5`).join(",");
    const text = `{"${"k".repeat(1_000_000)}":{${below}}}`;
    assert.ok(allSteps(scanJson(text)).duplicates.length < 20);
    assert.ok(allSteps(oddNumbers(text)).size < 20);
  });

  test("the visitor gets nothing from below a key that it skips", () => {
    const visited: string[] = [];
    const { duplicates } = allSteps(
      scanJson('{"a":{"x":1,"x":{"y":2}},"b":[{"c":1,"c":2}]}', {
        key: (path) => {
          visited.push(path);
          return path === "a";
        },
      }),
    );
    assert.deepEqual(visited, ["a", "b", "b[0].c", "b[0].c"]);
    assert.deepEqual(duplicates, ["b[0].c"]);
  });
});
