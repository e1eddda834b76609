import type { KubeObject, ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";

type Entries = readonly ManagedFieldsEntry[];

const isCreated =
  (manager: string) =>
  (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === "Update" && (entry.subresource ?? "") === "";

/** Whether `manager` created the object by POST and has not applied it since. Its fields then include the defaults of the server. */
export function isCreatedOnly({ metadata }: KubeObject, manager: string): boolean {
  const entries = metadata.managedFields ?? [];
  return (
    entries.some(isCreated(manager)) &&
    !entries.some((entry) => entry.manager === manager && entry.operation === "Apply")
  );
}

/**
 * The managed fields with those that `manager` set by POST as applied ones, so that its next server-side apply removes the
 * fields that it no longer names; undefined when it created none.
 */
export function asApplied({ metadata }: KubeObject, manager: string): Entries | undefined {
  const entries = metadata.managedFields ?? [];
  const created = entries.filter(isCreated(manager));
  const [first] = created;
  if (first === undefined) return undefined;
  const applied = entries.filter(
    (entry) => entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "",
  );
  const merged = [...applied, ...created].reduce<JsonObject>((all, { fieldsV1 }) => union(all, fieldsV1 ?? {}), {});
  const others = entries.filter((entry) => !created.includes(entry) && !applied.includes(entry));
  return [...others, { ...first, operation: "Apply", fieldsV1: merged }];
}

function union(left: JsonObject, right: JsonObject): JsonObject {
  const both = Object.entries(right).map(([path, inner]) => {
    const held = left[path];
    return [path, isJsonObject(held) && isJsonObject(inner) ? union(held, inner) : (inner ?? {})] as const;
  });
  return { ...left, ...Object.fromEntries(both) };
}
