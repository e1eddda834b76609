import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  migratedFromHelmLabel,
  packageNameAnnotation,
} from "../../apis/v1/labels.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, type Result } from "@purser/kubernetes/result";
import { type DesiredRevision, desiredRevision, objectSetOf } from "./revision.ts";

/** The first revision of an extension that Helm managed before: it takes over the existing objects. The problem is OLM's text. */
export function revisionFromRelease(
  extension: string,
  release: { readonly objects: readonly JsonObject[]; readonly labels: Readonly<Record<string, string>> },
): Result<DesiredRevision, string> {
  const text = (name: string) => (Object.hasOwn(release.labels, name) ? (release.labels[name] ?? "") : "");
  const given = Object.hasOwn(release.labels, bundleReleaseAnnotation);
  // Unlike later revisions, this one marks its objects with the release too.
  const released = given ? { [bundleReleaseAnnotation]: text(bundleReleaseAnnotation) } : {};
  const desired = desiredRevision(
    {
      extension: { name: extension, uid: "" },
      bundle: {
        name: text(bundleNameAnnotation),
        packageName: text(packageNameAnnotation),
        version: text(bundleVersionAnnotation),
        image: text(bundleReferenceAnnotation),
        ...(given ? { release: text(bundleReleaseAnnotation) } : {}),
      },
      objects: release.objects,
    },
    released,
  );
  if (!desired.ok) return desired;
  const { ownerReferences: _later, ...others } = desired.value;
  return done({ ...others, collisionProtection: "None" });
}

/** Revision 1 with the objects of a release inline, owned by its extension. */
export function migratedRevision(
  desired: DesiredRevision,
  extension: { readonly name: string; readonly uid: string },
): ClusterObjectSet {
  const labels = { ...desired.labels, [migratedFromHelmLabel]: "true" };
  const reference = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    ...extension,
    controller: true,
    blockOwnerDeletion: true,
  };
  return objectSetOf({ ...desired, labels, ownerReferences: [reference] }, `${extension.name}-1`, 1, desired.phases);
}

/** Whether a revision was made from a Helm release and does not show yet that it is installed. */
export function isBeingMigrated({ metadata, spec, status }: ClusterObjectSet): boolean {
  const isMigrated = spec?.revision === 1 && metadata.labels?.[migratedFromHelmLabel] === "true";
  return (
    isMigrated &&
    spec.lifecycleState === "Active" &&
    metadata.deletionTimestamp === undefined &&
    findCondition(status?.conditions, "Succeeded")?.status !== "True"
  );
}
