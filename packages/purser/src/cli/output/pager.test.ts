import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { page, pagerFor } from "./pager.ts";

test("a text is paged when it is longer than the terminal and PAGER names a program", () => {
  const text = "a\nb\nc";
  const cases: readonly (readonly [
    rows: number | undefined,
    env: Record<string, string>,
    pager: string | undefined,
  ])[] = [
    [2, { PAGER: "less -S" }, "less -S"],
    [3, { PAGER: "less" }, undefined],
    [undefined, { PAGER: "less" }, undefined],
    [0, { PAGER: "less" }, undefined],
    [2, {}, undefined],
    [2, { PAGER: " " }, undefined],
    [2, { PAGER: "cat" }, undefined],
    [2, { PAGER: "less", TERM: "dumb" }, undefined],
  ];
  for (const [rows, env, pager] of cases) assert.equal(pagerFor({ text, rows, env }), pager);
});

test("the pager gets the whole text and LESS, and one that does not exist is reported", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-pager-"));
  const file = join(directory, "paged");
  const { PATH = "" } = process.env;
  assert.equal(await page(`{ echo "$LESS"; cat; } > ${file}`, "text\n", { PATH }), true);
  assert.equal(readFileSync(file, "utf8"), "FRX\ntext\n");
  assert.equal(await page("true", "x".repeat(1_000_000), { PATH }), true, "one that reads nothing");
  assert.equal(await page(`no-such-pager 2> ${file}`, "text", { PATH }), false);
  rmSync(directory, { recursive: true });
});
