import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

/** Copies of an object by spread have it too; JSON and the names of members do not. */
const emptied = Symbol("lists and maps that were given empty");

/**
 * Notes which lists and maps a body gave empty. They are not written, as if they were absent, but until the object is
 * stored the reference tells both apart where it compares structs without a sense of what they mean, and quotes them.
 */
export function noteEmptied(object: JsonObject, names: readonly string[]): void {
  if (names.length > 0) Reflect.set(object, emptied, names);
}

/** Lists and maps of the object that a body gave empty. */
export function emptiedIn(object: JsonObject): readonly string[] {
  if (!(emptied in object)) return [];
  // What was filled in since is there.
  return (Reflect.get(object, emptied) as readonly string[]).filter((name) => !Object.hasOwn(object, name));
}

/** Equal also in what is empty and what is absent. */
export function exactlyEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return deepEqual(a, b) && sameEmptied(a, b);
}

function sameEmptied(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.every((item: JsonValue, index) => sameEmptied(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return true;
  const [left, right] = [emptiedIn(a), emptiedIn(b)];
  return (
    left.length === right.length &&
    left.every((name) => right.includes(name)) &&
    Object.keys(a).every((key) => sameEmptied(member(a, key), member(b, key)))
  );
}
