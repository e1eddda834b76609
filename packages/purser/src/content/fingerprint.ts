import type { BigIntStats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** More files than this and the folder is no catalog or bundle. */
const mostFiles = 100_000;
/** Entries of a directory that are looked at together. */
const together = 32;

/**
 * A text that changes when any file below `root` appears, vanishes, is replaced or written to. Looks at names, sizes,
 * times and inode numbers, through symbolic links, never at contents. A missing root has a fingerprint too.
 */
export async function fingerprint(root: string): Promise<string> {
  let found = 0;
  const lineOf = (below: string, { ino, size, mtimeNs, mode }: BigIntStats): string =>
    `${below}\0${ino}\0${size}\0${mtimeNs}\0${mode}`;
  const visit = async (path: string, below: string): Promise<readonly string[]> => {
    if (found > mostFiles) return [];
    found++;
    try {
      const stats = await stat(path, { bigint: true });
      if (!stats.isDirectory()) return [lineOf(below, stats)];
      const lines = [`${below}/`];
      const entries = await readdir(path, { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      // Together, as a busy event loop lets each of them wait for a turn.
      for (let at = 0; at < entries.length; at += together) {
        const visited = entries.slice(at, at + together).map((entry) => {
          const child = `${below}/${entry.name}`;
          // A link to a directory may lead round in circles; what it points at is enough.
          return entry.isSymbolicLink()
            ? visitLink(join(path, entry.name), child)
            : visit(join(path, entry.name), child);
        });
        for (const below of await Promise.all(visited)) for (const line of below) lines.push(line);
      }
      return lines;
    } catch (error) {
      return [unreadable(below, error)];
    }
  };
  const visitLink = async (path: string, below: string): Promise<readonly string[]> => {
    found++;
    try {
      return [lineOf(below, await stat(path, { bigint: true }))];
    } catch (error) {
      return [unreadable(below, error)];
    }
  };
  return (await visit(root, "")).join("\n");
}

function unreadable(below: string, error: unknown): string {
  return `${below}\0${error instanceof Error && "code" in error ? String(error.code) : "unreadable"}`;
}
