import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";

/** Seals the object type of a watch in, so that watches of many types stand in one list with their own types inferred. */
export function watching<Type extends KubeObject>(watch: Watch<Type>): Watch {
  return watch as unknown as Watch;
}
