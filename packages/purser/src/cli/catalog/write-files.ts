import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Writes files all or none as far as a file system allows: every text is on disk beside its target before the first
 * takes its place. A file that is there keeps its mode; a link keeps pointing.
 * @throws what the file system says; then nothing was replaced
 */
export function writeFilesAtomically(files: ReadonlyMap<string, string>): void {
  const made: { readonly temporary: string; readonly target: string }[] = [];
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(path), { recursive: true });
      const known = statSync(path, { throwIfNoEntry: false });
      const target = known === undefined ? path : realpathSync(path);
      const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.new`);
      made.push({ temporary, target });
      writeFileSync(temporary, text, { flag: "wx" });
      if (known !== undefined) chmodSync(temporary, known.mode & 0o7777);
    }
    for (const { temporary, target } of made) renameSync(temporary, target);
  } finally {
    for (const { temporary } of made) rmSync(temporary, { force: true });
  }
}
