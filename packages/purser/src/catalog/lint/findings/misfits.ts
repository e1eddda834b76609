import { type JsonValue, member } from "@purser/kubernetes/json";
import { escapePointer, sortedKeys } from "@purser/kubernetes/text/documents";
import { foldKey, type GoShape, isPlainObject, kindOf, misfit } from "../../schemas/go-shape.ts";

export interface Misfit {
  readonly pointer: string;
  readonly found: ReturnType<typeof kindOf>;
  readonly wanted: string;
}

const words = {
  string: "a string",
  bool: "true or false",
  int32: "an integer",
  raw: "a value",
  bytes: "base64",
  list: "a list",
  map: "an object",
  struct: "an object",
} as const;

/** All values of a document that do not fit, with their places. */
export function misfits(value: JsonValue, shape: GoShape, pointer: string): readonly Misfit[] {
  if (value === null) return [];
  if (shape.kind === "list" && Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => misfits(item, shape.item, `${pointer}/${index}`));
  if ((shape.kind === "struct" || shape.kind === "map") && isPlainObject(value))
    return sortedKeys(value).flatMap((key) => {
      const field = shape.kind === "map" ? shape.item : fieldShape(shape.fields, key);
      return field === undefined ? [] : misfits(member(value, key) ?? null, field, `${pointer}/${escapePointer(key)}`);
    });
  if (misfit(value, shape) === undefined) return [];
  return [{ pointer, found: kindOf(value), wanted: words[shape.kind] }];
}

function fieldShape(fields: Readonly<Record<string, GoShape>>, key: string): GoShape | undefined {
  if (Object.hasOwn(fields, key)) return fields[key];
  const folded = foldKey(key);
  return Object.entries(fields).find(([name]) => foldKey(name) === folded)?.[1];
}

const foundWords = {
  null: "null",
  bool: "true or false",
  number: "a number",
  string: "a string",
  array: "a list",
  object: "an object",
} as const;

/** Such as `version is a number, not a string`. */
export const misfitSentence = (name: string, { found, wanted }: Misfit): string =>
  `${name} is ${found === "string" && wanted === words.bytes ? "no" : `${foundWords[found]}, not`} ${wanted}`;

/** What to do about a bare number, or true and false, where text belongs: the most frequent slip, as in `version: 1.2`. */
export const quotesRemedy = ({ found, wanted }: Misfit): string | undefined =>
  wanted === words.string && (found === "number" || found === "bool") ? "put the value into quotes" : undefined;
