// Which tests judge a mutant, the most likely to notice it first.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPackage, readSourceFiles } from "../source-files.ts";

/** A program that exits with 0 while the code is right: a test file or a conformance suite. */
export interface Judge {
  readonly name: string;
  /** Arguments for node, from the root. */
  readonly args: readonly string[];
}

/** Imported files by importer. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const suiteFile = /^packages\/[^/]+\/conformance\/suites\/(?:[^/]+\/)*([^/]+)\.ts$/;

/** "purser/resolver" for a file below `packages/purser/src/resolver/`, "purser/leaves" for one in `src/` itself; elsewhere its directory. */
export function roomOf(path: string): string {
  const [, packageName = "", room = "leaves/"] = /^packages\/([^/]+)\/src\/([^/]+\/)?/.exec(path) ?? [];
  return packageName === "" ? dirname(path) : `${packageName}/${room.slice(0, -1)}`;
}

/**
 * The test files that import the file, those of its room that reach it through other files, nearest first, and the
 * conformance suites that reach it. Tests of the room that do not reach the file cannot notice the mutant.
 */
export function judgesOf(path: string, graph: Graph, suites: ReadonlySet<string>): readonly Judge[] {
  const distances = distancesTo(path, graph);
  const reaching = [...distances].sort(([a, near], [b, far]) => near - far || (a < b ? -1 : 1));
  const isOwn = (file: string): boolean => roomOf(file) === roomOf(path);
  const tests = reaching
    .filter(([file, distance]) => file.endsWith(".test.ts") && (distance === 1 || isOwn(file)))
    .sort(([a, near], [b, far]) => near - far || Number(isOwn(b)) - Number(isOwn(a)))
    .map(([file]) => ({ name: file, args: [file] }));
  const main = "packages/purser/conformance/main.ts";
  const golden = reaching.flatMap(([file]) => {
    const name = suiteFile.exec(file)?.[1];
    return name === undefined || !suites.has(name) ? [] : [{ name: `suite ${name}`, args: [main, name] }];
  });
  return [...tests, ...golden];
}

/** How many imports lie between each file that reaches `path` and `path`. */
function distancesTo(path: string, graph: Graph): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of graph)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  const distances = new Map([[path, 0]]);
  // A map visits what is added while it is walked.
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  distances.delete(path);
  return distances;
}

/** The files beside `path` that it starts as threads or processes: ``new URL(`./name.${extension}`, import.meta.url)``. */
export function entrancesIn(path: string, text: string): readonly string[] {
  const names = text.matchAll(/new URL\(\s*["`]\.\/([\w-]+)\.(?:ts|\$\{\w+\})["`],\s*import\.meta\.url/g);
  return [...names].map(([, name = ""]) => join(dirname(path), `${name}.ts`));
}

/** The imports of all files below `root`, and the entrances of threads and processes that they start. */
export function readGraph(root: string): Graph {
  const packages = ["kubernetes", "apiserver", "purser"].map((directory) => readPackage(root, directory));
  const files = readSourceFiles(root, packages);
  return new Map(
    files.map(({ path, imports }) => [
      path,
      new Set([
        ...imports.flatMap(({ target }) => (target === undefined ? [] : [join(target)])),
        ...entrancesIn(path, readFileSync(join(root, path), "utf8")),
      ]),
    ]),
  );
}
