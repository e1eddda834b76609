import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { parseJson } from "@purser/kubernetes/text/json-document";
import type { Steps } from "@purser/kubernetes/steps";
import { setMember } from "@purser/kubernetes/text/members";
import { WrittenJson } from "@purser/kubernetes/text/written-json";

/** A parsed value with all occurrences of repeated members. Values without repetitions are plain parsed values. */
type Part =
  | { readonly form: "plain"; readonly value: JsonValue }
  | { readonly form: "list"; readonly items: readonly Part[] }
  | { readonly form: "object"; readonly members: ReadonlyMap<string, readonly Part[]> };

/** Number of members or items per step: some 10 ms. */
const stride = 8192;

function* partOf(json: WrittenJson): Steps<Part> {
  switch (json.form) {
    case "object":
      return yield* objectPart(json);
    case "list":
      return yield* listPart(json);
    case "scalar":
      return scalarPart(json);
  }
}

function scalarPart(json: WrittenJson): Part {
  return { form: "plain", value: parseJson(json.text) };
}

function* listPart(json: WrittenJson): Steps<Part> {
  const items: Part[] = [];
  for (const item of json.eachItem()) {
    items.push(item.form === "scalar" ? scalarPart(item) : yield* partOf(item));
    if (items.length % stride === 0) yield;
  }
  return items.every(({ form }) => form === "plain")
    ? { form: "plain", value: merged({ form: "list", items }) }
    : { form: "list", items };
}

function* objectPart(json: WrittenJson): Steps<Part> {
  const members = new Map<string, Part[]>();
  let read = 0;
  for (const [key, value] of json.eachMember()) {
    const part = value.form === "scalar" ? scalarPart(value) : yield* partOf(value);
    const alike = members.get(key);
    if (alike === undefined) members.set(key, [part]);
    else alike.push(part);
    if (++read % stride === 0) yield;
  }
  const part: Part = { form: "object", members };
  const isPlain = [...members.values()].every(([first, ...others]) => others.length === 0 && first?.form === "plain");
  return isPlain ? { form: "plain", value: merged(part) } : part;
}

/** The value as Go's typed decoder reads it: repeated objects are merged. */
function merged(part: Part): JsonValue {
  switch (part.form) {
    case "plain":
      return part.value;
    case "list":
      return part.items.map(merged);
    case "object":
      return objectOf(part.members, (alike) => together(alike.map(merged)));
  }
}

function objectOf<T>(members: ReadonlyMap<string, readonly T[]>, read: (alike: readonly T[]) => JsonValue): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, alike] of members) setMember(object, key, read(alike));
  return object;
}

/** The last of several values of one name, merged with directly preceding objects. */
function together(values: readonly JsonValue[]): JsonValue {
  const objects = values.slice(values.findLastIndex((value) => !isJsonObject(value)) + 1).filter(isJsonObject);
  const [first] = objects;
  if (first === undefined) return values.at(-1) ?? null;
  if (objects.length === 1) return first;
  const members = new Map<string, JsonValue[]>();
  for (const object of objects)
    for (const [key, held] of Object.entries(object)) {
      const alike = members.get(key);
      if (held === undefined) continue;
      if (alike === undefined) members.set(key, [held]);
      else alike.push(held);
    }
  return objectOf(members, together);
}

/** The largest number of occurrences of one name in one object, at any depth. */
function mostAlike(part: Part): number {
  switch (part.form) {
    case "plain":
      return 1;
    case "list":
      return part.items.reduce((most, item) => Math.max(most, mostAlike(item)), 1);
    case "object": {
      let most = 1;
      for (const alike of part.members.values())
        most = alike.reduce((found, held) => Math.max(found, mostAlike(held)), Math.max(most, alike.length));
      return most;
    }
  }
}

/** The value with the occurrence at this index of each repeated member, or the last one. */
function readingAt(part: Part, place: number): JsonValue {
  switch (part.form) {
    case "plain":
      return part.value;
    case "list":
      return part.items.map((item) => readingAt(item, place));
    case "object":
      return objectOf(part.members, (alike) => {
        const held = alike[place] ?? alike.at(-1);
        return held === undefined ? null : readingAt(held, place);
      });
  }
}

/** Limit of occurrences that are checked. */
const mostReadings = 8;

/** A JSON text with repeated members, as Go's typed decoder reads it. */
export interface RepeatedReading {
  /** The result: repeated objects are merged. */
  readonly value: JsonValue;
  /** Variants with overridden members, which Go decodes too and refuses when they do not fit. */
  readonly earlier: readonly JsonValue[];
}

export function* readRepeated(text: string): Steps<RepeatedReading> {
  const part = yield* partOf(WrittenJson.of(text));
  yield;
  const earlier: JsonValue[] = [];
  const readings = Math.min(mostAlike(part), mostReadings);
  for (let place = 0; place < readings - 1; place++) {
    earlier.push(readingAt(part, place));
    yield;
  }
  return { value: merged(part), earlier };
}
