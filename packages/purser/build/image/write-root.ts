import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RootFile } from "./root-files.ts";

/** Writes the file system of an image into an empty or new directory; the problem says that it holds something. */
export function writeRoot(folder: string, files: readonly RootFile[]): string | undefined {
  if (existsSync(folder) && readdirSync(folder).length > 0) return `${folder} is not empty`;
  for (const file of files) {
    const path = join(folder, file.path);
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
