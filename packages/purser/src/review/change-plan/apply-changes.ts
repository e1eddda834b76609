import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { FieldChange, PathSegment } from "./field-changes.ts";
import type { ItemKey } from "./list-keys.ts";

/**
 * The object after the changes of `fieldChanges(object, ...)`, in that order.
 * @testOnly the property test of the changes holds them against it
 */
export function applyChanges(object: JsonObject, changes: readonly FieldChange[]): JsonObject {
  const changed = changes.reduce<JsonValue>((value, change) => at(value, change.path, change), object);
  invariant(isJsonObject(changed), "changes of fields leave an object");
  return changed;
}

function at(value: JsonValue | undefined, path: readonly PathSegment[], change: FieldChange): JsonValue {
  const [segment, ...rest] = path;
  if (segment === undefined) return changedValue(value, change);
  if ("field" in segment) {
    const holder = isJsonObject(value) ? value : {};
    const { [segment.field]: old, ...others } = holder;
    if (rest.length === 0 && change.kind === "removed") return others;
    return { ...others, [segment.field]: at(old, rest, change) };
  }
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  if (rest.length === 0 && change.kind === "removed") return list.filter((item) => !hasKey(item, segment.item));
  if (rest.length === 0 && change.kind === "added") return [...list, change.after];
  return list.map((item) => (hasKey(item, segment.item) ? at(item, rest, change) : item));
}

function changedValue(value: JsonValue | undefined, change: FieldChange): JsonValue {
  switch (change.kind) {
    case "added":
    case "changed":
      return change.after;
    case "reordered": {
      const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
      return change.order.flatMap((key) => list.filter((item) => hasKey(item, key)));
    }
    case "removed":
      return null;
  }
}

/** A key field that an item leaves to its default is missing in it. */
function hasKey(item: JsonValue, key: ItemKey): boolean {
  return isJsonObject(item) && Object.entries(key).every(([field, value]) => (member(item, field) ?? value) === value);
}
