import { done, failed, type Result } from "../result.ts";
import { looksLikeJson } from "./document-stream.ts";
import type { TextProblem } from "./problem.ts";
import { countNewlines, decodeLenient, decodeUtf8, firstInvalidByte } from "./utf8.ts";

/** The text of a YAML or JSON file. Go's JSON reader replaces bytes that are not UTF-8, its YAML reader refuses them. */
export function textOfFile(bytes: Uint8Array, file: string): Result<string, TextProblem> {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return done(text);
  const replaced = decodeLenient(bytes);
  if (looksLikeJson(replaced)) return done(replaced);
  const line = 1 + countNewlines(bytes, firstInvalidByte(bytes));
  return failed({ kind: "notUtf8", place: { file, line }, message: "invalid UTF-8" });
}
