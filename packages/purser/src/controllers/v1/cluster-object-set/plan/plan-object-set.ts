import { findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { isBeingMigrated } from "../../../../rollout/plan/revision-from-release.ts";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { clusterObjectSets } from "../../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import { isPaused } from "../../../../apis/v1/paused.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { teardownFinalizer } from "../../../../apis/v1/labels.ts";
import { replaceStatus, setFinalizers } from "../../../plan/metadata-patch.ts";
import type { ObjectSetAction, ObjectSetWorld } from "./world.ts";

/** One pass over a revision: its finalizer first, then its objects; no actions when the revision does not exist, is torn down and its finalizer removed, or is active and its extension paused or deleted. */
export function planObjectSet(world: ObjectSetWorld | undefined, now: number): Plan<ObjectSetAction> {
  if (world?.revision.spec === undefined) return { actions: [] };
  const { revision } = world;
  const { metadata, spec, status } = revision;
  const finalizers = metadata.finalizers ?? [];
  const isHeld = finalizers.includes(teardownFinalizer);
  const isArchived = spec?.lifecycleState === "Archived";
  const isTornDown = isArchived && findCondition(status?.conditions, "Progressing")?.reason === "Archived";
  const keep = (names: readonly string[]): ObjectSetAction => ({
    kind: "write",
    write: setFinalizers(clusterObjectSets, revision, names),
  });
  // The objects of a deleted revision are garbage collected by their owner references.
  if (metadata.deletionTimestamp !== undefined || isTornDown)
    return { actions: isHeld ? [keep(finalizers.filter((name) => name !== teardownFinalizer))] : [] };
  if ((world.isPaused === true || world.isOutlived === true) && !isArchived) return { actions: [] };
  if (isBeingMigrated(revision)) return { actions: [{ kind: "write", write: migratedStatus(revision, now) }] };
  if (!isHeld && !isArchived) return { actions: [keep([...finalizers, teardownFinalizer])] };
  return { actions: [{ kind: "reconcile", revision, siblings: activeSiblings(world) }] };
}

/** What follows from the extension that the revision is labelled with; undefined: it does not exist. */
export function stateOfOwner(
  { metadata }: ClusterObjectSet,
  extension: ClusterExtension | undefined,
): Pick<ObjectSetWorld, "isPaused" | "isOutlived"> {
  if (extension !== undefined) return isPaused(extension) ? { isPaused: true } : {};
  // With its owner deleted by `--cascade=orphan` it has no reference and stays.
  return metadata.ownerReferences?.some(({ kind }) => kind === "ClusterExtension") === true ? { isOutlived: true } : {};
}

/** What a Helm release installed is installed: the revision does not roll out. */
function migratedStatus(revision: ClusterObjectSet, now: number): ObjectWrite {
  const condition = {
    type: "Succeeded",
    status: "True",
    reason: "Succeeded",
    message: "Revision succeeded - migrated from Helm release",
    ...(revision.metadata.generation === undefined ? {} : { observedGeneration: revision.metadata.generation }),
  } as const;
  const conditions = withCondition(revision.status?.conditions ?? [], condition, formatTime(now));
  return replaceStatus(clusterObjectSets, revision, { ...revision.status, conditions });
}

/** Active revisions of the same extension that are not being deleted, the revision itself left out. */
export function activeSiblings({ revision, family }: ObjectSetWorld): readonly ClusterObjectSet[] {
  return family.filter(
    ({ metadata, spec }) =>
      metadata.uid !== revision.metadata.uid &&
      metadata.deletionTimestamp === undefined &&
      spec?.lifecycleState === "Active",
  );
}
