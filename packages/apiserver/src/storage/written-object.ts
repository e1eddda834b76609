import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { Strides, type Steps } from "@purser/kubernetes/steps";

/** An object and its JSON text, which lacks only the revision that it is going to get. */
export interface WrittenObject {
  readonly object: KubeObject;
  /** What `JSON.stringify` makes of the object with this `resourceVersion`. */
  textAt(revision: string): string;
}

/** Writes the text of an object with pauses, before it is stored. */
export function* writtenInSteps(object: KubeObject): Steps<WrittenObject> {
  const strides = new Strides();
  const { resourceVersion: _revision, ...others } = object.metadata;
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
  return { object, textAt: (revision) => `${before}${JSON.stringify(revision)}${behind}}` };
}

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

function* jsonText(value: JsonValue, strides: Strides): Steps<string> {
  if (Array.isArray(value)) {
    let text = "[";
    for (const item of value as readonly JsonValue[]) {
      text += `${text === "[" ? "" : ","}${isSmall(item) ? JSON.stringify(item) : yield* jsonText(item, strides)}`;
      if (strides.isDue()) yield;
    }
    return `${text}]`;
  }
  return isJsonObject(value) ? `{${yield* membersText(value, strides)}}` : JSON.stringify(value);
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
