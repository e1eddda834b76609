import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compareBytes, escapePointer, sortedKeys } from "@purser/kubernetes/text/documents";
import { isBase64 } from "../../base64.ts";
import { scalarText } from "../../bundle/api-types/yaml-texts.ts";

/** The Go type that upstream decodes a JSON value into, as far as its error texts show it. */
export type GoShape =
  | { readonly kind: "string" | "bool" | "int32" | "raw" | "bytes"; readonly type: string }
  | { readonly kind: "list"; readonly type: string; readonly item: GoShape }
  | { readonly kind: "map"; readonly type: string; readonly item: GoShape }
  | {
      readonly kind: "struct";
      readonly type: string;
      /** In the order in which Go writes them. */
      readonly fields: Readonly<Record<string, GoShape>>;
      /** The same by {@link foldKey} of the name. */
      readonly folded: ReadonlyMap<string, readonly [string, GoShape]>;
      /** Fields that are written even when empty; lists and nested structs among them as null or {}. */
      readonly always: ReadonlySet<string>;
      /** Left out when null or absent, otherwise always written. */
      readonly isPointer: boolean;
    };

export const text: GoShape = { kind: "string", type: "string" };
export const flag: GoShape = { kind: "bool", type: "bool" };
export const int32: GoShape = { kind: "int32", type: "int32" };
export const raw: GoShape = { kind: "raw", type: "json.RawMessage" };
export const bytes: GoShape = { kind: "bytes", type: "[]uint8" };

export function list(item: GoShape): GoShape {
  return { kind: "list", type: `[]${item.type}`, item };
}

export function map(item: GoShape): GoShape {
  return { kind: "map", type: `map[string]${item.type}`, item };
}

export function struct(
  type: string,
  fields: Readonly<Record<string, GoShape>>,
  always: readonly string[] = [],
  isPointer = false,
): GoShape {
  const folded = new Map(Object.entries(fields).map((field) => [foldKey(field[0]), field] as const));
  return { kind: "struct", type, fields, folded, always: new Set(always), isPointer };
}

/** A value from YAML with numbers and booleans as texts where the shape has texts, as Go's YAML reader converts them. */
export function withYamlTexts(value: JsonValue, shape: GoShape): JsonValue {
  switch (shape.kind) {
    case "string":
      return scalarText(value);
    case "list":
      return Array.isArray(value)
        ? (value as readonly JsonValue[]).map((item) => withYamlTexts(item, shape.item))
        : value;
    case "struct":
    case "map":
      return isPlainObject(value)
        ? Object.fromEntries(
            Object.keys(value).map((key) => {
              const inner = shape.kind === "map" ? shape.item : fieldShape(shape, key);
              const held = member(value, key) ?? null;
              return [key, inner === undefined ? held : withYamlTexts(held, inner)];
            }),
          )
        : value;
    case "bool":
    case "int32":
    case "raw":
    case "bytes":
      return value;
  }
}

interface Context {
  /** Name of the struct that was entered last. */
  readonly struct: string;
  readonly path: readonly string[];
  readonly pointer: string;
}

/** The first error of Go's decoder about `value`; undefined when it fits. Nulls and unknown fields always fit. */
export function misfit(value: JsonValue | undefined, shape: GoShape): string | undefined {
  if (value === undefined) return "unexpected end of JSON input";
  return misfitAt(value, shape)?.message;
}

/** An error of Go's decoder, and the JSON pointer of its value. */
export interface Misfit {
  readonly message: string;
  readonly pointer: string;
}

/** As {@link misfit}, with the place. */
export function misfitAt(value: JsonValue, shape: GoShape): Misfit | undefined {
  return fits(value, shape) ? undefined : check(value, shape, noContext);
}

/** The result of {@link check} without its text: almost every value fits. */
function fits(value: JsonValue, shape: GoShape): boolean {
  if (value === null || shape.kind === "raw") return true;
  if (shape.kind === "string") return typeof value === "string";
  if (shape.kind === "list") {
    if (!Array.isArray(value)) return false;
    for (const item of value as readonly JsonValue[]) if (!fits(item, shape.item)) return false;
    return true;
  }
  if (shape.kind !== "map" && shape.kind !== "struct") return check(value, shape, noContext) === undefined;
  if (!isPlainObject(value)) return false;
  // A parsed object has own members only; listing them would be the most expensive part of the walk.
  for (const key in value) {
    const inner = shape.kind === "map" ? shape.item : fieldShape(shape, key);
    if (inner === undefined) continue;
    const item = value[key] ?? null;
    if (inner.kind === "string" ? item !== null && typeof item !== "string" : !fits(item, inner)) return false;
  }
  return true;
}

const noContext: Context = { struct: "", path: [], pointer: "" };

function check(value: JsonValue, shape: GoShape, context: Context): Misfit | undefined {
  if (value === null || shape.kind === "raw") return undefined;
  switch (shape.kind) {
    case "string":
      return typeof value === "string" ? undefined : refuse(value, shape, context);
    case "bool":
      return typeof value === "boolean" ? undefined : refuse(value, shape, context);
    case "int32":
      return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31
        ? undefined
        : refuse(value, shape, context);
    case "bytes": {
      if (typeof value !== "string") return refuse(value, shape, context);
      const message = base64Problem(value);
      return message === undefined ? undefined : { message, pointer: context.pointer };
    }
    case "list":
      return Array.isArray(value)
        ? first(Array.from(value.entries()), ([index, item]) =>
            check(item, shape.item, { ...context, pointer: `${context.pointer}/${index}` }),
          )
        : refuse(value, shape, context);
    case "map":
      return isPlainObject(value)
        ? first(sortedKeys(value), (key) =>
            check(member(value, key) ?? null, shape.item, into(context, context.struct, key, key)),
          )
        : refuse(value, shape, context);
    case "struct":
      return isPlainObject(value) ? checkFields(value, shape, context) : refuse(value, shape, context);
  }
}

