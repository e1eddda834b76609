import type { KubeObject } from "./object.ts";

export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

declare const carried: unique symbol;

/**
 * A kind as served by an API server. The type parameter is a phantom type: it lets a reader return the right type for a
 * constant such as `subscriptions`.
 */
export interface ResourceType<Type extends KubeObject = KubeObject> extends GroupVersionKind {
  /** Lower-case plural, as in the request path. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly [carried]?: Type;
}

/** `v1`, `apps/v1`: as written in `apiVersion`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/**
 * Splits `apps/v1` at its first slash; the core group is the empty text. Nothing is checked: a text without a slash
 * is the version.
 */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Group, version and kind as the object states them; nothing is checked. */
export function kindOf(object: KubeObject): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** `plural.group`, as CRDs are named and people write it; the plural alone for the core group. */
export function groupResource({ group, plural }: ResourceType): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Request path of the collection or, with `name`, of one object. Segments are percent-encoded. */
export function resourcePath(
  type: ResourceType,
  key: { readonly namespace?: string; readonly name?: string } = {},
  subresource?: string,
): string {
  const segments = type.group === "" ? ["api", type.version] : ["apis", type.group, type.version];
  if (type.namespaced && key.namespace !== undefined) segments.push("namespaces", key.namespace);
  segments.push(type.plural);
  if (key.name !== undefined) segments.push(key.name);
  if (subresource !== undefined) segments.push(subresource);
  return `/${segments.map(encodeURIComponent).join("/")}`;
}
