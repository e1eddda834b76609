import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

// Node maps its locale data when the first of these is used: 10 to 15 MB of resident memory in every process.
const forbidden = `
const refuse = (name) => () => { throw new Error(name + " is used while the program is loaded"); };
Number.prototype.toLocaleString = refuse("Number.toLocaleString");
Date.prototype.toLocaleString = refuse("Date.toLocaleString");
String.prototype.localeCompare = refuse("localeCompare");
for (const name of ["DateTimeFormat", "NumberFormat", "Collator", "Segmenter"])
  Intl[name] = class { constructor() { refuse("Intl." + name)(); } };
`;

test("nothing that runs all the time uses locale data when it is loaded", () => {
  const modules = ["lifecycle.ts", "../cli/commands/run.ts"].map((file) => join(import.meta.dirname, file));
  const imports = modules.map((file) => `await import(${JSON.stringify(file)});`).join("\n");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", `${forbidden}${imports}`],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
});
