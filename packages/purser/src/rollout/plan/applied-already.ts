import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { isJsonObject, member, plainJson, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

/**
 * Whether a server-side apply of `wanted` by `manager` would not change `live`: every wanted field has the same value, and
 * the manager owns no other field. False when in doubt, which only costs a write.
 */
export function appliedAlready(live: KubeObject, wanted: KubeObject, manager: string): boolean {
  const entries = (live.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && entry.operation === "Apply",
  );
  const [entry] = entries;
  if (entry?.fieldsV1 === undefined || entries.length > 1 || entry.apiVersion !== wanted.apiVersion) return false;
  const { resourceVersion: _, ...metadata } = wanted.metadata;
  return hasAllOf(live, wanted) && wants(plainJson({ ...wanted, metadata }), entry.fieldsV1);
}

/** Whether `live` has every field of `wanted`, apart from its resourceVersion, with the same value; it may have more owners. */
export function hasAllOf(live: KubeObject, wanted: KubeObject): boolean {
  const { resourceVersion: _, ownerReferences = [], ...metadata } = wanted.metadata;
  const owners = live.metadata.ownerReferences ?? [];
  return (
    holds(asJson(live), plainJson({ ...wanted, metadata })) &&
    ownerReferences.every((own) => owners.some((held) => holds(plainJson(held), plainJson(own))))
  );
}

/** Whether `live` has every field of `wanted` with the same value; lists must have the same length, because their merge keys are not known here. */
function holds(live: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    const items = wanted as readonly JsonValue[];
    return Array.isArray(live) && live.length === items.length && items.every((item, i) => holds(live[i], item));
  }
  if (!isJsonObject(wanted)) return deepEqual(live, wanted);
  if (!isJsonObject(live)) return false;
  return Object.entries(wanted).every(([key, value]) => value === undefined || holds(member(live, key), value));
}

/** Every field in the set (`f:name`, `k:{...}`, `v:...`) is one that `wanted` names. */
function wants(wanted: JsonValue, fields: JsonObject): boolean {
  return Object.entries(fields).every(([path, inner]) => {
    if (path === ".") return true;
    const found = partAt(wanted, path);
    return found !== undefined && (!isJsonObject(inner) || Object.keys(inner).length === 0 || wants(found, inner));
  });
}

function partAt(wanted: JsonValue, path: string): JsonValue | undefined {
  if (path.startsWith("f:")) return isJsonObject(wanted) ? member(wanted, path.slice(2)) : undefined;
  if (!Array.isArray(wanted)) return undefined;
  const items = wanted as readonly JsonValue[];
  const named = parsed(path.slice(2));
  if (path.startsWith("v:")) return items.find((item) => deepEqual(item, named));
  if (!path.startsWith("k:") || !isJsonObject(named)) return undefined;
  // A merge key that the item does not set (a port's protocol) has its default and is not compared.
  return items.find(
    (item) =>
      isJsonObject(item) &&
      Object.entries(named).every(
        ([key, value]) => member(item, key) === undefined || deepEqual(member(item, key), value),
      ),
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
