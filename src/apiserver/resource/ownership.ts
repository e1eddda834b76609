import type { KubeObject, ManagedFieldsEntry } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import { apiVersionOf } from "../../apis/resource-type.ts";
import type { JsonObject } from "../../json.ts";
import { checkTyped } from "../../object/check-typed.ts";
import type { ResetFields } from "../../object/managed-fields.ts";
import { updateManagedFields } from "../../object/managed-fields.ts";
import type { WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { hasStatus } from "../registry/served-kind.ts";

/** What an endpoint neither takes from a request nor tracks. */
export function resetFields(kind: ServedKind, endpoint: WriteEndpoint): ResetFields {
  if (endpoint === "status") return kind.statusReset;
  return endpoint === "main" && hasStatus(kind) ? [["status"]] : [];
}

/** `apiVersion`s whose managed fields are kept; undefined where all are. */
export function servedVersions(kind: ServedKind): readonly string[] | undefined {
  return kind.custom?.servedVersions.map((version) => apiVersionOf({ group: kind.type.group, version }));
}

const emptyObjects = new WeakMap<ServedKind, JsonObject>();

/** What a typed object holds before anything is said of it; custom resources hold nothing. */
export function emptyObject(kind: ServedKind): JsonObject {
  let empty = emptyObjects.get(kind);
  if (empty === undefined) {
    empty = kind.custom === undefined ? kind.decode({}).value : {};
    emptyObjects.set(kind, empty);
  }
  return empty;
}

/** `next` with the managed fields that follow from who wrote it. */
export function withOwnership(
  kind: ServedKind,
  endpoint: WriteEndpoint,
  write: { readonly next: KubeObject; readonly old?: KubeObject; readonly manager: string; readonly now: string },
): KubeObject {
  const { next, old, manager, now } = write;
  if (!fitsType(kind, next) || (old !== undefined && !fitsType(kind, old))) return withManagedFields(write.next, []);
  const served = servedVersions(kind);
  const managedFields = updateManagedFields({
    ...(old === undefined ? {} : { old: asJson(old) }),
    next: asJson(
      endpoint === "main" || old === undefined ? next : withManagedFields(next, old.metadata.managedFields ?? []),
    ),
    manager,
    operation: "Update",
    apiVersion: apiVersionOf(kind.type),
    ...(endpoint === "main" ? {} : { subresource: endpoint }),
    schema: kind.mergeSchema(),
    empty: emptyObject(kind),
    now,
    resetFields: resetFields(kind, endpoint),
    ...(served === undefined ? {} : { servedVersions: served }),
  });
  return withManagedFields(write.next, managedFields);
}

/**
 * Whether owners of the object's fields can be told at all: validation lets through some values of another type, such
 * as a list where a `date-time` is asked for. Built-in kinds are typed when they are read; of those only the secrets of an
 * account may lack the key that tells them apart.
 */
function fitsType(kind: ServedKind, object: KubeObject): boolean {
  if (kind.custom === undefined && kind.table !== "serviceaccounts") return true;
  const { metadata: _metadata, ...rest } = asJson(object);
  return checkTyped(rest, kind.mergeSchema(), "stored").length === 0;
}

/** The object with these entries, or with none. */
export function withManagedFields(object: KubeObject, managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  const { managedFields: _old, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}
