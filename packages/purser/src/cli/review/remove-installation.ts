import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  subscriptions,
} from "../../apis/olm-resources.ts";
import {
  keptForAnnotation,
  managedByLabel,
  ownerNameLabel,
  pausedAnnotation,
  revisionAnnotation,
} from "../../apis/v1/labels.ts";
import { shownAsPaused } from "../../apis/v1/paused.ts";
import type { Installation } from "../../installation/installation.ts";
import type { UninstallPlan } from "../../review/uninstall-plan/uninstall-plan.ts";
import { storedCount } from "../../rollout/review/live-objects.ts";
import { versionsToCheck } from "../../rollout/plan/crd-compatibility.ts";
import { describeLeft, isOver, pauseMs, untilDeleted, type Waiting } from "./until-deleted.ts";

export type RemovalProblem =
  | { readonly kind: "refused"; readonly what: string; readonly refusal: WriteRefusal }
  /** Custom resources of a CRD that the plan showed as empty, so nobody agreed to delete them; nothing was removed. */
  | { readonly kind: "created"; readonly crd: string; readonly count: number }
  /** What still exists when the time is over, and what continues. */
  | { readonly kind: "timeout"; readonly left: string; readonly rest: Rest };

/** What is not removed yet: an installation, or, when the operator is deleted, the CRDs that it left. */
export type Rest =
  | { readonly kind: "installation"; readonly reference: string }
  | { readonly kind: "crds"; readonly names: readonly string[] };

export type Removed = Result<undefined, RemovalProblem>;

interface Removal extends Waiting {
  /** Whether to return only when everything is deleted; the order of the steps is kept all the same. */
  readonly waits: boolean;
}

interface Step extends Removal {
  readonly rest: Rest;
}

