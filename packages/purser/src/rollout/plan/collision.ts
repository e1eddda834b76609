import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keptForAnnotation, packageNameAnnotation, revisionAnnotation } from "../../apis/v1/labels.ts";
import type { ClusterObjectSet, CollisionProtection } from "../../apis/v1/cluster-object-set.ts";

export type CollisionDecision =
  /** The revision controls the object or may take it over. */
  | { readonly kind: "apply" }
  /** A newer revision of the same extension controls the object. */
  | { readonly kind: "progressed" }
  | { readonly kind: "collision" };

/** Whether a revision may apply an object that exists, by its controller and the collision protection. */
export function decideCollision(
  live: KubeObject,
  revision: ClusterObjectSet,
  /** Active revisions of the same extension. */
  siblings: readonly ClusterObjectSet[],
  protection: CollisionProtection,
): CollisionDecision {
  const controller = (live.metadata.ownerReferences ?? []).find((reference) => reference.controller === true);
  if (controller === undefined) {
    // The object was orphaned by a revision and may be about to be garbage collected.
    if (live.metadata.annotations?.[revisionAnnotation] !== undefined) return { kind: "collision" };
    if (isKeptFor(live, revision.metadata.annotations?.[packageNameAnnotation])) return { kind: "apply" };
    return { kind: protection === "Prevent" ? "collision" : "apply" };
  }
  if (controller.uid === revision.metadata.uid) return { kind: "apply" };
  const sibling = siblings.find(({ metadata }) => metadata.uid === controller.uid);
  if (sibling === undefined) return { kind: protection === "None" ? "apply" : "collision" };
  const own = revision.spec?.revision ?? 0;
  const other = sibling.spec?.revision ?? 0;
  if (other === own) return { kind: "collision" };
  return { kind: other < own ? "apply" : "progressed" };
}

/** Whether the object stayed for the package when an operator of it was uninstalled. */
export function isKeptFor({ metadata }: Pick<KubeObject, "metadata">, packageName: string | undefined): boolean {
  return packageName !== undefined && metadata.annotations?.[keptForAnnotation] === packageName;
}

/** The nearest setting wins: object, phase, revision, then `Prevent`. */
export function effectiveProtection(...settings: readonly (CollisionProtection | undefined)[]): CollisionProtection {
  return settings.find((setting) => setting !== undefined) ?? "Prevent";
}
