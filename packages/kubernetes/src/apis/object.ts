import type { JsonObject, JsonValue } from "../json.ts";

/** A reference from a dependent to its owner; matched by `uid`, never by name. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** An entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Any Kubernetes object; deeply readonly, because the in-process transport passes the stored object. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Name and namespace of an object; `namespace` is absent for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** `namespace/name`, or `name` alone for cluster-scoped objects. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** Inverse of {@link formatKey}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * Namespace and name of an object; without `namespace` for cluster-scoped objects. The name is empty where it is
 * still to be generated.
 */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = "" } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** A typed object as plain JSON. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/**
 * The only conversion from JSON to a typed object: checks apiVersion, kind and metadata, trusts the API server for the
 * rest.
 */
export function asKubeObject(value: JsonValue | undefined): KubeObject | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const object = value as JsonObject;
  if (typeof object["apiVersion"] !== "string" || typeof object["kind"] !== "string") return undefined;
  const metadata = object["metadata"];
  if (metadata === undefined) return { ...object, metadata: {} } as unknown as KubeObject;
  return typeof metadata === "object" && metadata !== null ? (object as unknown as KubeObject) : undefined;
}
