import { type BigIntStats, type Dirent, readdirSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { sep } from "node:path";

/** More files than this and the directory is no catalog or bundle. */
const mostFiles = 100_000;
/** Entries of a directory that are looked at together. */
const together = 32;

interface Entry {
  readonly path: string;
  /** The path below the root, with a leading slash; "" for the root. */
  readonly below: string;
  /** False for a link to one, as links may lead round in circles: what it points at is enough. Absent: of the root. */
  readonly isDirectory?: boolean;
}

/**
 * A text that changes when any file below `root` appears, vanishes, is replaced or written to. Looks at names, sizes,
 * times and inode numbers, through symbolic links, never at contents. A missing root has a fingerprint too.
 */
export async function fingerprint(root: string): Promise<string> {
  let found = 0;
  const visit = async (entry: Entry): Promise<readonly string[]> => {
    if (found > mostFiles) return [];
    found++;
    try {
      const stats = entry.isDirectory === true ? undefined : await stat(entry.path, { bigint: true });
      if (stats !== undefined && !isDirectory(entry, stats)) return [lineOf(entry, stats)];
      const lines = [`${entry.below}/`];
      const children = childrenOf(entry, await readdir(entry.path, { withFileTypes: true }));
      // Together, as a busy event loop lets each of them wait for a turn.
      for (let at = 0; at < children.length; at += together)
        for (const below of await Promise.all(children.slice(at, at + together).map(visit)))
          for (const line of below) lines.push(line);
      return lines;
    } catch (error) {
      return [unreadable(entry, error)];
    }
  };
  return (await visit({ path: root, below: "" })).join("\n");
}

/** The same while nothing else runs, in a third of the time: for processes that have nothing else to do. */
export function fingerprintNow(root: string): string {
  const lines: string[] = [];
  let found = 0;
  const visit = (entry: Entry): void => {
    if (found > mostFiles) return;
    found++;
    const began = lines.length;
    try {
      const stats = entry.isDirectory === true ? undefined : statSync(entry.path, { bigint: true });
      if (stats !== undefined && !isDirectory(entry, stats)) return void lines.push(lineOf(entry, stats));
      lines.push(`${entry.below}/`);
      for (const child of childrenOf(entry, readdirSync(entry.path, { withFileTypes: true }))) visit(child);
    } catch (error) {
      lines.length = began;
      lines.push(unreadable(entry, error));
    }
  };
  visit({ path: root, below: "" });
  return lines.join("\n");
}

/** Only the root was not listed by a directory. */
const isDirectory = ({ below }: Entry, stats: BigIntStats): boolean => below === "" && stats.isDirectory();

const lineOf = ({ below }: Entry, { ino, size, mtimeNs, mode }: BigIntStats): string =>
  `${below}\0${ino}\0${size}\0${mtimeNs}\0${mode}`;

function childrenOf({ path, below }: Entry, entries: readonly Dirent[]): readonly Entry[] {
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({
      path: `${path}${sep}${entry.name}`,
      below: `${below}/${entry.name}`,
      isDirectory: entry.isDirectory(),
    }));
}

function unreadable({ below }: Entry, error: unknown): string {
  return `${below}\0${error instanceof Error && "code" in error ? String(error.code) : "unreadable"}`;
}
