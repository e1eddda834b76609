import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "./make-directory.ts";

/**
 * The file that a write to `path` replaces as a whole: the target of a symbolic link, or `path` when nothing is there.
 * Undefined for devices, pipes and sockets (`/dev/stdout`, `/dev/null`): they are written to and never replaced.
 * @throws the error of the file system
 */
export function replacedFile(path: string): string | undefined {
  const known = statSync(path, { throwIfNoEntry: false });
  if (known === undefined) return path;
  return known.isFile() || known.isDirectory() ? realpathSync(path) : undefined;
}

/**
 * Replaces the whole file or leaves the old one: readers never see a partial file, even after a crash. What is no file
 * is written to. @throws the error of the file system
 */
export async function writeFileAtomically(path: string, text: string, mode = 0o600): Promise<void> {
  await makeDirectory(dirname(path));
  // Commands that write no file need not load these modules, which takes 6 ms.
  const { open, rename, rm, writeFile } = process.getBuiltinModule("node:fs/promises");
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const target = replacedFile(path);
  if (target === undefined) return writeFile(path, text);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
