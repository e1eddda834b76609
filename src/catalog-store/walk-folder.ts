import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type IgnoreFile, ignoreRules } from "../catalog/index-ignore.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { done, failed, type Result } from "../result.ts";
import { compareBytes } from "../text/documents.ts";

export interface CatalogFile {
  /** Absolute or as the root was given. */
  readonly path: string;
  /** Segments below the root. */
  readonly below: readonly string[];
}

export interface WalkOptions {
  /** Symbolic links that lead out of the root are refused unless this is set. */
  readonly followOutside?: boolean;
}

export const ignoreFileName = ".indexignore";

/**
 * The files of a catalog in the order in which upstream walks them: each directory by name, ignored files left out.
 * `root` may be one file. Links to directories are listed and fail when read, as upstream has it.
 */
export function walkCatalog(root: string): Result<readonly CatalogFile[], CatalogProblem> {
  try {
    if (!statSync(root).isDirectory()) return done([{ path: root, below: [] }]);
    const files = [...walk(root, [])];
    const ignoreFiles = files.filter(({ below }) => below.at(-1) === ignoreFileName);
    const rules = ignoreFiles.map(({ path, below }): IgnoreFile => ({
      directory: below.slice(0, -1),
      text: readFileSync(path, "utf8"),
    }));
    const ignored = ignoreRules(rules);
    return done(files.filter(({ below }) => below.at(-1) !== ignoreFileName && !ignored(below)));
  } catch (error) {
    return failed(unreadable(root, error));
  }
}

function* walk(directory: string, below: readonly string[]): Generator<CatalogFile> {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => compareBytes(a.name, b.name));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(path, [...below, entry.name]);
    else yield { path, below: [...below, entry.name] };
  }
}

const largestFile = 512 * 1024 * 1024;

/** The bytes of one file of the catalog at `root`; only regular files inside it, unless told otherwise. */
export function readCatalogFile(
  root: string,
  { path, below }: CatalogFile,
  options: WalkOptions = {},
): Result<Uint8Array, CatalogProblem> {
  try {
    if (options.followOutside !== true && below.length > 0) {
      const inside = relative(realpathSync(root), realpathSync(path));
      if (inside.startsWith(`..${sep}`) || inside === "..")
        return failed(refused(path, "the link leads out of the catalog"));
    }
    const stat = statSync(path);
    if (stat.isDirectory()) return failed(refused(path, `read ${path}: is a directory`));
    if (!stat.isFile()) return failed(refused(path, "not a regular file"));
    if (stat.size > largestFile)
      return failed(refused(path, `the file has ${stat.size} bytes, more than ${largestFile}`));
    return done(readFileSync(path));
  } catch (error) {
    return failed(unreadable(path, error));
  }
}

function refused(file: string, message: string): CatalogProblem {
  return { rule: "unreadable", message, place: { file } };
}

function unreadable(file: string, error: unknown): CatalogProblem {
  return refused(file, error instanceof Error ? error.message : String(error));
}
