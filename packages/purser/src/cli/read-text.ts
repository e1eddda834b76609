import { readFileSync } from "node:fs";
import { goFileError } from "../catalog-store/read/go-file-error.ts";
import { textOfFile } from "@purser/kubernetes/text/file-text";

/** The text of a file, or of stdin for `-`. The problem has the wording of Go's errors. */
export function readText(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    const bytes = readFileSync(path === "-" ? 0 : path);
    const text = textOfFile(bytes, path === "-" ? "stdin" : path);
    return text.ok ? { text: text.value } : { problem: text.problem.goText ?? text.problem.message };
  } catch (error) {
    return { problem: goFileError("open", path, error) };
  }
}
