import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeControls, escapeControlsExcept, escapeValues } from "./control-characters.ts";
import { goJsonIndented, htmlSafeJson, indentJson, nativeDoubles, nativeOrder, nativeText } from "./go-json.ts";
import { exactInteger } from "./go-number.ts";
import { type GoScalar, isTimestamp, jsonOfScalar, keyOfScalar, plainWords, resolvePlain } from "./go-scalar.ts";
import { resolveTagged } from "./go-tag.ts";
import { compareBytes, escapePointer, setMember, sortedKeys } from "./members.ts";
import { compareNatural, naturalOrder } from "./natural-order.ts";
import { TextError } from "./problem.ts";
import { countNewlines, decodeLenient, decodeUtf16, decodeUtf8, firstInvalidByte, goUtf8Problem } from "./utf8.ts";

const shown = (scalar: GoScalar): string =>
  "value" in scalar ? `${scalar.kind} ${scalar.value}` : "digits" in scalar ? `int ${scalar.digits}` : scalar.kind;

/** As Go's decoder of YAML 1.1 resolves them. */
const plains = [
  ...plainWords,
  ..."yEs nULL ~~ .nAn ++.inf .inf. 0 -0 +0 1 +1 -1 007 08 0o17 0O17 0o18 0x1F -0xff +0b101 0b2 0x 1_000 _1 1_ 1__0 -1_0".split(
    " ",
  ),
  ..."123456789012345 1234567890123456 18446744073709551615 18446744073709551616 +9223372036854775807 +9223372036854775808".split(
    " ",
  ),
  ..."-9223372036854775808 -9223372036854775809 +0x8000000000000000 0xffffffffffffffff 0x10000000000000000".split(" "),
  ..."1.5 -1.5 +.5 .5 5. . + - -. 1e5 1E-5 1e 1e+ .5e1 .e5 1.2.3 1e400 -1e400 1_0.5 1.5_0 .5_0 0.1e1 1:30 2001-01-01 2001-1-1 2001-13-01 2001-01-01x".split(
    " ",
  ),
  "2001-01-01 10:00:00",
  "a",
  "1a",
  " 1",
];

test("a plain scalar has the type and value that Go resolves", () => {
  assert.deepEqual(
    plains.map((text) => `${text} = ${shown(resolvePlain(text))}`),
    [
      "y = bool true",
      "Y = bool true",
      "yes = bool true",
      "Yes = bool true",
      "YES = bool true",
      "true = bool true",
      "True = bool true",
      "TRUE = bool true",
      "on = bool true",
      "On = bool true",
      "ON = bool true",
      "n = bool false",
      "N = bool false",
      "no = bool false",
      "No = bool false",
      "NO = bool false",
      "false = bool false",
      "False = bool false",
      "FALSE = bool false",
      "off = bool false",
      "Off = bool false",
      "OFF = bool false",
      " = null",
      "~ = null",
      "null = null",
      "Null = null",
      "NULL = null",
      ".nan = float NaN",
      ".NaN = float NaN",
      ".NAN = float NaN",
      ".inf = float Infinity",
      ".Inf = float Infinity",
      ".INF = float Infinity",
      "+.inf = float Infinity",
      "+.Inf = float Infinity",
      "+.INF = float Infinity",
      "-.inf = float -Infinity",
      "-.Inf = float -Infinity",
      "-.INF = float -Infinity",
      "yEs = string",
      "nULL = string",
      "~~ = string",
      ".nAn = string",
      "++.inf = string",
      ".inf. = string",
      "0 = int 0",
      "-0 = int 0",
      "+0 = int 0",
      "1 = int 1",
      "+1 = int 1",
      "-1 = int -1",
      "007 = int 7",
      "08 = float 8",
      "0o17 = int 15",
      "0O17 = int 15",
      "0o18 = string",
      "0x1F = int 31",
      "-0xff = int -255",
      "+0b101 = int 5",
      "0b2 = string",
      "0x = string",
      "1_000 = int 1000",
      "_1 = string",
      "1_ = int 1",
      "1__0 = int 10",
      "-1_0 = int -10",
      "123456789012345 = int 123456789012345",
      "1234567890123456 = int 1234567890123456",
      "18446744073709551615 = int 18446744073709551615",
      "18446744073709551616 = float 18446744073709552000",
      "+9223372036854775807 = int 9223372036854775807",
      "+9223372036854775808 = float 9223372036854776000",
      "-9223372036854775808 = int -9223372036854775808",
      "-9223372036854775809 = float -9223372036854776000",
      "+0x8000000000000000 = string",
      "0xffffffffffffffff = int 18446744073709551615",
      "0x10000000000000000 = string",
      "1.5 = float 1.5",
      "-1.5 = float -1.5",
      "+.5 = float 0.5",
      ".5 = float 0.5",
      "5. = float 5",
      ". = string",
      "+ = string",
      "- = string",
      "-. = string",
      "1e5 = float 100000",
      "1E-5 = float 0.00001",
      "1e = string",
      "1e+ = string",
      ".5e1 = float 5",
      ".e5 = string",
      "1.2.3 = string",
      "1e400 = string",
      "-1e400 = string",
      "1_0.5 = float 10.5",
      "1.5_0 = float 1.5",
      ".5_0 = string",
      "0.1e1 = float 1",
      "1:30 = string",
      "2001-01-01 = string",
      "2001-1-1 = string",
      "2001-13-01 = string",
      "2001-01-01x = string",
      "2001-01-01 10:00:00 = string",
      "a = string",
      "1a = string",
      " 1 = string",
    ],
  );
});

