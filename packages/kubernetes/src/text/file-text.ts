import { done, failed, type Result } from "../result.ts";
import { looksLikeJson } from "./document-stream.ts";
import type { TextProblem } from "./problem.ts";
import { countNewlines, decodeLenient, decodeUtf8, firstInvalidByte, goUtf8Problem } from "./utf8.ts";

/** The text of a YAML or JSON file. Invalid UTF-8 is replaced in JSON and refused in YAML, as in Go. */
export function textOfFile(bytes: Uint8Array, file: string): Result<string, TextProblem> {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return done(text);
  const replaced = decodeLenient(bytes);
  if (looksLikeJson(replaced)) return done(replaced);
  const at = firstInvalidByte(bytes);
  const goText = `error converting YAML to JSON: yaml: ${goUtf8Problem(bytes, at)}`;
  return failed({
    kind: "notUtf8",
    place: { file, line: 1 + countNewlines(bytes, at) },
    message: "invalid UTF-8",
    goText,
  });
}
