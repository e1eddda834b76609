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
  return differences(live, wanted).next().done === true;
}

/** Where `live` has another value than `wanted`, or none, and which; lists are compared element by element when they are as long. */
export function* differences(
  live: KubeObject,
  wanted: KubeObject,
): Generator<readonly [path: string, live: JsonValue]> {
  const { resourceVersion: _, ownerReferences = [], ...metadata } = wanted.metadata;
  const owners = live.metadata.ownerReferences ?? [];
  yield* differing(asJson(live), plainJson({ ...wanted, metadata }), "");
  const isOwned = ownerReferences.every((own) =>
    owners.some((held) => differing(plainJson(held), plainJson(own), "").next().done === true),
  );
  if (!isOwned) yield ["/metadata/ownerReferences", plainJson(owners)];
}

/** The merge keys of lists are not known here: they must have the same length. */
function* differing(
  live: JsonValue | undefined,
  wanted: JsonValue,
  path: string,
): Generator<readonly [path: string, live: JsonValue]> {
  const isComparable = Array.isArray(wanted)
    ? Array.isArray(live) && live.length === wanted.length
    : isJsonObject(wanted)
      ? isJsonObject(live)
      : deepEqual(live, wanted);
  if (!isComparable) yield [path, live ?? null];
  else if (Array.isArray(wanted))
    for (const [at, item] of (wanted as readonly JsonValue[]).entries())
      yield* differing((live as readonly JsonValue[])[at], item, `${path}/${at}`);
  else if (isJsonObject(wanted))
    for (const [key, value] of Object.entries(wanted))
      if (value !== undefined) yield* differing(member(live as JsonObject, key), value, `${path}/${key}`);
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