test("a scalar is a JSON value and a key, where JSON and Go have one", () => {
  const texts = [
    "null",
    "true",
    "no",
    "5",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1.5",
    "1e10",
    ".nan",
    ".inf",
    "-.inf",
    "a",
    "0x10",
  ];
  assert.deepEqual(
    texts.map((text) => {
      const scalar = resolvePlain(text);
      return [text, JSON.stringify(jsonOfScalar(scalar, text)) ?? "none", keyOfScalar(scalar, text) ?? "none"];
    }),
    [
      ["null", "null", "none"],
      ["true", "true", "true"],
      ["no", "false", "false"],
      ["5", "5", "5"],
      ["9223372036854775807", "9223372036854775807", "9223372036854775807"],
      ["9223372036854775808", "9223372036854775808", "none"],
      ["-9223372036854775808", "-9223372036854775808", "-9223372036854775808"],
      ["1.5", "1.5", "1.5"],
      ["1e10", "10000000000", "1e+10"],
      [".nan", "none", ".nan"],
      [".inf", "none", ".inf"],
      ["-.inf", "none", "-.inf"],
      ["a", '"a"', "a"],
      ["0x10", "16", "16"],
    ],
  );
});

test("a timestamp has one of Go's four layouts, and a day and a time that exist", () => {
  const texts = [
    "2001-01-01",
    "2001-1-1",
    "2001-01-31",
    "2001-01-32",
    "2001-00-01",
    "2001-12-31",
    "2001-13-01",
    "2001-01-00",
    "2001-04-30",
    "2001-04-31",
    "2001-06-31",
    "2001-09-31",
    "2001-11-31",
    "2001-07-31",
    "2001-02-28",
    "2001-02-29",
    "2004-02-29",
    "1900-02-29",
    "2000-02-29",
    "2000-02-30",
    "2001-01-01T10:00:00Z",
    "2001-01-01t10:00:00.5+01:00",
    "2001-01-01T10:00:00",
    "2001-01-01 10:00:00",
    "2001-01-01  1:2:3,5",
    "2001-01-01 10:00:00Z",
    "2001-01-01 24:00:00",
    "2001-01-01 23:59:59",
    "2001-01-01 23:60:59",
    "2001-01-01 23:59:60",
    "2001-01-01T24:00:00Z",
    "20010-01-01",
    "201-01-01",
    "x2001-01-01",
  ];
  assert.deepEqual(
    texts.filter((text) => isTimestamp(text)),
    [
      "2001-01-01",
      "2001-1-1",
      "2001-01-31",
      "2001-12-31",
      "2001-04-30",
      "2001-07-31",
      "2001-02-28",
      "2004-02-29",
      "2000-02-29",
      "2001-01-01T10:00:00Z",
      "2001-01-01t10:00:00.5+01:00",
      "2001-01-01 10:00:00",
      "2001-01-01  1:2:3,5",
      "2001-01-01 23:59:59",
    ],
  );
});

