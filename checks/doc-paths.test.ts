import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "..");

/** What the build copies into the package: its links hold where it is published. */
const copied = new Set(["packages/purser/README.md", "packages/purser/docs"]);

/** Files and directories of the repository, relative to its root; what builds and installations make is left out. */
const there: ReadonlySet<string> = new Set(
  globSync(["*", "{bench,build,checks,deploy,docs,packages}/**"], {
    cwd: root,
    exclude: (path) => copied.has(path) || ["node_modules", "dist"].includes(basename(path)),
  }),
);
const pages = [...there]
  .filter((path) => path.endsWith(".md") && path !== "bench/RESULTS.md" && !copied.has(path))
  .toSorted();

/** Paths in backticks: below a directory of ours, TypeScript files, directories (`plan/`). Placeholders (`SUITE.ts`) are left out. */
function pathsIn(text: string): readonly string[] {
  const named = [
    ...text.matchAll(
      /`((?:packages|docs|checks|src|build|conformance|deploy)\/[\w./-]+|[\w./-]+\.ts|[\w-][\w./-]*\/)`/g,
    ),
  ];
  return named.map(([, path = ""]) => path).filter((path) => !/(?:^|\/)[A-Z]+\.|\/dist(?:\/|$)/.test(path));
}

/** A page may leave out the directories that its sentence or table names; a decision may be named by its number (`docs/decisions/0006`). */
function exists(named: string): boolean {
  const path = named.replace(/^(?:\.\.\/)+|\/$/g, "");
  for (const one of there) if (one === path || one.endsWith(`/${path}`) || one.startsWith(`${path}-`)) return true;
  return false;
}

/** Links to files, without the part of the page. */
function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => link).filter((link) => !/^https?:/.test(link));
}

for (const page of pages)
  test(`every path and every link of ${page} exists`, () => {
    const text = readFileSync(join(root, page), "utf8");
    const missing = pathsIn(text).filter((path) => !exists(path));
    const dead = linksIn(text).filter((link) => !there.has(join(dirname(page), link).replace(/\/$/, "")));
    assert.deepEqual([...missing, ...dead], []);
  });

test("paths and links are found in pages", () => {
  const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  assert.ok(pathsIn(architecture).length > 200, "ARCHITECTURE.md names hundreds of files");
  assert.ok(linksIn(readFileSync(join(root, "README.md"), "utf8")).length > 10);
  assert.deepEqual(pathsIn("`src/nowhere.ts`, `lost-file.ts`, `lost/`, not `SUITE.ts`"), [
    "src/nowhere.ts",
    "lost-file.ts",
    "lost/",
  ]);
  assert.equal(exists("lost-file.ts"), false);
});