function checkFields(value: JsonObject, shape: GoShape & { kind: "struct" }, context: Context): Misfit | undefined {
  const name = shape.type.slice(shape.type.indexOf(".") + 1);
  return first(sortedKeys(value), (key) => {
    const field = fieldNamed(shape, key);
    if (field === undefined) return undefined;
    return check(member(value, key) ?? null, field[1], into(context, name, field[0], key));
  });
}

function fieldShape(shape: GoShape & { kind: "struct" }, key: string): GoShape | undefined {
  return Object.hasOwn(shape.fields, key) ? shape.fields[key] : shape.folded.get(foldKey(key))?.[1];
}

function fieldNamed(shape: GoShape & { kind: "struct" }, key: string): readonly [string, GoShape] | undefined {
  const exact = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
  return exact === undefined ? shape.folded.get(foldKey(key)) : [key, exact];
}

function into({ path, pointer }: Context, struct: string, field: string, key: string): Context {
  return { struct, path: [...path, field], pointer: `${pointer}/${escapePointer(key)}` };
}

function first<Item>(items: readonly Item[], complaint: (item: Item) => Misfit | undefined): Misfit | undefined {
  for (const item of items) {
    const found = complaint(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuse(value: JsonValue, shape: GoShape, { struct, path, pointer }: Context): Misfit {
  const number = shape.kind === "int32" && typeof value === "number" ? `number ${value}` : kindOf(value);
  const target = path.length === 0 ? "Go value" : `Go struct field ${struct}.${path.join(".")}`;
  return { message: `json: cannot unmarshal ${number} into ${target} of type ${shape.type}`, pointer };
}

/** What Go calls the kind of a JSON value. Integers kept exactly are frozen objects here, and numbers. */
export function kindOf(value: JsonValue): "null" | "bool" | "number" | "string" | "array" | "object" {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "array";
  return isPlainObject(value) ? "object" : "number";
}

/** An object of the document, not an integer kept exactly (those have no prototype). */
export function isPlainObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.getPrototypeOf(value) !== null;
}

/** Case folding as Go's JSON decoder and OLM compare key names. */
export function foldKey(key: string): string {
  return key.toUpperCase().toLowerCase();
}

/** A member by name in any case. Of several spellings the last one in byte order counts, as Go sets them in turn. */
export function fieldOf(object: JsonObject, name: string): JsonValue | undefined {
  let folded: string | undefined;
  let spellings: string[] | undefined;
  for (const key of Object.keys(object)) {
    if (key === name || key.length !== name.length) continue;
    folded ??= foldKey(name);
    if (foldKey(key) === folded) (spellings ??= Object.hasOwn(object, name) ? [name] : []).push(key);
  }
  // Almost always there is the one spelling, and it is the usual one.
  if (spellings === undefined) return member(object, name);
  const values = spellings.sort(compareBytes).map((key) => member(object, key));
  return values.findLast((value) => value !== null && value !== undefined) ?? values.at(-1);
}

/** A string member; "" when absent or null, as Go's zero value. */
export function textOf(object: JsonObject, name: string): string {
  const value = fieldOf(object, name);
  return typeof value === "string" ? value : "";
}

/** Items of a list member; none when absent or null. */
export function itemsOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = fieldOf(object, name);
  return Array.isArray(value) ? value : [];
}

const alphabet = /^[A-Za-z0-9+/]$/;

/** Go's complaint about standard, padded base64 (line breaks are skipped); undefined when it is good. */
export function base64Problem(encoded: string): string | undefined {
  if (isBase64(encoded)) return undefined;
  const byte = badByte(encoded);
  return byte === undefined ? undefined : `illegal base64 data at input byte ${byte}`;
}

/** The offset at which Go's decoder stops. All characters before it are ASCII, so offsets in text and bytes are equal. */
function badByte(encoded: string): number | undefined {
  const behindBreaks = (from: number): number => {
    let at = from;
    while (encoded[at] === "\n" || encoded[at] === "\r") at++;
    return at;
  };
  let letters = 0;
  for (let at = behindBreaks(0); at < encoded.length; at = behindBreaks(at + 1)) {
    const letter = encoded.charAt(at);
    if (alphabet.test(letter)) {
      letters++;
      continue;
    }
    const inQuantum = letters % 4;
    if (letter !== "=" || inQuantum < 2) return at;
    let behind = at + 1;
    if (inQuantum === 2) {
      const second = behindBreaks(behind);
      if (second >= encoded.length) return encoded.length;
      if (encoded[second] !== "=") return second - 1;
      behind = second + 1;
    }
    const rest = behindBreaks(behind);
    return rest < encoded.length ? rest : undefined;
  }
  return letters % 4 === 0 ? undefined : encoded.length - (letters % 4);
}
