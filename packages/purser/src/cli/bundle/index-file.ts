import { readFileSync, statSync } from "node:fs";
import type { IndexFile } from "../../bundle/validators/community.ts";
import { goFileError } from "../../catalog-store/read/go-file-error.ts";

/** The Dockerfile of a bundle's image, for the labels in it. */
export function indexFileAt(path: string): IndexFile {
  try {
    if (statSync(path).isDirectory()) return { kind: "directory", path };
    return { kind: "read", text: readFileSync(path, "utf8") };
  } catch (error) {
    return { kind: "unreadable", path, message: goFileError("stat", path, error) };
  }
}
