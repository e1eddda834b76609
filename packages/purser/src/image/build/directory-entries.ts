import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";

/** One entry of a layer; the order of entries is part of a layer's digest. */
export interface LayerEntry {
  /** Path in the image, without a leading `/`. */
  readonly path: string;
  /** The file to read, or its content; absent for a directory. */
  readonly file?: { readonly source: string | Uint8Array; readonly size: number };
  /** What a symbolic link names. */
  readonly link?: string;
  /** Permissions; 0755 for a directory and 0644 for a file when absent. */
  readonly mode?: number;
}

const mostEntries = 100_000;

/**
 * The entries of a layer that holds the file or directory at `root` under `into`: directories before what they hold, each
 * directory's members in byte order, whatever order the file system lists them in. A symbolic link inside of `root` becomes a
 * copy of its file, so that no reader has to follow links. The problem is a sentence: a link that leads out or to a directory,
 * a socket or device, more than 100,000 entries, an error of the file system.
 */
export function directoryEntries(root: string, into: string): Result<readonly LayerEntry[], string> {
  const entries: LayerEntry[] = into
    .split("/")
    .map((_, index, parts) => ({ path: parts.slice(0, index + 1).join("/") }));
  try {
    const stat = statSync(root);
    if (stat.isFile()) return done([...entries, fileEntry(`${into}/${basename(root)}`, root, stat.size)]);
    const inside = realpathSync(root) + sep;
    const problem = addDirectory(root, into, inside, entries);
    return problem === undefined ? done(entries) : failed(problem);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function addDirectory(directory: string, into: string, inside: string, entries: LayerEntry[]): string | undefined {
  for (const name of readdirSync(directory).toSorted(compareBytes)) {
    if (entries.length >= mostEntries) return `${directory} and its neighbours hold more than ${mostEntries} files`;
    const source = join(directory, name);
    const path = `${into}/${name}`;
    const isLink = lstatSync(source).isSymbolicLink();
    if (isLink && !realpathSync(source).startsWith(inside))
      return `${source} is a link to a file outside of the directory`;
    const stat = statSync(source);
    if (stat.isDirectory() && isLink) return `${source} is a link to a directory`;
    if (stat.isDirectory()) {
      entries.push({ path });
      const problem = addDirectory(source, path, inside, entries);
      if (problem !== undefined) return problem;
    } else if (stat.isFile()) entries.push(fileEntry(path, source, stat.size));
    else return `${source} is not a regular file`;
  }
  return undefined;
}

const fileEntry = (path: string, source: string, size: number): LayerEntry => ({ path, file: { source, size } });
