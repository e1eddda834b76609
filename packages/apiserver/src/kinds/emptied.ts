import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

/** A symbol key is copied by spread, and is not visible to JSON or to Object.keys. */
const emptied = Symbol("lists and maps that were given empty");

/**
 * Records which lists and maps were present but empty in a request body. They are dropped from the object, but until it
 * is stored kube-apiserver distinguishes them from absent ones where it compares structs with reflect.DeepEqual or
 * quotes them.
 */
export function noteEmptied(object: JsonObject, names: readonly string[]): void {
  if (names.length > 0) Reflect.set(object, emptied, names);
}

/** Names of lists and maps of the object that were present but empty in the request body. */
export function emptiedIn(object: JsonObject): readonly string[] {
  if (!(emptied in object)) return [];
  // Leave out what has been filled in since.
  return (Reflect.get(object, emptied) as readonly string[]).filter((name) => !Object.hasOwn(object, name));
}

/** Deep equality that distinguishes empty from absent lists and maps. */
export function exactlyEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return deepEqual(a, b) && sameEmptied(a, b);
}

function sameEmptied(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.every((item: JsonValue, index) => sameEmptied(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return true;
  const [left, right] = [emptiedIn(a), emptiedIn(b)];
  return (
    left.length === right.length &&
    left.every((name) => right.includes(name)) &&
    Object.keys(a).every((key) => sameEmptied(member(a, key), member(b, key)))
  );
}
