import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endOfJsonValue, parseJson } from "./json-document.ts";
import { TextError } from "./problem.ts";

/** Error texts of Go's decoder. */
const broken: readonly (readonly [text: string, message: string])[] = [
  ["", "unexpected end of JSON input"],
  ['{"a', "unexpected end of JSON input"],
  ["[1,", "unexpected end of JSON input"],
  ["nul", "invalid character ' ' in literal null (expecting 'l')"],
  ["tru]", "invalid character ']' in literal true (expecting 'e')"],
  ['["a\tb"]', "invalid character '\\t' in string literal"],
  ['["\\x"]', "invalid character 'x' in string escape code"],
  ['["\\u00g0"]', "invalid character 'g' in \\u hexadecimal character escape"],
  ["[-]", "invalid character ']' in numeric literal"],
  ["[1.]", "invalid character ']' after decimal point in numeric literal"],
  ["[1e+]", "invalid character ']' in exponent of numeric literal"],
  ["1.", "invalid character ' ' after decimal point in numeric literal"],
  ["[01]", "invalid character '1' after array element"],
  ["\u001f", "invalid character '\\x1f' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ["['a']", "invalid character '\\'' looking for beginning of value"],
];

for (const [text, message] of broken)
  test(`the text ${JSON.stringify(text)} is refused with the error text of Go's decoder`, () => {
    assert.throws(
      () => parseJson(text),
      (error) => error instanceof TextError && error.message === message,
    );
  });

test("a lone surrogate is read as the replacement character", () => {
  assert.deepEqual(parseJson('{"\\ud800":["\\udc00x","\\ud83d\\ude00"]}'), { "\ufffd": ["\ufffdx", "😀"] });
});

test("the scanner finds the end of every value that the parser accepts", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(endOfJsonValue(text, 0), text.length);
    }),
  );
});

for (const number of ["-0", "0", "1e5", "1e+5", "1E-5", "-0.0", "10.25e-3"])
  test(`the scanner accepts the number ${number}`, () => {
    assert.equal(endOfJsonValue(`${number},`, 0), number.length);
  });

const numberText = fc.constantFrom(
  "9007199254740993",
  "-9007199254740993",
  "123456789012345678901234567890",
  "-1234567890123456",
  "9007199254740991",
  "1e21",
  "12e100",
  "-1.5e300",
  "1.25E+0100",
  "0.1234567890123456789",
  "7",
);

test("a long number is read exactly wherever it stands", () => {
  const space = fc.constantFrom("", " ", "\n", "\t", "\r\n  ");
  const member = fc.tuple(space, numberText, space).map((parts) => parts.join(""));
  const holder = fc.constantFrom(
    (text: string) => text,
    (text: string) => `[${text}]`,
    (text: string) => `["x",${text},null]`,
    (text: string) => `{"a":${text}}`,
    (text: string) => `{"s":"12345678901234567 1e400","a":{"b":[${text}]}}`,
  );
  fc.assert(
    fc.property(member, holder, (text, hold) => {
      assert.deepEqual(parseJson(hold(text)), parseJson(hold(text), true));
    }),
  );
  assert.equal(JSON.stringify(parseJson("[9007199254740993]")), "[9007199254740993]");
  for (const text of ["1e400", "[1, -1e0999]", '{"a":1.5E+309}'])
    assert.throws(() => parseJson(text), /cannot unmarshal number .* into a double/, text);
});

test("digits in strings do not make reading slower: no function is called for each value", (t) => {
  const parse = t.mock.method(JSON, "parse");
  const icon = "iVBORw0KGgo3e281AAAANSUhEUgAAA9E533+1234567890123456789";
  assert.deepEqual(parseJson(`{"icon":"${icon}","digest":"sha256:ab0123456789012345678901234567"}`), {
    icon,
    digest: "sha256:ab0123456789012345678901234567",
  });
  assert.deepEqual(
    parse.mock.calls.map(({ arguments: given }) => given.length),
    [1],
  );
});