test("a tag decides what a scalar is, or refuses it", () => {
  const tagged = (name: string, text: string): string => {
    try {
      const { scalar, text: read } = resolveTagged(name.includes(":") ? name : `tag:yaml.org,2002:${name}`, text, 7);
      return `${shown(scalar)} ${read}`;
    } catch (error) {
      assert.ok(error instanceof TextError && error.offset === 7);
      return `${error.kind} ${error.message}`;
    }
  };
  const rows: readonly (readonly [string, string])[] = [
    ["str", "5"],
    ["timestamp", "2001-01-01"],
    ["bool", "yes"],
    ["bool", "5"],
    ["int", "0x10"],
    ["int", "1.5"],
    ["int", "a"],
    ["float", "1.5"],
    ["float", "5"],
    ["float", "yes"],
    ["null", "~"],
    ["null", "5"],
    ["set", "5"],
    ["tag:own:int", "5"],
    ["binary", "aGk="],
    ["binary", "aG\nk="],
    ["binary", ""],
    ["binary", "a"],
    ["binary", "aGk"],
    ["binary", "a b="],
  ];
  assert.deepEqual(
    rows.map(([name, text]) => `!!${name} ${JSON.stringify(text)}: ${tagged(name, text)}`),
    [
      '!!str "5": string 5',
      '!!timestamp "2001-01-01": string 2001-01-01',
      '!!bool "yes": bool true yes',
      '!!bool "5": syntax cannot decode !!int `5` as a !!bool',
      '!!int "0x10": int 16 0x10',
      '!!int "1.5": syntax cannot decode !!float `1.5` as a !!int',
      '!!int "a": syntax cannot decode !!str `a` as a !!int',
      '!!float "1.5": float 1.5 1.5',
      '!!float "5": float 5 5',
      '!!float "yes": syntax cannot decode !!bool `yes` as a !!float',
      '!!null "~": null ~',
      '!!null "5": syntax cannot decode !!int `5` as a !!null',
      '!!set "5": string 5',
      '!!tag:own:int "5": string 5',
      '!!binary "aGk=": string hi',
      '!!binary "aG\\nk=": string hi',
      '!!binary "": string ',
      '!!binary "a": syntax !!binary value contains invalid base64 data',
      '!!binary "aGk": syntax !!binary value contains invalid base64 data',
      '!!binary "a b=": syntax !!binary value contains invalid base64 data',
    ],
  );
});

test("JSON is indented as by Go, from a value and from a text", () => {
  const value = { b: [1, [], {}, { c: null }], a: "<\u2028>", d: exactInteger("12345678901234567890"), e: true, f: -0 };
  assert.deepEqual(
    [
      goJsonIndented(value, "  "),
      goJsonIndented(value, "\t", false),
      goJsonIndented([], " "),
      goJsonIndented({}, " "),
      goJsonIndented("a", " "),
      goJsonIndented({ u: undefined as never }, " "),
    ],
    [
      '{\n  "a": "<\\u2028>",\n  "b": [\n    1,\n    [],\n    {},\n    {\n      "c": null\n    }\n  ],\n  "d": 12345678901234567890,\n  "e": true,\n  "f": -0\n}',
      '{\n\t"b": [\n\t\t1,\n\t\t[],\n\t\t{},\n\t\t{\n\t\t\t"c": null\n\t\t}\n\t],\n\t"a": "<\\u2028>",\n\t"d": 12345678901234567890,\n\t"e": true,\n\t"f": -0\n}',
      "[]",
      "{}",
      '"a"',
      "{}",
    ],
  );
  assert.deepEqual(
    [
      '{"b":[1,[],{ },{"c":null}],"a":"x\\\\\\"{,:}"}',
      " [ 1 , 2.50 ] ",
      '"a"',
      "{}",
      '{"a" :\n-1e5,"b":true}',
      "[[[]]]",
    ].map((text) => indentJson(text, "  ")),
    [
      '{\n  "b": [\n    1,\n    [],\n    {},\n    {\n      "c": null\n    }\n  ],\n  "a": "x\\\\\\"{,:}"\n}',
      "[\n  1,\n  2.50\n]",
      '"a"',
      "{}",
      '{\n  "a": -1e5,\n  "b": true\n}',
      "[\n  [\n    []\n  ]\n]",
    ],
  );
  assert.equal(htmlSafeJson('"<a>&"'), '"\\u003ca\\u003e\\u0026"');
});

