import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { endOfJsonString } from "@purser/kubernetes/text/documents";
import type { Edit } from "./edit.ts";
import { parentOf } from "../intended-value.ts";

/** Where things begin in the text: members by their key, items by their value. Undefined for a pointer that does not exist. */
export type Offsets = (pointer: string) => number | undefined;

/** The text of a JSON stream with one edit; undefined when it cannot be done here. Only a few characters change. */
export function editJson(
  text: string,
  edit: Edit,
  offsetOf: Offsets,
  lengthOf: (pointer: string) => number,
): string | undefined {
  switch (edit.kind) {
    case "setMember": {
      const there = offsetOf(`${edit.pointer}/${edit.key}`);
      if (there === undefined)
        return withNewMember(text, edit.pointer, edit.key, JSON.stringify(edit.value), edit.after, offsetOf);
      const start = valueOfMember(text, there);
      return `${text.slice(0, start)}${JSON.stringify(edit.value)}${text.slice(endOfValue(text, start))}`;
    }
    case "removeMember": {
      const start = offsetOf(edit.pointer);
      return start === undefined ? undefined : without(text, start, endOfValue(text, valueOfMember(text, start)));
    }
    case "removeItem": {
      const list = parentOf(edit.pointer);
      if (lengthOf(list) === 1)
        return editJson(text, { ...edit, kind: "removeMember", pointer: list }, offsetOf, lengthOf);
      const start = offsetOf(edit.pointer);
      return start === undefined ? undefined : without(text, start, endOfValue(text, start));
    }
    case "appendItem": {
      const list = `${edit.pointer}/${edit.key}`;
      const last = offsetOf(`${list}/${lengthOf(list) - 1}`);
      if (offsetOf(list) === undefined)
        return withNewMember(text, edit.pointer, edit.key, inline([edit.value]), edit.after, offsetOf);
      if (last === undefined) return undefined;
      const end = endOfValue(text, last);
      const gap = /[\t\n\r ]*$/.exec(text.slice(0, last))?.[0] ?? "";
      return `${text.slice(0, end)},${gap}${inline(edit.value)}${text.slice(end)}`;
    }
    case "joinDocument":
      return undefined;
  }
}

/** JSON on one line with blanks behind commas and colons. */
function inline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>).map(
    ([key, held]) => `${JSON.stringify(key)}: ${inline(held)}`,
  );
  return `{${members.join(", ")}}`;
}

function withNewMember(
  text: string,
  pointer: string,
  key: string,
  value: string,
  after: string,
  offsetOf: Offsets,
): string | undefined {
  const anchor = offsetOf(`${pointer}/${after}`);
  if (anchor === undefined) return undefined;
  const end = endOfValue(text, valueOfMember(text, anchor));
  const before = /\n([\t ]*)$/.exec(text.slice(0, anchor));
  const gap = before === null ? " " : `\n${before[1] ?? ""}`;
  return `${text.slice(0, end)},${gap}${JSON.stringify(key)}: ${value}${text.slice(end)}`;
}

const blanks = /[\t\n\r ]*/y;
const behindBlanks = (text: string, from: number): number => {
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
};

/** Where the value of the member begins whose key stands at an offset. */
const valueOfMember = (text: string, key: number): number =>
  behindBlanks(text, behindBlanks(text, endOfJsonString(text, key)) + 1);

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length;) {
    const letter = text.charAt(index);
    if (letter === '"') index = endOfJsonString(text, index);
    else if (letter === "{" || letter === "[") {
      depth++;
      index++;
    } else if (letter === "}" || letter === "]") {
      depth--;
      index++;
    } else if (depth === 0) return index + (/^[^\s,\]}]*/.exec(text.slice(index, index + 64))?.[0].length ?? 0);
    else index++;
    if (depth === 0) return index;
  }
  return text.length;
}

/** Cuts out a member or an item together with the comma on one side of it. */
function without(text: string, start: number, end: number): string {
  const next = behindBlanks(text, end);
  if (text.charAt(next) === ",") return text.slice(0, start) + text.slice(behindBlanks(text, next + 1));
  const before = text.slice(0, start).trimEnd();
  return (before.endsWith(",") ? before.slice(0, -1) : before) + text.slice(end);
}
