import type { JsonValue } from "@purser/kubernetes/json";
import { canonicalJson, compareBytes, type PlacedDocument } from "@purser/kubernetes/text/documents";
import type { Edit } from "./edit.ts";
import { editJson } from "./edit-json.ts";
import { editYaml } from "./edit-yaml.ts";
import { at, intendedValue, tokens } from "../intended-value.ts";
import { documentsOfStream } from "../stream.ts";

export interface Edited {
  readonly text: string;
  readonly done: readonly Edit[];
  /** Edits that the form of the text does not allow; none of them was made. */
  readonly refused: readonly Edit[];
}

/**
 * The text of one file with its edits. Each is checked by reading the result: the document must hold exactly what was
 * intended, and every other document must be unchanged. Otherwise the edit is refused.
 */
export function applyEdits(file: string, text: string, edits: readonly Edit[]): Edited {
  let current = text;
  const done: Edit[] = [];
  const refused: Edit[] = [];
  const seen = new Set<string>();
  for (const edit of [...edits].sort(lastFirst)) {
    // Two findings may ask for the same.
    const key = JSON.stringify(edit);
    if (seen.has(key)) continue;
    seen.add(key);
    const next = applyEdit(file, current, edit);
    if (next === undefined) refused.push(edit);
    else {
      current = next;
      done.push(edit);
    }
  }
  return { text: current, done, refused };
}

/** From the end, so that positions in lists and documents of those that follow still hold. */
function lastFirst(left: Edit, right: Edit): number {
  return right.document - left.document || -comparePointers(pointerOf(left), pointerOf(right));
}

const pointerOf = (edit: Edit): string => (edit.kind === "joinDocument" ? "" : edit.pointer);

function comparePointers(left: string, right: string): number {
  const [a, b] = [tokens(left), tokens(right)];
  for (const [index, token] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const areNumbers = /^\d+$/.test(token) && /^\d+$/.test(other);
    const order = areNumbers ? Number(token) - Number(other) : compareBytes(token, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function documents(text: string, file: string): readonly PlacedDocument[] | undefined {
  const all: PlacedDocument[] = [];
  for (const read of documentsOfStream(text, file)) {
    // A change among documents that cannot be read could not be checked.
    if (!read.ok) return undefined;
    all.push(read.value);
  }
  return all;
}

function applyEdit(file: string, text: string, edit: Edit): string | undefined {
  const before = documents(text, file);
  const document = before?.[edit.document];
  if (before === undefined || document === undefined) return undefined;
  if (edit.kind === "joinDocument") return joined(file, text, before, document);
  const wanted = intendedValue(document.value, edit);
  if (wanted === undefined) return undefined;
  const next = edited(text, document, edit);
  const after = next === undefined ? undefined : documents(next, file);
  if (next === undefined || after === undefined) return undefined;
  const expected = before.map(({ value }, index) => (index === edit.document ? wanted : value));
  return areSame(
    expected,
    after.map(({ value }) => value),
  )
    ? next
    : undefined;
}

function areSame(left: readonly JsonValue[], right: readonly JsonValue[]): boolean {
  return (
    left.length === right.length &&
    left.every((value, index) => canonicalJson(value) === canonicalJson(right[index] ?? null))
  );
}

function edited(text: string, document: PlacedDocument, edit: Edit): string | undefined {
  const { value } = document;
  const isThere = (pointer: string): boolean => at(value, tokens(pointer)) !== undefined;
  const lengthOf = (pointer: string): number => {
    const list = at(value, tokens(pointer));
    return Array.isArray(list) ? list.length : 0;
  };
  const spotOf = (pointer: string) => {
    if (!isThere(pointer)) return undefined;
    const { line = 1, column = 1 } = document.locate(pointer);
    return { line: line - 1, column: column - 1 };
  };
  const lines = text.split("\n");
  if (document.format === "yaml") return editYaml(lines, edit, spotOf, lengthOf)?.join("\n");
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  const offsetOf = (pointer: string): number | undefined => {
    const spot = spotOf(pointer);
    return spot === undefined ? undefined : (starts[spot.line] ?? 0) + spot.column;
  };
  return editJson(text, edit, offsetOf, lengthOf);
}

/** Takes out the separator behind an empty document, or the one before it when it is the last. */
function joined(
  file: string,
  text: string,
  before: readonly PlacedDocument[],
  document: PlacedDocument,
): string | undefined {
  if (document.value !== null || document.format !== "yaml") return undefined;
  const lines = text.split("\n");
  const start = (document.place.line ?? 1) - 1;
  const isSeparator = (line: string | undefined): boolean => /^---\s*$/.test(line ?? "");
  const behind = lines.findIndex((line, index) => index >= start && isSeparator(line));
  const separator = behind === -1 && isSeparator(lines[start - 1]) ? start - 1 : behind;
  if (separator === -1) return undefined;
  const next = lines.toSpliced(separator, 1).join("\n");
  const after = documents(next, file);
  const kept = (all: readonly PlacedDocument[]) => all.map(({ value }) => value).filter((value) => value !== null);
  return after !== undefined && after.length < before.length && areSame(kept(before), kept(after)) ? next : undefined;
}
