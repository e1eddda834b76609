import { isJsonObject, type JsonObject, member } from "../../json.ts";
import { emptySet, fieldElement, type FieldSet, setOf } from "./field-set.ts";
import { withMember } from "../patches/json-edit.ts";

/** Fields (paths of member names, `["status"]`) that the endpoint neither takes nor tracks. */
export type ResetFields = readonly (readonly string[])[];

/** The fields as a set; the empty one when there are none. */
export function resetSet(reset: ResetFields | undefined): FieldSet {
  return reset === undefined ? emptySet : setOf(reset.map((path) => path.map(fieldElement)));
}

/** Members that say which object it is survive a reset of all metadata. */
const identity = new Set(["name", "namespace"]);

/** The object without these fields; of `metadata` its name and namespace stay. */
export function withoutReset(object: JsonObject, reset: ResetFields | undefined): JsonObject {
  let result = object;
  for (const path of reset ?? []) result = withoutPath(result, path);
  return result;
}

function withoutPath(object: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  const held = key === undefined ? undefined : member(object, key);
  if (key === undefined || held === undefined) return object;
  if (rest.length > 0) return isJsonObject(held) ? withMember(object, key, withoutPath(held, rest)) : object;
  if (key !== "metadata" || !isJsonObject(held)) return withMember(object, key, undefined);
  return withMember(object, key, Object.fromEntries(Object.entries(held).filter(([name]) => identity.has(name))));
}
