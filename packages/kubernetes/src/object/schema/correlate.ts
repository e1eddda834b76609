import { isJsonObject, type JsonValue, member } from "../../json.ts";
import type { StructuralSchema } from "./schema-node.ts";
import { deepEqual } from "../semantic-equal.ts";

/** The old item with the same keys; only items of `map` lists can be correlated. */
export function correlatedItem(list: StructuralSchema, old: JsonValue, item: JsonValue): JsonValue | undefined {
  if (list.listType !== "map" || !Array.isArray(old) || !isJsonObject(item)) return undefined;
  const keys = list.listMapKeys;
  return old.find(
    (earlier: JsonValue) =>
      isJsonObject(earlier) && keys.every((key) => deepEqual(member(earlier, key), member(item, key))),
  );
}
