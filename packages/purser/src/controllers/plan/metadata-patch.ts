import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { keyOf } from "@purser/kubernetes/apis/object";

/** Sets annotations of an object and keeps the other ones; refused as a conflict when the object changed since it was read. */
export function annotate(
  type: ResourceType,
  object: KubeObject,
  annotations: Readonly<Record<string, string | null>>,
): ObjectWrite {
  return metadataPatch(type, object, { annotations });
}

/** Sets labels of an object, removes those with `null`, and keeps the other ones. */
export function label(
  type: ResourceType,
  object: KubeObject,
  labels: Readonly<Record<string, string | null>>,
  fieldManager?: string,
): ObjectWrite {
  const { uid } = object.metadata;
  return {
    verb: "patch",
    type,
    key: keyOf(object),
    patchType: "merge",
    patch: { metadata: { labels, ...(uid === undefined ? {} : { uid }) } },
    ...(fieldManager === undefined ? {} : { fieldManager }),
  };
}

/** Replaces the finalizers of an object; refused as a conflict when the object changed since it was read. */
export function setFinalizers(type: ResourceType, object: KubeObject, finalizers: readonly string[]): ObjectWrite {
  return metadataPatch(type, object, { finalizers });
}

function metadataPatch(type: ResourceType, object: KubeObject, metadata: JsonObject): ObjectWrite {
  const patch = { metadata: { ...metadata, ...asRead(object.metadata) } };
  return { verb: "patch", type, key: keyOf(object), patchType: "merge", patch };
}

/** Preconditions that make a patch fail when the object was changed or replaced by another one of the same name. */
function asRead({ uid, resourceVersion }: ObjectMeta): JsonObject {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/** Writes a whole status, with the resourceVersion of `object` as precondition. */
export function replaceStatus(type: ResourceType, object: KubeObject, status: object): ObjectWrite {
  return { verb: "replace", type, object: { ...object, status }, subresource: "status" };
}
