import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { replacedFile } from "@purser/kubernetes/system/atomic-file";

/**
 * Writes all files or none, as far as the file system allows: every text is written to a temporary file beside its target
 * before the first target is replaced. An existing file keeps its mode; a symbolic link stays a link; devices and pipes
 * are written to.
 * @throws the error of the file system
 */
export function writeFilesAtomically(files: ReadonlyMap<string, string>): void {
  const made: { readonly temporary: string; readonly target: string }[] = [];
  const through: { readonly path: string; readonly text: string }[] = [];
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(path), { recursive: true });
      const target = replacedFile(path);
      if (target === undefined) {
        through.push({ path, text });
        continue;
      }
      const known = statSync(target, { throwIfNoEntry: false });
      const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.new`);
      made.push({ temporary, target });
      writeFileSync(temporary, text, { flag: "wx" });
      if (known !== undefined) chmodSync(temporary, known.mode & 0o7777);
    }
    for (const { path, text } of through) writeFileSync(path, text);
    for (const { temporary, target } of made) renameSync(temporary, target);
  } finally {
    for (const { temporary } of made) rmSync(temporary, { force: true });
  }
}
