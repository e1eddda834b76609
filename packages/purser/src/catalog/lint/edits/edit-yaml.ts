import { writeYaml } from "@purser/kubernetes/text/documents";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Edit } from "./edit.ts";
import { parentOf } from "../intended-value.ts";

/** Line (zero-based) and column of members, by their key, and of items, by their value; undefined for a pointer that does not exist. */
export type Spot = { readonly line: number; readonly column: number } | undefined;

/**
 * The lines of a YAML stream with one edit, for the block style that people and renderers write; undefined for
 * anything else. Only lines of the value itself change.
 */
export function editYaml(
  lines: readonly string[],
  edit: Edit,
  spotOf: (pointer: string) => Spot,
  lengthOf: (pointer: string) => number,
): readonly string[] | undefined {
  switch (edit.kind) {
    case "setMember": {
      const there = spotOf(`${edit.pointer}/${edit.key}`);
      if (there === undefined)
        return withNewMember(lines, spotOf(`${edit.pointer}/${edit.after}`), [member(edit.key, edit.value)]);
      const line = lines[there.line] ?? "";
      const rest =
        /^([^\s:"']+:[ \t]+)(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'|>&*!{[](?:[^#]|(?<!\s)#)*?)(\s*|\s+#.*)$/.exec(
          line.slice(there.column),
        );
      if (rest === null) return undefined;
      return lines.with(
        there.line,
        `${line.slice(0, there.column)}${rest[1] ?? ""}${scalar(edit.value)}${rest[2] ?? ""}`,
      );
    }
    case "removeMember": {
      const spot = spotOf(edit.pointer);
      if (spot === undefined || (lines[spot.line] ?? "").slice(0, spot.column).trim() !== "") return undefined;
      return cut(lines, spot.line, endOfBlock(lines, spot.line, spot.column, true));
    }
    case "removeItem": {
      const list = parentOf(edit.pointer);
      if (lengthOf(list) === 1)
        return editYaml(lines, { ...edit, kind: "removeMember", pointer: list }, spotOf, lengthOf);
      const spot = spotOf(edit.pointer);
      const dash = spot === undefined ? undefined : dashBefore(lines, spot);
      if (spot === undefined) return undefined;
      if (dash === undefined) return withoutFlowItem(lines, spot, Number(edit.pointer.slice(list.length + 1)));
      return cut(lines, spot.line, endOfBlock(lines, spot.line, dash, false));
    }
    case "appendItem":
      return appended(lines, edit, spotOf, lengthOf);
    case "joinDocument":
      return undefined;
  }
}

const scalar = (value: string): string => writeYaml(value).trimEnd();
const member = (key: string, value: string): string => `${key}: ${scalar(value)}`;
const cut = (lines: readonly string[], from: number, to: number): readonly string[] => lines.toSpliced(from, to - from);
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** New lines behind a scalar member that stands on one line. */
function withNewMember(
  lines: readonly string[],
  anchor: Spot,
  added: readonly string[],
): readonly string[] | undefined {
  if (anchor === undefined) return undefined;
  const line = lines[anchor.line] ?? "";
  const end = line.endsWith("\r") ? "\r" : "";
  // A key in front of it, or anything but a dash, means flow style.
  if (!/^[\s-]*$/.test(line.slice(0, anchor.column))) return undefined;
  return lines.toSpliced(anchor.line + 1, 0, ...added.map((text) => `${" ".repeat(anchor.column)}${text}${end}`));
}

/** Column of the dash that opens the item at a spot; undefined in flow style. */
function dashBefore(lines: readonly string[], { line, column }: NonNullable<Spot>): number | undefined {
  const before = (lines[line] ?? "").slice(0, column);
  return /^\s*-\s+$/.test(before) ? before.indexOf("-") : undefined;
}

/**
 * The line behind a block that begins at `first` in a column. Comments and blank lines behind its last value stay.
 * A list may stand in the column of the key that holds it.
 */
function endOfBlock(lines: readonly string[], first: number, column: number, isMember: boolean): number {
  let end = first + 1;
  for (let index = first + 1; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const indent = indentOf(line);
    const isOwnList = isMember && indent === column && /^-(\s|$)/.test(text) && !line.startsWith("---");
    if (indent <= column && !isOwnList) break;
    end = index + 1;
  }
  return end;
}

function appended(
  lines: readonly string[],
  { pointer, key, value, after }: Edit & { readonly kind: "appendItem" },
  spotOf: (pointer: string) => Spot,
  lengthOf: (pointer: string) => number,
): readonly string[] | undefined {
  const list = `${pointer}/${key}`;
  if (spotOf(list) === undefined)
    return withNewMember(lines, spotOf(`${pointer}/${after}`), [`${key}:`, ...item(value)]);
  const last = spotOf(`${list}/${lengthOf(list) - 1}`);
  if (last === undefined) return undefined;
  const dash = dashBefore(lines, last);
  if (dash === undefined) return withFlowItem(lines, last, value);
  const end = endOfBlock(lines, last.line, dash, false);
  const carriage = (lines[last.line] ?? "").endsWith("\r") ? "\r" : "";
  return lines.toSpliced(end, 0, ...item(value).map((text) => `${" ".repeat(dash)}${text}${carriage}`));
}

const item = (value: JsonValue): readonly string[] =>
  writeYaml(value)
    .trimEnd()
    .split("\n")
    .map((line, index) => `${index === 0 ? "- " : "  "}${line}`);

/** A list of plain words in brackets on one line: `[a, b]`. */
const flowList = /\[([^[\]{}"'#]*)\]/g;

function flowAround(
  line: string,
  column: number,
): { readonly start: number; readonly items: readonly string[]; readonly end: number } | undefined {
  for (const match of line.matchAll(flowList)) {
    const end = match.index + match[0].length;
    if (match.index < column && column < end)
      return { start: match.index, end, items: (match[1] ?? "").split(",").map((text) => text.trim()) };
  }
  return undefined;
}

function withFlowItem(
  lines: readonly string[],
  { line, column }: NonNullable<Spot>,
  value: JsonValue,
): readonly string[] | undefined {
  const text = lines[line] ?? "";
  const found = flowAround(text, column);
  if (found === undefined || typeof value !== "string" || /[\s,[\]{}]/.test(value)) return undefined;
  return lines.with(
    line,
    `${text.slice(0, found.start)}[${[...found.items, scalar(value)].join(", ")}]${text.slice(found.end)}`,
  );
}

function withoutFlowItem(
  lines: readonly string[],
  { line, column }: NonNullable<Spot>,
  index: number,
): readonly string[] | undefined {
  const text = lines[line] ?? "";
  const found = flowAround(text, column);
  if (found === undefined) return undefined;
  return lines.with(
    line,
    `${text.slice(0, found.start)}[${found.items.toSpliced(index, 1).join(", ")}]${text.slice(found.end)}`,
  );
}
