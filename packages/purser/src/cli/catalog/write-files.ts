import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Writes all files or none, as far as the file system allows: every text is written to a temporary file beside its target
 * before the first target is replaced. An existing file keeps its mode; a symbolic link stays a link.
 * @throws the error of the file system
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
