import type { CelValue } from "@purser/kubernetes/cel/cel-value";
import { CelMap } from "@purser/kubernetes/cel/cel-value";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Property } from "../../catalog/catalog-index.ts";
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
    found = variablesOf(effectiveProperties(entry));
    variables.set(entry, found);
  }
  return found;
}

/** The same of a bundle that is known by its properties alone. */
export function variablesOf(properties: readonly Property[]): ReadonlyMap<string, CelValue> {
  return new Map([["properties", properties.map(({ type, value }) => celMap({ type, value }))]]);
}
