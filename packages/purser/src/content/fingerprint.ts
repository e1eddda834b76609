import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** More files than this and the folder is no catalog or bundle. */
const mostFiles = 100_000;

/**
 * A text that changes when any file below `root` appears, vanishes, is replaced or written to. Looks at names, sizes,
 * times and inode numbers, through symbolic links, never at contents. A missing root has a fingerprint too.
 */
export async function fingerprint(root: string): Promise<string> {
  const lines: string[] = [];
  const visit = async (path: string, below: string): Promise<void> => {
    if (lines.length > mostFiles) return;
    try {
      const found = await stat(path, { bigint: true });
      if (!found.isDirectory()) {
        lines.push(`${below}\0${found.ino}\0${found.size}\0${found.mtimeNs}\0${found.mode}`);
        return;
      }
      lines.push(`${below}/`);
      const entries = await readdir(path, { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const child = `${below}/${entry.name}`;
        // A link to a directory may lead round in circles; what it points at is enough.
        if (entry.isSymbolicLink()) await visitLink(join(path, entry.name), child);
        else await visit(join(path, entry.name), child);
      }
    } catch (error) {
      lines.push(`${below}\0${error instanceof Error && "code" in error ? String(error.code) : "unreadable"}`);
    }
  };
  const visitLink = async (path: string, below: string): Promise<void> => {
    const target = await stat(path, { bigint: true });
    lines.push(`${below}\0${target.ino}\0${target.size}\0${target.mtimeNs}\0${target.mode}`);
  };
  await visit(root, "");
  return lines.join("\n");
}