interface Deletion {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

/**
 * Removes an installation as planned. Custom resources go first, while the operator can still run their finalizers; then the
 * operator; CRDs last, because controllers restore a missing CRD of an operator that is installed. CRDs that stay are released
 * from a ClusterExtension while it is paused, so that neither garbage collection nor its controllers touch them.
 */
export async function removeInstallation(
  options: Removal,
  installation: Installation,
  plan: UninstallPlan,
): Promise<Removed> {
  const removal: Step = { ...options, rest: { kind: "installation", reference: installation.reference } };
  const planned = plan.apis.filter(({ fate }) => fate === "removed");
  // The plan was shown before the question, and an answer takes time.
  const filled =
    plan.mode !== "keep-data" && plan.deletedInstances === 0 ? await notEmpty(removal.client, planned) : [];
  const [first] = filled;
  if (plan.mode === "everything" && first !== undefined) return failed({ kind: "created", ...first });
  const removed = planned.filter(({ crd }) => filled.every((one) => one.crd !== crd));
  const kept = plan.apis.filter((api) => !removed.includes(api) && isReleased(installation, api));
  if (plan.mode === "everything")
    for (const { crd } of removed) {
      const cleared = await deleteInstances(removal, crd);
      if (!cleared.ok) return cleared;
    }
  const released = await releaseCrds(
    removal,
    installation,
    kept.map(({ crd }) => crd),
  );
  if (!released.ok) return released;
  if (installation.api === "v1" && kept.length > 0) {
    const dropped = await dropRevisions(removal, installation.name);
    if (!dropped.ok) return dropped;
  }
  for (const deletion of operatorOf(installation)) {
    const deleted = await remove(removal, deletion);
    if (!deleted.ok) return deleted;
  }
  const isV1 = installation.api === "v1";
  if (!removal.waits && (isV1 || removed.length === 0)) return done(undefined);
  for (const deletion of operatorOf(installation)) {
    const vanished = await vanishes({ ...removal, rest: restWith(installation, deletion) }, deletion);
    if (!vanished.ok) return vanished;
  }
  const names = removed.map(({ crd }) => crd);
  for (const [index, crd] of names.entries()) {
    const step: Step = { ...removal, rest: { kind: "crds", names: names.slice(index) } };
    // Garbage collection deletes the CRDs of a ClusterExtension.
    const deleted = isV1
      ? await vanishes(step, { type: customResourceDefinitions, key: { name: crd } })
      : await deleteCrd(step, crd, plan.mode);
    if (!deleted.ok) return deleted;
  }
  return done(undefined);
}

/** Those of the CRDs that have custom resources now, or whose custom resources may not be counted. */
async function notEmpty(
  client: KubeClient,
  apis: UninstallPlan["apis"],
): Promise<readonly { readonly crd: string; readonly count: number }[]> {
  const found: { readonly crd: string; readonly count: number }[] = [];
  for (const { crd: name } of apis) {
    const crd = await client.get(customResourceDefinitions, { name });
    const count = crd === undefined ? 0 : await storedCount(client, crd as CustomResourceDefinition);
    if (count !== 0) found.push({ crd: name, count: count ?? 0 });
  }
  return found;
}

/**
 * Whether a CRD that stays has to be released. Garbage collection deletes the CRD of an extension with it, whatever
 * ClusterServiceVersions name it: they own nothing.
 */
function isReleased({ api }: Installation, { ownedElsewhere, sharedWith }: UninstallPlan["apis"][number]): boolean {
  return api === "v1" ? !ownedElsewhere : sharedWith.length === 0;
}

/** A ClusterServiceVersion whose Subscription is deleted is an installation of its own. */
function restWith({ reference }: Installation, { type, key }: Deletion): Rest {
  const isCsv = type === clusterServiceVersions;
  return { kind: "installation", reference: isCsv ? `csv/${formatKey(key)}` : reference };
}

function operatorOf({ api, reference, namespace = "", name, bundle, target }: Installation): readonly Deletion[] {
  if (api === "v1") return [{ type: clusterExtensions, key: { name } }];
  const csvs = [...new Set([bundle, target])].flatMap((csv) =>
    csv === undefined ? [] : [{ type: clusterServiceVersions as ResourceType, key: { namespace, name: csv } }],
  );
  return [...(reference.startsWith("sub/") ? [{ type: subscriptions, key: { namespace, name } }] : []), ...csvs];
}

/** Deletes the custom resources of a CRD, those first that no other of them owns, and waits until none is left. */
async function deleteInstances(removal: Step, crdName: string): Promise<Removed> {
  const { client } = removal;
  const crd = await client.get(customResourceDefinitions, { name: crdName });
  const [type] =
    crd === undefined ? [] : versionsToCheck(crd as CustomResourceDefinition, crd as CustomResourceDefinition);
  if (type === undefined) return done(undefined);
  for (;;) {
    const left = await client.list(type);
    const [first] = left;
    if (first === undefined) return done(undefined);
    for (const object of nextToDelete(left)) {
      const deleted = await remove(removal, { type, key: keyOf(object) });
      if (!deleted.ok) return deleted;
    }
    if (isOver(removal))
      return failed({
        kind: "timeout",
        rest: removal.rest,
        left: `${left.length} of ${crdName}, such as ${describeLeft(type, keyOf(first), first)}`,
      });
    await systemClock.sleep(pauseMs, removal.signal);
  }
}

/** Those that none of the others owns; all of them when they own one another, and none is being deleted. */
function nextToDelete(left: readonly KubeObject[]): readonly KubeObject[] {
  const uids = new Set(left.map(({ metadata }) => metadata.uid));
  const waiting = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const free = waiting.filter(({ metadata }) => !(metadata.ownerReferences ?? []).some(({ uid }) => uids.has(uid)));
  return free.length === 0 && waiting.length === left.length ? waiting : free;
}

/**
 * Marks the CRDs that stay with the package they are kept for, so that a ClusterExtension of that package takes them over; those
 * of a ClusterExtension lose their owner, and a conversion webhook that is about to be deleted.
 */
async function releaseCrds(removal: Step, installation: Installation, names: readonly string[]): Promise<Removed> {
  const { client } = removal;
  const { api, name, packageName } = installation;
  if (names.length > 0 && api === "v1") {
    const type = clusterExtensions;
    const paused = await patch(
      removal,
      { type, key: { name } },
      { metadata: { annotations: { [pausedAnnotation]: "true" } } },
    );
    if (!paused.ok) return paused;
    for (;;) {
      const extension = await client.get(type, { name });
      if (extension === undefined || shownAsPaused(extension) !== undefined) break;
      if (isOver(removal))
        return failed({
          kind: "timeout",
          rest: removal.rest,
          left: `ClusterExtension ${name}, which is not paused yet`,
        });
      await systemClock.sleep(pauseMs, removal.signal);
    }
  }
  for (const crdName of names) {
    const deletion = { type: customResourceDefinitions as ResourceType, key: { name: crdName } };
    const crd = await client.get(customResourceDefinitions, { name: crdName });
    if (crd === undefined || packageName === "") continue;
    const annotations = { [keptForAnnotation]: packageName };
    const { resourceVersion } = crd.metadata;
    const own = {
      annotations: { ...annotations, [revisionAnnotation]: null },
      labels: { [managedByLabel]: null, [ownerNameLabel]: null },
      ownerReferences: null,
    };
    const isConverted = (crd as CustomResourceDefinition).spec.conversion?.strategy === "Webhook";
    const released = await patch(removal, deletion, {
      metadata: {
        ...(api === "v1" ? own : { annotations }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      ...(api === "v1" && isConverted ? { spec: { conversion: { strategy: "None", webhook: null } } } : {}),
    });
    if (!released.ok) return released;
  }
  return done(undefined);
}

/**
 * Deletes the revisions of a paused ClusterExtension before it: one that outlives its extension is paused no more, and its
 * controller would take the released CRDs back.
 */
async function dropRevisions(removal: Step, extension: string): Promise<Removed> {
  const revisions = await removal.client.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${extension}` });
  for (const revision of revisions) {
    const deleted = await remove(removal, { type: clusterObjectSets, key: keyOf(revision) });
    if (!deleted.ok) return deleted;
  }
  for (const revision of revisions) {
    const vanished = await vanishes(removal, { type: clusterObjectSets, key: keyOf(revision) });
    if (!vanished.ok) return vanished;
  }
  return done(undefined);
}

/** In the mode `unused` a CRD that has custom resources by now stays. */
async function deleteCrd(removal: Step, name: string, mode: UninstallPlan["mode"]): Promise<Removed> {
  const { client } = removal;
  const crd = await client.get(customResourceDefinitions, { name });
  if (crd === undefined) return done(undefined);
  if (mode === "unused" && (await storedCount(client, crd as CustomResourceDefinition)) !== 0) return done(undefined);
  const deletion = { type: customResourceDefinitions as ResourceType, key: { name } };
  const deleted = await remove(removal, deletion);
  return deleted.ok ? vanishes(removal, deletion) : deleted;
}

async function remove({ client, signal }: Removal, { type, key }: Deletion): Promise<Removed> {
  const result = await client.write({ verb: "delete", type, key }, signal);
  if (result.ok || result.problem.kind === "notFound") return done(undefined);
  return failed({ kind: "refused", what: `delete ${type.kind} ${formatKey(key)}`, refusal: result.problem });
}

async function patch({ client, signal }: Removal, { type, key }: Deletion, changes: JsonObject): Promise<Removed> {
  const result = await client.write({ verb: "patch", type, key, patchType: "merge", patch: changes }, signal);
  if (result.ok || result.problem.kind === "notFound") return done(undefined);
  return failed({ kind: "refused", what: `release ${type.kind} ${formatKey(key)}`, refusal: result.problem });
}

async function vanishes(removal: Step, deletion: Deletion): Promise<Removed> {
  const left = await untilDeleted(removal, deletion);
  if (left === undefined) return done(undefined);
  return failed({
    kind: "timeout",
    rest: removal.rest,
    left: describeLeft(deletion.type, deletion.key, left),
  });
}
