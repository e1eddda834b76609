import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

/** A checkout with two packages, the hook and what `npm ci` installs. */
const root = mkdtempSync(join(realpathSync(tmpdir()), "purser-quick-"));
after(() => rmSync(root, { recursive: true }));
const files: Readonly<Record<string, string>> = {
  "packages/a/package.json": JSON.stringify({
    name: "a",
    type: "module",
    imports: { "#own": "./src/own-of-a.ts", "#way": { import: "./src/own-of-a.ts", require: "./src/neighbour.ts" } },
  }),
  "packages/a/src/own-of-a.ts": 'export const own = "a";',
  "packages/a/src/neighbour.ts": "export const url: string = import.meta.url;",
  "packages/b/package.json": '{"name": "b", "type": "module", "imports": {"#own": "./own-of-b.ts"}}',
  "packages/b/own-of-b.ts": 'export const own = "b";',
  "packages/b/asks.ts": 'export { own } from "#own";',
};
for (const directory of ["checks", "packages/a/src", "packages/b"])
  mkdirSync(join(root, directory), { recursive: true });
for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
copyFileSync(join(import.meta.dirname, "quick-resolution.ts"), join(root, "checks/quick-resolution.ts"));
symlinkSync(join(import.meta.dirname, "../node_modules"), join(root, "node_modules"));

/** What a module prints, with the hook and without it. */
function printed(text: string): readonly { readonly status: number | null; readonly output: string }[] {
  const file = join(root, "packages/a/src/asking.ts");
  writeFileSync(file, text);
  return [[`--import=${join(root, "checks/quick-resolution.ts")}`], []].map((flags) => {
    const given = [...flags, "--disable-warning=ExperimentalWarning", file];
    const { status, stdout, stderr } = spawnSync(process.execPath, given, { encoding: "utf8" });
    return { status, output: stdout + stderr };
  });
}

for (const [what, text] of [
  ["a neighbour", 'import { url } from "./neighbour.ts"; console.log(url);'],
  ["a file of another package", 'import { own } from "../../b/own-of-b.ts"; console.log(own);'],
  [
    "a name that means something else in each package",
    'import { own } from "#own"; import { own as other } from "../../b/asks.ts"; console.log(own, other);',
  ],
  ["a package that is CommonJS", 'import protobuf from "protobufjs"; console.log(typeof protobuf.Root);'],
  [
    "a name that means something else for require",
    'import { createRequire } from "node:module"; import * as way from "#way"; console.log(Object.keys(way), Object.keys(createRequire(import.meta.url)("#way")));',
  ],
  ["a data file", 'import own from "../package.json" with { type: "json" }; console.log(own.name);'],
  ["a part of Node without its prefix", 'import { basename } from "path"; console.log(basename("a/b"));'],
  [
    "a required module",
    'import { createRequire } from "node:module"; console.log(createRequire(import.meta.url)("./neighbour.ts").url);',
  ],
] as const)
  test(`${what} is the same as without the hook`, () => {
    const [quick, plain] = printed(text);
    assert.equal(plain?.status, 0, plain?.output);
    assert.deepEqual(quick, plain);
  });

test("a module that does not exist fails the process and is named", () => {
  for (const { status, output } of printed('import "./absent.ts";')) {
    assert.equal(status, 1);
    assert.match(output, /absent\.ts/);
  }
});
