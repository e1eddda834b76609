import { done, failed, type Result } from "../result.ts";
import { looksLikeJson } from "./document-stream.ts";
import type { TextProblem } from "./problem.ts";

/** The text of a YAML or JSON file. Go's JSON reader replaces bytes that are not UTF-8, its YAML reader refuses them. */
export function textOfFile(bytes: Uint8Array, file: string): Result<string, TextProblem> {
  try {
    return done(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    if (looksLikeJson(text)) return done(text);
    const line = 1 + countNewlines(bytes, firstInvalidByte(bytes));
    return failed({ kind: "notUtf8", place: { file, line }, message: "invalid UTF-8" });
  }
}

/** Decoding in pieces tells which piece breaks; halving finds the byte. */
function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isValidPrefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isValidPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function countNewlines(bytes: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1 && at < end; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}
