import { allSteps, Strides, type Steps } from "../../steps.ts";
import type { ManagedFieldsEntry } from "../../apis/object.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { decodeFields, encodeFields, type FieldSet, isEmptySet, unionOf } from "./field-set.ts";
import { objectOf } from "../patches/json-edit.ts";

/** One manager's part of an object. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  readonly fields: FieldSet;
}

/** By identity; an applier keeps its identity when the version changes, an updater does not. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * The identity of an entry of `managedFields`, as the JSON text of structured-merge-diff. The apiVersion is part of it
 * for updates only.
 */
export function managerId(manager: Omit<Manager, "fields" | "time">): string {
  return JSON.stringify({
    ...(manager.name === "" ? {} : { manager: manager.name }),
    operation: manager.operation,
    ...(manager.operation === "Apply" || manager.apiVersion === "" ? {} : { apiVersion: manager.apiVersion }),
    ...(manager.subresource === "" ? {} : { subresource: manager.subresource }),
  });
}

/** Undefined when an entry cannot be read: then none of them counts. */
export function decodeManagers(entries: JsonValue | undefined): Managers | undefined {
  return allSteps(decodeManagersInSteps(entries));
}

/** As {@link decodeManagers}, with pauses. */
export function* decodeManagersInSteps(entries: JsonValue | undefined): Steps<Managers | undefined> {
  if (entries === undefined || entries === null) return new Map();
  if (!Array.isArray(entries)) return undefined;
  const managers = new Map<string, Manager>();
  const strides = new Strides();
  for (const entry of entries) {
    const manager = isJsonObject(entry) ? yield* decodeManager(entry) : undefined;
    if (manager === undefined) return undefined;
    managers.set(managerId(manager), manager);
    if (strides.isDue(64)) yield;
  }
  return managers;
}

function* decodeManager(entry: JsonObject): Steps<Manager | undefined> {
  const operation = member(entry, "operation");
  const apiVersion = textOf(entry, "apiVersion");
  const fields = yield* decodeFields(member(entry, "fieldsV1") ?? {});
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (apiVersion === "" || member(entry, "fieldsType") !== "FieldsV1" || fields === undefined) return undefined;
  const time = textOf(entry, "time");
  return {
    name: textOf(entry, "manager"),
    operation,
    apiVersion,
    subresource: textOf(entry, "subresource"),
    ...(time === "" ? {} : { time }),
    fields,
  };
}

function textOf(entry: JsonObject, key: string): string {
  const value = member(entry, key);
  return typeof value === "string" ? value : "";
}

/** Sorted as the API server stores them: appliers first, then by time, name, version, subresource. */
export function encodeManagers(managers: Managers): readonly ManagedFieldsEntry[] {
  return allSteps(encodeManagersInSteps(managers));
}

/** As {@link encodeManagers}, with pauses. */
export function* encodeManagersInSteps(managers: Managers): Steps<readonly ManagedFieldsEntry[]> {
  const strides = new Strides();
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of [...managers.values()].sort(compareManagers)) {
    entries.push({
      ...(manager.name === "" ? {} : { manager: manager.name }),
      operation: manager.operation,
      apiVersion: manager.apiVersion,
      ...(manager.time === undefined ? {} : { time: manager.time }),
      fieldsType: "FieldsV1" as const,
      fieldsV1: yield* encodeFields(manager.fields, strides),
      ...(manager.subresource === "" ? {} : { subresource: manager.subresource }),
    });
    if (strides.isDue(64)) yield;
  }
  return entries;
}

function compareManagers(a: Manager, b: Manager): number {
  const keys = (manager: Manager): readonly string[] => [
    manager.operation,
    secondsOf(manager.time),
    manager.name,
    manager.apiVersion,
    manager.subresource,
  ];
  const left = keys(a);
  const right = keys(b);
  for (const [index, text] of left.entries()) {
    const other = right[index] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}

/** Fractions of a second do not order entries. */
function secondsOf(time: string | undefined): string {
  return (time ?? "").slice(0, 19);
}

/** `"m1"`, `"scaler" with subresource "scale" using apps/v1` */
export function describeManager(manager: Manager): string {
  const name = JSON.stringify(manager.name);
  const via = manager.subresource === "" ? name : `${name} with subresource ${JSON.stringify(manager.subresource)}`;
  return manager.operation === "Update" ? `${via} using ${manager.apiVersion}` : via;
}

/** More updaters than this are folded into one per version. */
const maxUpdaters = 10;

/** Folds the oldest updaters of one version into `ancient-changes` until few enough are left. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers.entries()].filter(([, manager]) => manager.operation === "Update");
  if (updaters.length <= maxUpdaters) return managers;
  const oldestFirst = updaters.toSorted(([idA, a], [idB, b]) => {
    const left = secondsOf(a.time);
    const right = secondsOf(b.time);
    if (left !== right) return left < right ? -1 : 1;
    return idA < idB ? -1 : 1;
  });
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  /** What each bucket is made of: joined at the end, since there may be thousands. */
  const parts = new Map<string, FieldSet[]>();
  let count = updaters.length;
  for (const [id, manager] of oldestFirst) {
    if (count <= maxUpdaters) break;
    const bucket = {
      name: "ancient-changes",
      operation: "Update" as const,
      apiVersion: manager.apiVersion,
      subresource: "",
    };
    const bucketId = managerId(bucket);
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    const held = capped.get(bucketId) ?? capped.get(first);
    if (held === undefined) continue;
    if (!capped.has(bucketId)) capped.delete(first);
    const { time, fields } = manager;
    const joined = parts.get(bucketId);
    if (joined === undefined) parts.set(bucketId, [held.fields, fields]);
    else joined.push(fields);
    capped.set(bucketId, { ...bucket, ...(time === undefined ? {} : { time }), fields });
    capped.delete(id);
    count--;
  }
  for (const [id, joined] of parts) {
    const bucket = capped.get(id);
    if (bucket !== undefined) capped.set(id, { ...bucket, fields: unionOf(joined) });
  }
  return capped;
}

/** `object` with these managed fields; without any the member is left out. */
export function* withManagers(object: JsonObject, managers: Managers): Steps<JsonObject> {
  return withEntries(object, yield* encodeManagersInSteps(managers));
}

function withEntries(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  const metadata = member(object, "metadata");
  const kept = isJsonObject(metadata) ? Object.entries(metadata).filter(([key]) => key !== "managedFields") : [];
  const pairs: (readonly [string, JsonValue])[] = [];
  for (const [key, value] of kept) if (value !== undefined) pairs.push([key, value]);
  if (entries.length > 0) pairs.push(["managedFields", entries as unknown as JsonValue]);
  const rest = Object.entries(object).flatMap(([key, value]): (readonly [string, JsonValue])[] =>
    value === undefined || key === "metadata" ? [] : [[key, value]],
  );
  return objectOf([...rest, ["metadata", objectOf(pairs)]]);
}

/** `object` without its managed fields. */
export function withoutManagers(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  if (!isJsonObject(metadata) || member(metadata, "managedFields") === undefined) return object;
  return withEntries(object, []);
}

/** The managers that own at least one field. */
export function dropEmpty(managers: Managers): Managers {
  return new Map([...managers].filter(([, manager]) => !isEmptySet(manager.fields)));
}
