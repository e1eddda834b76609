// Catalogs that golden cases bring along as files, laid out on disk for the commands to read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";

/** Writes `files` (path to text, or `{base64}`) below a fresh directory, hands it to `use` and removes it. */
export function withFiles<Value>(files: JsonValue | undefined, use: (root: string) => Value): Value {
  const root = mkdtempSync(join(tmpdir(), "purser-golden-"));
  try {
    layOut(files, root);
    return use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Writes `files` (path to text, or `{base64}`) below a directory that is there. */
export function layOut(files: JsonValue | undefined, root: string): void {
  for (const [path, content] of Object.entries(isJsonObject(files) ? files : {})) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytesOf(content ?? ""));
  }
}

function bytesOf(content: JsonValue): string | Uint8Array {
  if (typeof content === "string") return content;
  const encoded = isJsonObject(content) ? member(content, "base64") : undefined;
  return Buffer.from(typeof encoded === "string" ? encoded : "", "base64");
}
