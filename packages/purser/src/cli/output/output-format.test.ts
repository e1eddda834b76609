import assert from "node:assert/strict";
import { test } from "node:test";
import { askedFormat, isDocumentFormat, isTemplated } from "./output-format.ts";

for (const [line, format] of [
  ["list", undefined],
  ["list -o json", "json"],
  ["list --output yaml -A", "yaml"],
  ["list -o", undefined],
  ["list -ojson", "json"],
  ["list -o=json", "json"],
  ["list --output=wide", "wide"],
  ["list --output=jsonpath={.items}", "jsonpath={.items}"],
  ["render a --output-dir=b", undefined],
  ["render a --output-dir b -oyaml", "yaml"],
  ["list -oname -o wide", "wide"],
  ["list x-ojson", undefined],
] as const)
  test(`"${line}" asks for ${format ?? "no format"}`, () => assert.equal(askedFormat(line.split(" ")), format));

for (const [format, isDocument, isTemplate] of [
  ["json", true, false],
  ["yaml", true, false],
  ["jsonpath={.a}", true, true],
  ["custom-columns=A:.a", true, true],
  ["jsonpath", false, false],
  ["wide", false, false],
  ["name", false, false],
] as const)
  test(`-o ${format} prints ${isDocument ? "a document" : "text"}`, () =>
    assert.deepEqual([isDocumentFormat(format), isTemplated(format)], [isDocument, isTemplate]));

test("no format is no document", () => {
  assert.equal(isDocumentFormat(undefined), false);
  assert.equal(isDocumentFormat(true), false);
});
