import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { withMember } from "@purser/kubernetes/object/patches/json-edit";
import type { Edit } from "./edits/edit.ts";

/** The document as an edit wants it; undefined when the edit does not fit the document. */
export function intendedValue(value: JsonValue, edit: Edit): JsonValue | undefined {
  switch (edit.kind) {
    case "setMember":
      return changed(value, tokens(edit.pointer), (held) =>
        isJsonObject(held) ? withMember(held, edit.key, edit.value) : undefined,
      );
    case "removeMember": {
      const [path, key] = split(edit.pointer);
      return changed(value, path, (held) => (isJsonObject(held) ? withMember(held, key, undefined) : undefined));
    }
    case "removeItem": {
      const [path, index] = split(edit.pointer);
      const list = at(value, path);
      if (!Array.isArray(list) || list[Number(index)] === undefined) return undefined;
      if (list.length === 1)
        return intendedValue(value, { ...edit, kind: "removeMember", pointer: parentOf(edit.pointer) });
      return changed(
        value,
        path,
        () => list.filter((_, position) => position !== Number(index)) as readonly JsonValue[],
      );
    }
    case "appendItem":
      return changed(value, tokens(edit.pointer), (held) => {
        if (!isJsonObject(held)) return undefined;
        const list = member(held, edit.key) ?? [];
        return Array.isArray(list)
          ? withMember(held, edit.key, [...(list as readonly JsonValue[]), edit.value])
          : undefined;
      });
    case "joinDocument":
      return value;
  }
}

export const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/"));

export const tokens = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

function split(pointer: string): readonly [path: readonly string[], last: string] {
  const all = tokens(pointer);
  return [all.slice(0, -1), all.at(-1) ?? ""];
}

/** The value at a path; undefined when there is none. */
export function at(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((held, key) => {
    if (Array.isArray(held)) return held[Number(key)] as JsonValue | undefined;
    return isJsonObject(held) ? member(held, key) : undefined;
  }, value);
}

function changed(
  value: JsonValue,
  path: readonly string[],
  change: (held: JsonValue) => JsonValue | undefined,
): JsonValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  const child = at(value, [key]);
  const next = child === undefined ? undefined : changed(child, rest, change);
  if (next === undefined) return undefined;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item, index) => (index === Number(key) ? next : item));
  return withMember(value as JsonObject, key, next);
}
