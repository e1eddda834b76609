import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { type IgnoreFile, ignoreRules } from "../../catalog/loading/index-ignore.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { goFileError } from "./go-file-error.ts";

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

const ignoreFileName = ".indexignore";

/**
 * The files of a catalog in the order in which upstream walks them: each directory by name, ignored files left out.
 * `root` may be one file. Links to directories are listed and fail when read, as upstream has it.
 */
export function walkCatalog(root: string): Result<readonly CatalogFile[], CatalogProblem> {
  try {
    if (!statSync(root).isDirectory()) return done([{ path: root, below: [] }]);
    const files = [...walk(root, [])];
    const ignoreFiles = files.filter(({ below }) => below.at(-1) === ignoreFileName);
    const rules = ignoreFiles.map(readIgnoreFile);
    const ignored = ignoreRules(rules);
    return done(files.filter(({ below }) => below.at(-1) !== ignoreFileName && !ignored(below)));
  } catch (error) {
    if (error instanceof Refusal) return failed(refused(error.file, error.message));
    return failed(unreadable(root, error));
  }
}

/** Ends the walk at a file or directory below the root that cannot be read. */
class Refusal extends Error {
  override readonly name = "Refusal";
  readonly file: string;

  constructor(file: string, message: string) {
    super(message);
    this.file = file;
  }
}

function* walk(directory: string, below: readonly string[]): Generator<CatalogFile> {
  const entries = readdirOf(directory).toSorted((a, b) => compareBytes(a.name, b.name));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(path, [...below, entry.name]);
    else yield { path, below: [...below, entry.name] };
  }
}

function readdirOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    throw new Refusal(directory, messageOf(directory, error));
  }
}

const largestIgnoreFile = 2 ** 20;

function readIgnoreFile({ path, below }: CatalogFile): IgnoreFile {
  try {
    const { size } = statSync(path);
    if (size > largestIgnoreFile)
      throw new Refusal(path, `the file has ${size} bytes; files of ignore rules may have ${largestIgnoreFile}`);
    return { directory: below.slice(0, -1), text: readFileSync(path, "utf8") };
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(path, messageOf(path, error));
  }
}

const largestFile = 512 * 2 ** 20;

/** The bytes of one file of the catalog at `root`; only regular files inside it, unless `options` allow links out of it. */
export function readCatalogFile(
  root: string,
  file: CatalogFile,
  options: WalkOptions = {},
): Result<Uint8Array, CatalogProblem> {
  const problem = refusalOf(root, file, options);
  if (problem !== undefined) return failed(problem);
  try {
    const { size } = statSync(file.path);
    if (size > largestFile) return failed(refused(file.path, `the file has ${size} bytes, more than ${largestFile}`));
    return done(readFileSync(file.path));
  } catch (error) {
    return failed(unreadable(file.path, error));
  }
}

/** Why a file of a catalog is not read at all. */
function refusalOf(root: string, { path, below }: CatalogFile, options: WalkOptions): CatalogProblem | undefined {
  try {
    const entry = lstatSync(path);
    // Directories that are links are not walked: only a file that is one may lead elsewhere.
    if (entry.isSymbolicLink() && options.followOutside !== true && below.length > 0) {
      const inside = relative(realpathSync(root), realpathSync(path));
      if (inside.startsWith(`..${sep}`) || inside === "..")
        return refused(path, "the link points outside of the catalog");
    }
    const stat = entry.isSymbolicLink() ? statSync(path) : entry;
    if (stat.isDirectory()) return refused(path, `read ${path}: is a directory`);
    return stat.isFile() ? undefined : refused(path, "not a regular file");
  } catch (error) {
    return unreadable(path, error);
  }
}

const chunkLength = 128 * 1024;
/** The buffer of the file before, for the next one. */
let spareChunk: Buffer | undefined;

/**
 * As {@link readCatalogFile} in pieces, which lie in one buffer after another. A file that cannot be read to its end ends its pieces;
 * `problem` is then the reason.
 */
export class CatalogFileChunks implements Iterable<Uint8Array> {
  readonly #path: string;
  problem: CatalogProblem | undefined;

  constructor(root: string, file: CatalogFile, options: WalkOptions) {
    this.#path = file.path;
    this.problem = refusalOf(root, file, options);
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    if (this.problem !== undefined) return;
    let descriptor: number | undefined;
    let chunk = spareChunk;
    spareChunk = undefined;
    try {
      descriptor = openSync(this.#path, "r");
      chunk ??= Buffer.allocUnsafeSlow(chunkLength);
      for (;;) {
        const count = readSync(descriptor, chunk);
        if (count === 0) return;
        yield chunk.subarray(0, count);
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      this.problem = unreadable(this.#path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
      spareChunk = chunk;
    }
  }
}

function refused(file: string, message: string): CatalogProblem {
  return { rule: "unreadable", message, place: { file } };
}

function unreadable(file: string, error: unknown): CatalogProblem {
  return refused(file, messageOf(file, error));
}

function messageOf(file: string, error: unknown): string {
  const message = goFileError("open", file, error);
  const isLoop = error instanceof Error && "code" in error && error.code === "ELOOP";
  return isLoop ? `${message}: the link points to itself` : message;
}
