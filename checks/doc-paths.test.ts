import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "..");

/** Paths in backticks below the root or a package's directory; those with a placeholder (`SUITE.ts`) or made by a build are left out. */
function pathsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/`((?:packages|docs|checks|src|build|conformance)\/[\w./-]+)`/g)];
  return named.map(([, path = ""]) => path).filter((path) => !/\/[A-Z]+\.|\/dist\//.test(path));
}

/** Also by the number of a decision: `docs/decisions/0006`. */
function isThere(path: string): boolean {
  const folder = dirname(path);
  return (
    existsSync(path) ||
    (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(path)}-`)))
  );
}

for (const page of ["ARCHITECTURE.md", "CONTRIBUTING.md"])
  test(`every path that ${page} names exists`, () => {
    const paths = pathsIn(readFileSync(join(root, page), "utf8"));
    assert.ok(paths.length > 10, `only ${paths.length} paths were found`);
    const homes = ["", "packages/purser", "packages/apiserver", "packages/kubernetes"];
    const missing = paths.filter((path) => !homes.some((home) => isThere(join(root, home, path))));
    assert.deepEqual(missing, []);
  });
