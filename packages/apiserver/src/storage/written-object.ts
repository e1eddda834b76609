import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { Strides, type Steps } from "@purser/kubernetes/steps";
import { isWide } from "@purser/kubernetes/text/json-pieces";

/** An object and its JSON text, which lacks only the revision that it is going to get. */
export interface WrittenObject {
  readonly object: KubeObject;
  /** What `JSON.stringify` makes of the object with this `resourceVersion`. */
  textAt(revision: string): string;
  /** Bytes of the object's JSON text, with the revision that it has, if any. */
  readonly size: number;
}

/** Writes the text of an object with pauses, before it is stored. */
export function* writtenInSteps(object: KubeObject): Steps<WrittenObject> {
  const strides = new Strides();
  const { resourceVersion: held, ...others } = object.metadata;
  let before = "";
  let behind = "";
  let separator = "{";
  for (const [key, value] of Object.entries(asJson(object))) {
    if (value === undefined) continue;
    const head = `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    if (key !== "metadata") {
      behind += `${head}${yield* jsonText(value, strides)}`;
      continue;
    }
    // The revision keeps its place among the members, or becomes the last.
    const names = Object.keys(object.metadata);
    const at = names.indexOf("resourceVersion");
    const [first, last] = parted(others as unknown as JsonObject, at < 0 ? [] : names.slice(at + 1));
    const ahead = yield* membersText(first, strides);
    before = `${behind}${head}{${ahead}${ahead === "" ? "" : ","}"resourceVersion":`;
    const rest = yield* membersText(last, strides);
    behind = `${rest === "" ? "" : ","}${rest}}`;
  }
  const textAt = (revision: string): string => `${before}${JSON.stringify(revision)}${behind}}`;
  return {
    object,
    textAt,
    get size() {
      const size = Buffer.byteLength(textAt(held ?? ""));
      if (held !== undefined) return size;
      const others = Object.values(object.metadata).some((value) => value !== undefined);
      return size - revisionMember.length - (others ? 1 : 0);
    },
  };
}

const revisionMember = '"resourceVersion":""';

/** The members but for those named last, and those. */
function parted(object: JsonObject, last: readonly string[]): readonly [JsonObject, JsonObject] {
  if (last.length === 0) return [object, {}];
  const named = new Set(last);
  const members = Object.entries(object);
  return [
    Object.fromEntries(members.filter(([key]) => !named.has(key))),
    Object.fromEntries(members.filter(([key]) => named.has(key))),
  ];
}

/** Values in a value whose text is written by the engine at once, which takes a tenth of the time. */
const narrow = 16_384;
/** What writing one of those costs at most, in members that are written one by one. */
const narrowWork = 2_048;

function* jsonText(value: JsonValue, strides: Strides): Steps<string> {
  if (isSmall(value)) return JSON.stringify(value);
  if (!isWide(value, narrow)) {
    if (strides.isDue(narrowWork)) yield;
    return JSON.stringify(value);
  }
  if (!Array.isArray(value)) return `{${yield* membersText(value as JsonObject, strides)}}`;
  let text = "[";
  for (const item of value as readonly JsonValue[]) {
    text += `${text === "[" ? "" : ","}${isSmall(item) ? JSON.stringify(item) : yield* jsonText(item, strides)}`;
    if (strides.isDue()) yield;
  }
  return `${text}]`;
}

function* membersText(object: JsonObject, strides: Strides): Steps<string> {
  let text = "";
  for (const key of knownKeys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    const held = isSmall(value) ? JSON.stringify(value) : yield* jsonText(value, strides);
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${held}`;
    if (strides.isDue()) yield;
  }
  return text;
}

function isSmall(value: JsonValue): boolean {
  return typeof value !== "object" || value === null;
}
