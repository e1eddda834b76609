import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RootFile } from "./root-files.ts";

/** Writes the file system of an image into an empty or new directory; the problem says that it holds something. */
export function writeRoot(directory: string, files: readonly RootFile[]): string | undefined {
  if (existsSync(directory) && readdirSync(directory).length > 0) return `${directory} is not empty`;
  for (const file of files) {
    const path = join(directory, file.path);
    mkdirSync(dirname(path), { recursive: true });
    switch (file.kind) {
      case "file":
        writeFileSync(path, file.bytes);
        chmodSync(path, file.executable === true ? 0o755 : 0o644);
        break;
      case "link":
        symlinkSync(file.target, path);
        break;
      case "directory":
        mkdirSync(path, { recursive: true });
        chmodSync(path, file.mode);
    }
  }
  return undefined;
}