test("V8's encoder is used where it prints what Go prints", () => {
  const digits = exactInteger("12345678901234567890");
  const sorted = { a: 1, b: ["x", { c: 1 }] };
  assert.equal(nativeOrder(sorted), sorted);
  assert.equal(nativeDoubles(sorted), sorted);
  const forms = [
    { b: 1, a: { d: 1, c: 2 } },
    { "10": 1, "9": 2 },
    { a: -0 },
    [Number.NaN],
    [digits],
    { a: digits, b: 1 },
    ["a", { z: 1, y: 2 }],
    { a: undefined as never, c: 1, b: 2 },
  ];
  assert.deepEqual(
    forms.map((form) =>
      [nativeOrder(form), nativeDoubles(form)].map((found) => (found === undefined ? "none" : JSON.stringify(found))),
    ),
    [
      ['{"a":{"c":2,"d":1},"b":1}', '{"a":{"c":2,"d":1},"b":1}'],
      ["none", "none"],
      ["none", "none"],
      ["none", "none"],
      ["[12345678901234567890]", "[12345678901234567000]"],
      ['{"a":12345678901234567890,"b":1}', '{"a":12345678901234567000,"b":1}'],
      ['["a",{"y":2,"z":1}]', '["a",{"y":2,"z":1}]'],
      ["none", "none"],
    ],
  );
  assert.deepEqual(
    [
      nativeText({ a: "\u2028\u2029" }, ""),
      nativeText({ a: [1] }, "  "),
      nativeText(["\ud800"], ""),
      nativeText(["\\ud800"], ""),
    ].map((text) => text ?? "none"),
    ['{"a":"\\u2028\\u2029"}', '{\n  "a": [\n    1\n  ]\n}', "none", "none"],
  );
});

test("keys are ordered by bytes, or naturally as Go's YAML encoder orders them", () => {
  const keys = [
    "b",
    "a",
    "B",
    "a10",
    "a9",
    "a09",
    "a1b",
    "a",
    "",
    "10",
    "9",
    "1",
    "é",
    "\uffff",
    "😀",
    "a-b",
    "a_b",
    "a.b",
    "ab",
    "01",
    "001",
    "a٣",
    "a3",
    "x00001",
    "x0001",
    "v1.10",
    "v1.9",
    "99999999999",
    "100000000000",
    "a123456789012345678901234567890",
    "a00",
  ];
  assert.deepEqual(sortedKeys(Object.fromEntries(keys.map((key) => [key, 1]))), [
    "",
    "001",
    "01",
    "1",
    "10",
    "100000000000",
    "9",
    "99999999999",
    "B",
    "a",
    "a-b",
    "a.b",
    "a00",
    "a09",
    "a10",
    "a123456789012345678901234567890",
    "a1b",
    "a3",
    "a9",
    "a_b",
    "ab",
    "a٣",
    "b",
    "v1.10",
    "v1.9",
    "x00001",
    "x0001",
    "é",
    "￿",
    "😀",
  ]);
  assert.deepEqual(naturalOrder([...new Set(keys)]), [
    "",
    "￿",
    "😀",
    "1",
    "01",
    "001",
    "9",
    "10",
    "99999999999",
    "100000000000",
    "B",
    "a",
    "a123456789012345678901234567890",
    "a-b",
    "a.b",
    "a_b",
    "a00",
    "a1b",
    "a3",
    "a9",
    "a09",
    "a10",
    "a٣",
    "ab",
    "b",
    "v1.9",
    "v1.10",
    "x0001",
    "x00001",
    "é",
  ]);
  assert.equal(compareNatural("a", "a"), 0);
  assert.ok(compareNatural("a", "ab") < 0 && compareNatural("ab", "a") > 0);
  const ordered = ["a", "b"];
  assert.equal(naturalOrder(ordered), ordered);
  assert.equal(compareBytes("a", "a"), 0);
  assert.ok(compareBytes("\uffff", "😀") < 0 && compareBytes("😀", "\uffff") > 0 && compareBytes("a", "😀") < 0);
  assert.equal(escapePointer("a~/b"), "a~0~1b");
  assert.equal(escapePointer("a"), "a");
  const object: Record<string, number> = {};
  setMember(object, "__proto__", 1);
  setMember(object, "a", 2);
  assert.deepEqual(Object.entries(object), [
    ["__proto__", 1],
    ["a", 2],
  ]);
});

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

