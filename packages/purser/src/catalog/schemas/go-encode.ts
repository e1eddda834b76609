import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { doubleJson, nativeDoubles, setMember, sortedKeys } from "@purser/kubernetes/text/documents";
import { fieldOf, type GoShape } from "./go-shape.ts";

/** Builds the output of {@link buildGo} from its parts. */
export interface GoWriter<Out> {
  /** A value of no type; every number is a double. */
  raw(value: JsonValue): Out;
  /** Compact JSON that is already written as Go writes it. */
  written(json: string): Out;
  list(items: readonly Out[]): Out;
  object(members: readonly GoMember<Out>[]): Out;
}

export type GoMember<Out> = readonly [name: string, value: Out];

/** Compact JSON. */
export const goText: GoWriter<string> = {
  raw: doubleJson,
  written: (json) => json,
  list: (items) => `[${items.join(",")}]`,
  object: (members) => `{${members.map(([name, value]) => `${doubleJson(name)}:${value}`).join(",")}}`,
};

class NotNative extends Error {
  override readonly name = "NotNative";
}
/** Thrown by {@link goValue} for a value that V8 and Go encode differently; created once, so that no stack is captured. */
export const notNative = new NotNative("V8 writes this value otherwise than Go");

/** A value that V8's JSON encoder writes in Go's order, for many large values at a fraction of the time. Throws {@link notNative}. */
export const goValue: GoWriter<JsonValue> = {
  raw: (value) => nativeOf(nativeDoubles(value)),
  written(json) {
    const value = JSON.parse(json) as JsonValue;
    return nativeOf(JSON.stringify(value) === json ? value : undefined);
  },
  list: (items) => items,
  object(members) {
    const object: Record<string, JsonValue> = {};
    for (const [name, value] of members) {
      // Keys that look like numbers come first in any object.
      const first = name.charCodeAt(0);
      if (first >= 48 && first <= 57) throw notNative;
      setMember(object, name, value);
    }
    return object;
  },
};

function nativeOf(form: JsonValue | undefined): JsonValue {
  if (form === undefined) throw notNative;
  return form;
}

/**
 * A value as Go writes it after decoding it into `shape`: fields in the type's order, unknown ones dropped, empty ones
 * left out where the type says so. The value must fit the shape.
 */
export function buildGo<Out>(value: JsonValue | undefined, shape: GoShape, writer: GoWriter<Out>): Out {
  const given = value ?? null;
  switch (shape.kind) {
    case "string":
      return writer.raw(typeof given === "string" ? given : "");
    case "bool":
      return writer.raw(given === true);
    case "int32":
      return writer.raw(typeof given === "number" ? given : 0);
    case "raw":
      return writer.raw(given);
    case "bytes":
      return writer.raw(typeof given === "string" ? sameBytes(given) : null);
    case "list":
      if (!Array.isArray(given)) return writer.raw(null);
      return writer.list(given.map((item: JsonValue) => buildGo(item, shape.item, writer)));
    case "map":
      if (!isJsonObject(given)) return writer.raw(null);
      return writer.object(
        sortedKeys(given).map((key) => [key, buildGo(member(given, key), shape.item, writer)] as const),
      );
    case "struct":
      return writer.object(goMembers(isJsonObject(given) ? given : {}, shape, writer));
  }
}

/** {@link buildGo} as compact JSON. */
export function encodeGo(value: JsonValue | undefined, shape: GoShape): string {
  return buildGo(value, shape, goText);
}

/** The members of a struct that Go writes, for callers that append more; empty when `shape` is not a struct. */
export function goMembers<Out>(value: JsonObject, shape: GoShape, writer: GoWriter<Out>): GoMember<Out>[] {
  if (shape.kind !== "struct") return [];
  const members: GoMember<Out>[] = [];
  for (const name in shape.fields) {
    const field = shape.fields[name];
    if (field === undefined) continue;
    const item = fieldOf(value, name);
    if (shape.always.has(name) || !isEmpty(item, field)) members.push([name, buildGo(item, field, writer)]);
  }
  return members;
}

/** What Go's omitempty leaves out: never a struct, but a nil pointer to one. */
function isEmpty(value: JsonValue | undefined, shape: GoShape): boolean {
  if (shape.kind === "struct") return shape.isPointer && (value === undefined || value === null);
  if (value === undefined) return true;
  // A raw null is four bytes to Go; every other null leaves the zero value.
  if (shape.kind === "raw") return false;
  if (value === null || value === "" || value === false || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** Base64 decoded and encoded again: removes line breaks and stray bits after the last byte. */
function sameBytes(encoded: string): string {
  return btoa(atob(encoded.replaceAll(/[\r\n]/g, "")));
}
