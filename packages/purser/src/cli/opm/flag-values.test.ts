import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoUint64, readCsvRecord } from "./flag-values.ts";

/** As Go's strconv.ParseUint with base 0 and 64 bits. */
const numbers: readonly (readonly [text: string, value: bigint | string])[] = [
  ["0", 0n],
  ["1", 1n],
  ["10", 10n],
  ["1_0", 10n],
  ["1__0", "invalid syntax"],
  ["_1", "invalid syntax"],
  ["1_", "invalid syntax"],
  ["01", 1n],
  ["08", "invalid syntax"],
  ["0o17", 15n],
  ["0O17", 15n],
  ["0o18", "invalid syntax"],
  ["017", 15n],
  ["0_7", 7n],
  ["0x1F", 31n],
  ["0Xf_f", 255n],
  ["0x", "invalid syntax"],
  ["0b101", 5n],
  ["0B1", 1n],
  ["0b2", "invalid syntax"],
  ["18446744073709551615", 18446744073709551615n],
  ["18446744073709551616", "value out of range"],
  ["0xffffffffffffffff", 18446744073709551615n],
  ["0x10000000000000000", "value out of range"],
  ["", "invalid syntax"],
  ["-1", "invalid syntax"],
  ["+1", "invalid syntax"],
  ["1.0", "invalid syntax"],
  [" 1", "invalid syntax"],
  ["a", "invalid syntax"],
];

test("a number is read as Go reads it, or refused with Go's error", () => {
  const read = (text: string): bigint | string => {
    const result = parseGoUint64(text);
    return result.ok ? result.value : result.problem;
  };
  assert.deepEqual(
    numbers.map(([text]) => [text, read(text)]),
    numbers,
  );
});

/** As Go's encoding/csv; columns are counted in bytes. */
const records: readonly (readonly [text: string, fields: readonly string[] | string])[] = [
  ["", []],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  ["a,", ["a", ""]],
  [",", ["", ""]],
  [",,", ["", "", ""]],
  ["\n", "EOF"],
  ["\n\n", "EOF"],
  ["\na,b", ["a", "b"]],
  ["a\nb", ["a"]],
  ["a,b\r\nc", ["a", "b"]],
  ["a\r", ["a"]],
  ['"a"', ["a"]],
  ['"a,b",c', ["a,b", "c"]],
  ['"a""b"', ['a"b']],
  ['""', [""]],
  ['"",""', ["", ""]],
  ['a"b', 'parse error on line 1, column 2: bare " in non-quoted-field'],
  ['x,a"b', 'parse error on line 1, column 4: bare " in non-quoted-field'],
  ['é,a"b', 'parse error on line 1, column 5: bare " in non-quoted-field'],
  ['"a', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ['"a\nb"', ["a\nb"]],
  ['"a\nb', 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field'],
  ['"a"b', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ['"a" ,b', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ['"a"\nb', ["a"]],
  ['"a\nb"x', 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field'],
  ['\n"a\nb"x', 'record on line 2; parse error on line 3, column 2: extraneous or missing " in quoted-field'],
  ['"é"x', 'parse error on line 1, column 4: extraneous or missing " in quoted-field'],
  ['"a",', ["a", ""]],
  ['a,"b', 'parse error on line 1, column 5: extraneous or missing " in quoted-field'],
  ["a b, c", ["a b", " c"]],
  ['"a\r\nb"', ["a\nb"]],
  ['"a\n\nb",c', ["a\n\nb", "c"]],
  ['"\n', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
];

for (const [text, fields] of records)
  test(`the list ${JSON.stringify(text)} is ${typeof fields === "string" ? "refused as by Go" : `${fields.length} values`}`, () => {
    const result = readCsvRecord(text);
    assert.deepEqual(result.ok ? result.value : result.problem, fields);
  });
