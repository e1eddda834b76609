// What each snippet is read as, or why it is refused, with places: ../testing/yaml-readings.txt.
// PURSER_TEST_RECORD=yaml-readings writes that file anew: look at the difference before it is committed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isJsonObject, type JsonValue } from "../../json.ts";
import { documentsOf, escapePointer, goJson, type PlacedDocument } from "../documents.ts";
import { TextError } from "../problem.ts";
import { singleDocuments, yamlSnippets } from "../testing/yaml-snippets.ts";
import { readYamlDocument } from "./yaml-document.ts";

const file = join(import.meta.dirname, "../testing/yaml-readings.txt");
const written = (snippet: string): string => snippet.replaceAll("¶", "\n").replaceAll("→", "\t").replaceAll("␍", "\r");
const at = ({ line, column }: { readonly line?: number; readonly column?: number }): string =>
  `${line ?? "-"}:${column ?? "-"}`;

function* pointersOf(value: JsonValue, pointer = ""): Generator<string> {
  yield pointer;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* pointersOf(item, `${pointer}/${index}`);
  else if (isJsonObject(value))
    for (const [key, item = null] of Object.entries(value)) yield* pointersOf(item, `${pointer}/${escapePointer(key)}`);
}

function documentLine(document: PlacedDocument): string {
  const { value, format, lostText, jsonProblem } = document;
  const places = document.locateAll([...pointersOf(value)]).map(at);
  const repeated = document.duplicateKeys().map(at);
  return [
    `  ${goJson(value)} ${format} at ${places.join(" ")}`,
    ...(repeated.length === 0 ? [] : [`repeated ${repeated.join(" ")}`]),
    ...(lostText ? ["lost text"] : []),
    ...(jsonProblem === undefined ? [] : [`for JSON ${jsonProblem}`]),
  ].join("; ");
}

function singleLine(text: string): string {
  try {
    const { value, lostText } = readYamlDocument(text);
    return `  ${goJson(value)}${lostText ? "; lost text" : ""}`;
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return `  ${error.kind} at ${error.offset}: ${error.message}; line ${error.goLine} in Go`;
  }
}

test("each snippet is read, placed or refused as recorded", () => {
  const lines: string[] = [];
  for (const [group, snippets] of Object.entries(yamlSnippets)) {
    lines.push(`# ${group}`);
    for (const snippet of snippets) {
      lines.push(snippet);
      for (const read of documentsOf(written(snippet), { keepEmpty: true })) {
        if (read.ok) lines.push(documentLine(read.value));
        else {
          const { kind, place, message, goText } = read.problem;
          lines.push(
            `  ${kind} at ${at(place)}: ${message}${goText === undefined ? "" : `\n  in Go: ${goText.replaceAll("\n", "¶")}`}`,
          );
        }
      }
    }
  }
  lines.push("# single documents", ...singleDocuments.flatMap((snippet) => [snippet, singleLine(written(snippet))]));
  const text = `${lines.join("\n")}\n`;
  if (process.env["PURSER_TEST_RECORD"] === "yaml-readings") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"));
});
