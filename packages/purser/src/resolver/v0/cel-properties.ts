import type { CelValue } from "@purser/kubernetes/cel/cel-value";
import { CelMap } from "@purser/kubernetes/cel/cel-value";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Entry } from "./entry.ts";
import { effectiveProperties } from "./entry.ts";

/** JSON as an `olm.constraint` rule sees it: every number is a double. */
function celValue(value: JsonValue): CelValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(celValue);
  return isJsonObject(value) ? celMap(value) : (value as CelValue);
}

function celMap(object: JsonObject): CelMap {
  return new CelMap({
    get: (key) => {
      const held = typeof key === "string" ? member(object, key) : undefined;
      return held === undefined ? undefined : celValue(held);
    },
    keys: () => Object.keys(object),
  });
}

const variables = new WeakMap<Entry, ReadonlyMap<string, CelValue>>();

/** The only variable of a rule: the list `properties` of the bundle in question. */
export function celVariables(entry: Entry): ReadonlyMap<string, CelValue> {
  let found = variables.get(entry);
  if (found === undefined) {
    found = new Map([["properties", effectiveProperties(entry).map(({ type, value }) => celMap({ type, value }))]]);
    variables.set(entry, found);
  }
  return found;
}
