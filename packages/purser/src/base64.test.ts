import assert from "node:assert/strict";
import { test } from "node:test";
import { isBase64, toBase64 } from "./base64.ts";

for (const [what, text] of [
  ["no text", ""],
  ["ASCII", "kind: ConfigMap\n\0\u007f"],
  ["characters of two, three and four bytes", "ä € 😀 Größe\u0080"],
  ["half of a surrogate pair", "a\ud83d"],
  ["a run of other characters that is longer than one piece", `${"€".repeat(1999)}😀${"ä".repeat(200_000)}`],
] as const)
  test(`the base64 of ${what} is that of its UTF-8 bytes`, () =>
    assert.equal(toBase64(text), Buffer.from(text, "utf8").toString("base64")));

for (const [encoded, expected] of [
  ["", true],
  ["YQ==", true],
  ["YWI=", true],
  ["YWJj", true],
  ["YR==", true],
  ["+/+/", true],
  ["YQ", false],
  ["YQ=", false],
  ["YW=J", false],
  ["Y===", false],
  ["====", false],
  ["YWJj====", false],
  ["YQ==YQ==", false],
  ["YWJjYW=", false],
  ["-_-_", false],
  ["YWä=", false],
  ["YWJ\n", false],
  ["    ", false],
  ["YWJjYWJ\nYWJj    ", false],
  ["YWJjYQ==\n\n\n\n", false],
  ["YW  ==  ", false],
] as const)
  test(`${JSON.stringify(encoded)} is ${expected ? "" : "no "}padded base64 without line breaks`, () =>
    assert.equal(isBase64(encoded), expected));
