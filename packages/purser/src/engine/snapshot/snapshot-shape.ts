import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/** The expected types of a value; members that are not listed are not checked. */
export type Shape =
  | "text"
  | "number"
  /** An object whose members are strings. */
  | "texts"
  | { readonly list: Shape }
  | { readonly members: Readonly<Record<string, Shape>>; readonly defaults?: JsonObject };

export interface ShapeProblem {
  /** RFC 6901 pointer to the value. */
  readonly pointer: string;
  readonly message: string;
}

const kindOf = (value: JsonValue): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : typeof value;

const wrong = (pointer: string, wanted: string, value: JsonValue): Result<never, ShapeProblem> =>
  failed({ pointer, message: `${wanted} is expected here, not ${kindOf(value)}` });

/**
 * Checks a value against a shape. Members that are null are omitted and missing ones get their default, like the empty
 * fields of Go's decoder.
 */
export function shaped(value: JsonValue, shape: Shape, pointer = ""): Result<JsonValue, ShapeProblem> {
  if (shape === "text") return typeof value === "string" ? done(value) : wrong(pointer, "a text", value);
  if (shape === "number") return typeof value === "number" ? done(value) : wrong(pointer, "a number", value);
  if (shape === "texts") {
    if (!isJsonObject(value)) return wrong(pointer, "an object", value);
    for (const [key, found] of Object.entries(value))
      if (typeof found !== "string") return wrong(`${pointer}/${key}`, "a text", found ?? null);
    return done(value);
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) return wrong(pointer, "a list", value);
    const items: JsonValue[] = [];
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const found = shaped(item, shape.list, `${pointer}/${index}`);
      if (!found.ok) return found;
      items.push(found.value);
    }
    return done(items);
  }
  if (!isJsonObject(value)) return wrong(pointer, "an object", value);
  const result = new Map<string, JsonValue | undefined>(Object.entries(value));
  for (const [name, part] of Object.entries(shape.members)) {
    const given = member(value, name) ?? null;
    result.delete(name);
    const standIn = given ?? member(shape.defaults ?? {}, name);
    if (standIn === undefined) continue;
    const found = shaped(standIn, part, `${pointer}/${name}`);
    if (!found.ok) return found;
    result.set(name, found.value);
  }
  return done(Object.fromEntries(result));
}
