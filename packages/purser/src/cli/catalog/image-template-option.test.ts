import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../command.ts";
import type { Terminal } from "../output/terminal.ts";
import { imageTemplateOf, warnWithoutImage } from "./image-template-option.ts";

for (const text of ["{{.Package", "{{.Image}}", "{{upper .Name}}"])
  test(`--image-template ${text} is refused with the valid fields`, () => {
    assert.throws(
      () => imageTemplateOf(text),
      (error) =>
        error instanceof UsageError && /\{\{\.Package\}\}.*--image-template 'example/.test(error.hints.join("\n  ")),
    );
  });

test("bundles rendered without an image are reported with a remedy, others are not", () => {
  const said: string[] = [];
  const terminal: Terminal = {
    isInteractive: false,
    show: () => assert.fail("printed by the caller"),
    env: {},
    out: () => assert.fail("standard output belongs to the catalog"),
    write: () => assert.fail("standard output belongs to the catalog"),
    err: (text) => void said.push(text),
    paint: (_, text) => text,
    symbol: () => "!",
    ask: () => Promise.resolve(undefined),
    progress: () => undefined,
  };
  warnWithoutImage(terminal, new Map([["good", { image: "example.com/a:1" }]]));
  assert.deepEqual(said, []);
  warnWithoutImage(
    terminal,
    new Map([
      ["bare", { image: "" }],
      ["none", {}],
    ]),
  );
  assert.match(said.join("\n"), /without an image.*: bare, none\n {2}do {4}--image-template/);
});