test("UTF-8 is decoded, or its first fault found and named as by Go", () => {
  assert.equal(decodeUtf8(new TextEncoder().encode("\ufeffé")), "\ufeffé");
  assert.equal(decodeUtf8(bytes(0x61, 0xff)), undefined);
  assert.equal(decodeLenient(bytes(0x61, 0xff)), "a\ufffd");
  const faults: readonly Uint8Array[] = [
    bytes(0xff),
    bytes(0x61, 0x80),
    bytes(0x61, 0x0a, 0xc3, 0x28),
    bytes(0xe2, 0x82, 0x28),
    bytes(0xf0, 0x9f, 0x98, 0x28),
    bytes(0xc0, 0xaf),
    bytes(0xe0, 0x80, 0xaf),
    bytes(0xf0, 0x80, 0x80, 0x80),
    bytes(0xed, 0xa0, 0x80),
    bytes(0xf4, 0x90, 0x80, 0x80),
    bytes(0xf8, 0x88),
    bytes(0x61, 0x62, 0xe2),
    bytes(0x61, 0xe9, 0x0a),
    bytes(0x61, 0xe9, 0x0a, 0x62),
    bytes(0x1f, 0x8b),
    bytes(0x61, 0x8b, 0x1f),
  ];
  assert.deepEqual(
    faults.map((fault) => {
      const at = firstInvalidByte(fault);
      return `${at} ${goUtf8Problem(fault, at)}`;
    }),
    [
      "0 invalid leading UTF-8 octet",
      "1 invalid leading UTF-8 octet",
      "3 invalid trailing UTF-8 octet",
      "2 invalid trailing UTF-8 octet",
      "3 invalid trailing UTF-8 octet",
      "0 invalid length of a UTF-8 sequence",
      "1 invalid length of a UTF-8 sequence",
      "1 invalid length of a UTF-8 sequence",
      "1 invalid Unicode character",
      "1 invalid Unicode character",
      "0 invalid leading UTF-8 octet",
      "2 incomplete UTF-8 octet sequence",
      "2 incomplete UTF-8 octet sequence",
      "2 invalid trailing UTF-8 octet",
      "1 control characters are not allowed",
      "1 invalid leading UTF-8 octet",
    ],
  );
  assert.equal(countNewlines(bytes(10, 1, 10, 10), 3), 2);
  assert.equal(countNewlines(bytes(10, 1, 10, 10), 4), 3);
});

test("UTF-16 is decoded from its byte order mark, after a line feed was added where it is missing", () => {
  assert.deepEqual(
    [
      bytes(0xfe, 0xff, 0, 0x61, 0, 10),
      bytes(0xfe, 0xff, 0, 0x61, 0),
      bytes(0xfe, 0xff, 0, 0x61),
      bytes(0xff, 0xfe, 0x61, 0, 10),
      bytes(0xff, 0xfe, 0x61, 0),
      bytes(0xff, 0xfe, 0x61, 0, 0),
      bytes(0xfe, 0xff, 0xd8, 0, 0),
      bytes(0x61),
      bytes(0xfe),
      bytes(0xff, 0xff, 10),
    ].map((text) => decodeUtf16(text) ?? "none"),
    [
      { text: "a\n" },
      { text: "a\n" },
      "incomplete",
      "incomplete",
      "incomplete",
      { text: "a਀" },
      "none",
      "none",
      "none",
      "none",
    ],
  );
});

test("characters that mislead are escaped, in every value but the keys of objects", () => {
  assert.equal(escapeControls("a\n\u001b\u202e\u{e0041}é\u200d"), "a\\u000a\\u001b\\u202e\\u{e0041}é\\u200d");
  assert.equal(escapeControls("é\u200dé"), "é\u200dé");
  assert.equal(escapeControlsExcept("a\n\t", "\n"), "a\n\\u0009");
  const date = new Date(0);
  const given = { "k\n": ["\n", 5, null], m: new Map([["\n", "\n"]]), s: new Set(["\n"]), date };
  assert.deepEqual(escapeValues(given), {
    "k\n": ["\\u000a", 5, null],
    m: new Map([["\\u000a", "\\u000a"]]),
    s: new Set(["\\u000a"]),
    date,
  });
});
