import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { setFinalizers } from "./metadata-patch.ts";

/**
 * The write that makes an object's own finalizers right: all of them while `isNeeded`, none otherwise; undefined when they are.
 * Those of others stay where they are. A deleted object gets none, as the API server refuses new ones.
 */
export function ownFinalizers(
  type: ResourceType,
  object: KubeObject,
  own: readonly string[],
  isNeeded: boolean,
): ObjectWrite | undefined {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (isNeeded && deletionTimestamp === undefined) {
    const missing = own.filter((name) => !finalizers.includes(name));
    return missing.length === 0 ? undefined : setFinalizers(type, object, [...finalizers, ...missing]);
  }
  const others = finalizers.filter((name) => !own.includes(name));
  return others.length === finalizers.length ? undefined : setFinalizers(type, object, others);
}
