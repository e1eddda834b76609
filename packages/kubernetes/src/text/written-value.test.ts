import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../json.ts";
import { nativeDoubles, nativeText } from "./go-json.ts";
import { parseJson } from "./json-document.ts";
import { WrittenScan } from "./written-value.ts";

const encoder = new TextEncoder();

/** As Go's encoder writes it; undefined where V8's encoder would not write the same. */
function written(value: JsonValue): string | undefined {
  const form = nativeDoubles(value);
  return form === undefined ? undefined : nativeText(form, "    ");
}

/** What is taken of a text at level 0. */
function taken(text: string): string | undefined {
  const bytes = encoder.encode(text);
  const scan = new WrittenScan(bytes, 0);
  const end = scan.behindValue(0);
  if (end === -1) return undefined;
  const part = new TextDecoder().decode(bytes.subarray(0, end));
  assert.equal(scan.lineFeeds, part.split("\n").length - 1, text);
  return part;
}

const accepted: readonly JsonValue[] = [
  {},
  { a: 1, b: -20, c: 0, d: 999_999_999_999_999 },
  { a: [], b: {}, c: [{}, [], [1, [true, false, null]]] },
  { A: 1, a: { z: "x" }, b: { a: "y" } },
  { "": '\n\r\t"\\', "<&>": "<&>" },
  { é: "é", 日: "日", "😀": "😀" },
  "4.16",
  "",
  true,
  false,
  null,
  -7,
];

test("an object or a scalar is taken whole when it is written as Go writes it", () => {
  for (const value of accepted) {
    const text = written(value) ?? "";
    assert.equal(taken(`${text}\n,`), text);
  }
});

const refused: Readonly<Record<string, string>> = {
  "keys out of order": '{\n    "b": 1,\n    "a": 1\n}',
  "a key twice": '{\n    "a": 1,\n    "a": 1\n}',
  "a shorter key behind a longer one": '{\n    "ab": 1,\n    "a": 1\n}',
  "an escape in a key": '{\n    "\\n": 1\n}',
  "one line": '{"a": 1}',
  "no space behind a colon": '{\n    "a":1\n}',
  "two spaces a level": '{\n  "a": 1\n}',
  "a bracket at another level": '{\n    "a": [\n        1\n        ]\n}',
  "the other bracket": '{\n    "a": [\n        1\n    }\n}',
  "a comma before the end": '{\n    "a": 1,\n}',
  "no comma": '{\n    "a": 1\n    "b": 1\n}',
  "an empty list on two lines": '{\n    "a": [\n    ]\n}',
  "white space at the end of a line": '{\n    "a": 1 \n}',
  "a fraction": '{\n    "a": 1.5\n}',
  "an exponent": '{\n    "a": 1e3\n}',
  "minus zero": '{\n    "a": -0\n}',
  "a zero in front": '{\n    "a": 01\n}',
  "sixteen digits": '{\n    "a": 9007199254740993\n}',
  "an escape that is not needed": '{\n    "a": "\\u0061"\n}',
  "an escaped slash": '{\n    "a": "\\/"\n}',
  "a separator that Go escapes": '{\n    "a": "\u2028"\n}',
  "a control character": '{\n    "a": "\u0001"\n}',
  "a string without end": '{\n    "a": "b',
  "a word that is cut": '{\n    "a": tru\n}',
  "a list": "[\n    1\n]",
  nothing: "",
};

test("nothing is taken of what would be written otherwise", () => {
  for (const [name, text] of Object.entries(refused)) assert.equal(taken(text), undefined, name);
});

test("invalid UTF-8 is not taken", () => {
  for (const bytes of [
    [0xff],
    [0xc0, 0x80],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x80],
  ]) {
    const text = Uint8Array.from([...encoder.encode('{\n    "a": "'), ...bytes, ...encoder.encode('"\n}')]);
    assert.equal(new WrittenScan(text, 0).behindValue(0), -1, String(bytes));
  }
});

const text = fc.oneof(fc.string({ maxLength: 4 }), fc.string({ unit: "binary", maxLength: 3 }));
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constantFrom<JsonValue>(true, false, null, 0.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));
const edits = fc.array(
  fc.tuple(fc.nat(), fc.constantFrom("", "x", " ", "\n", '"', ",", "{", "}", "]", "\\", "0", "\u2028")),
  { maxLength: 2 },
);

test("what is taken of a text is what reading and writing it again gives", () => {
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), edits, (object, changes) => {
      let source = written(object) ?? "{}";
      for (const [place, inserted] of changes) {
        const at = place % (source.length + 1);
        source = source.slice(0, at) + inserted + source.slice(at + (place % 2));
      }
      const part = taken(source);
      if (part !== undefined) assert.equal(written(parseJson(part)), part);
    }),
  );
});
