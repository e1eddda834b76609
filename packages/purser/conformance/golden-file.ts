import { readFileSync } from "node:fs";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { GoldenCase } from "./suite.ts";

function parseLine(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function caseOf(text: string, line: number): GoldenCase | undefined {
  const parsed = parseLine(text);
  if (!isJsonObject(parsed)) return undefined;
  const { name = `line ${line}`, input, expect, loose = false } = parsed;
  if (typeof name !== "string" || !isJsonObject(input) || !isJsonObject(expect)) return undefined;
  return { name, input, expect, loose: loose === true, line, text };
}

/** All lines of a golden file; the problem is a sentence that names the file and, if it is one, the line. */
export function readGolden(file: string): Result<readonly GoldenCase[], string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return failed(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const cases: GoldenCase[] = [];
  // Only a line feed ends a line: the cases hold other Unicode line breaks.
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const golden = caseOf(line, index + 1);
    if (golden === undefined) return failed(`${file}:${index + 1}: not a golden case (name, input, expect)`);
    cases.push(golden);
  }
  return done(cases);
}
