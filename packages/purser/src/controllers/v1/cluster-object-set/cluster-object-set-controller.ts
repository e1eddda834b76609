import { findCondition } from "@purser/kubernetes/apis/condition";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, deployments, namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { clusterExtensions, clusterObjectSets } from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import { shownAsPaused } from "../../../apis/v1/paused.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { managedByLabel, managedByValue, ownerNameLabel } from "../../../apis/v1/labels.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { ObjectSetOutcome } from "../../../rollout/plan/object-set-outcome.ts";
import { KnownMembers } from "../../../rollout/memory/known-members.ts";
import { hasSucceeded } from "../../../rollout/memory/phase-memory.ts";
import { reconcileObjectSet } from "../../../rollout/reconcile-object-set.ts";
import type { SecretContents } from "../../../rollout/memory/secret-contents.ts";
import { readinessProgress } from "../../plan/progress.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { afterApply } from "./plan/after-apply.ts";
import { planObjectSet, stateOfOwner } from "./plan/plan-object-set.ts";
import type { ObjectSetAction, ObjectSetWorld } from "./plan/world.ts";

const owners = (object: KubeObject): readonly ObjectKey[] =>
  (object.metadata.ownerReferences ?? [])
    .filter((owner) => owner.kind === "ClusterObjectSet")
    .map(({ name }) => ({ name }));

/** Their objects may bring what revisions wait for, from any creator. */
const prerequisites: readonly string[] = [namespaces, customResourceDefinitions].map(groupResource);

const isRetrying = ({ status }: ClusterObjectSet): boolean =>
  findCondition(status?.conditions, "Progressing")?.reason === "Retrying";

/** Rolls out every ClusterObjectSet phase by phase and keeps it so; the only writer of their status. */
export function clusterObjectSetController(surroundings: Surroundings, secretContents: SecretContents): Controller {
  const firstLooks = new FirstLooks();
  const memory = { secretContents, members: new KnownMembers(surroundings.clock) };
  return defineController<ObjectSetWorld | undefined, ObjectSetAction, KubeObject[], ObjectSetOutcome>({
    name: "cluster-object-set",
    progress: readinessProgress,
    // Rollouts are long: running more at once would not finish any of them earlier, and would delay the resolution of extensions.
    concurrency: 2,
    watches: [
      watching<ClusterObjectSet>({
        type: clusterObjectSets,
        indexes: {
          owner: (revision) => [revision.metadata.labels?.[ownerNameLabel] ?? ""],
          retrying: (revision) => (isRetrying(revision) ? ["true"] : []),
        },
        indexedLabels: [ownerNameLabel],
        map: (revision, cache) => [
          keyOf(revision),
          ...cache.byIndex(clusterObjectSets, "owner", revision.metadata.labels?.[ownerNameLabel] ?? "").map(keyOf),
        ],
      }),
      watching<ClusterExtension>({
        type: clusterExtensions,
        // An extension that is no longer paused still shows it until its own pass.
        map: (extension, cache) =>
          shownAsPaused(extension) === undefined
            ? []
            : cache.byIndex(clusterObjectSets, "owner", extension.metadata.name ?? "").map(keyOf),
      }),
    ],
    wakingWatch: (type) =>
      prerequisites.includes(groupResource(type))
        ? {
            map: (object, cache) => [
              ...owners(object),
              ...cache.byIndex(clusterObjectSets, "retrying", "true").map(keyOf),
            ],
          }
        : {
            scope: { labelSelector: `${managedByLabel}=${managedByValue}` },
            map: owners,
            // They change several times until they are ready; they are small, and need not be read then.
            ...(groupResource(type) === groupResource(deployments) ? { projection: "whole" as const } : {}),
          },
    steps: {
      async observe(key, { reader, now }) {
        const world = await observeObjectSet(key, reader, surroundings);
        const firstLookAt = firstLooks.of(key.name, world?.revision, now);
        return world === undefined || firstLookAt === undefined ? world : { ...world, firstLookAt };
      },
      plan: (world, { now }) => planObjectSet(world, now),
      apply: (_key, action, context) => applyObjectSet(action, context, surroundings, memory),
      afterApply: (world, outcome, { now }) =>
        world === undefined ? { actions: [] } : afterApply(world, outcome, now),
    },
  });
}

/** When roll-outs began, by the name of the revision. */
class FirstLooks {
  readonly #begun = new Map<string, { readonly uid: string; readonly at: number }>();

  /** Undefined, and forgotten, when the revision does not exist, has rolled out or is to be removed. */
  of(name: string, revision: ClusterObjectSet | undefined, now: number): number | undefined {
    const { metadata, spec } = revision ?? {};
    const { uid = "", deletionTimestamp } = metadata ?? {};
    const isGoing = revision !== undefined && spec?.lifecycleState === "Active" && deletionTimestamp === undefined;
    if (!isGoing || hasSucceeded(revision)) {
      this.#begun.delete(name);
      return undefined;
    }
    const known = this.#begun.get(name);
    if (known?.uid === uid) return known.at;
    this.#begun.set(name, { uid, at: now });
    return now;
  }
}

async function observeObjectSet(
  key: ObjectKey,
  reader: ObjectReader,
  { compat }: Surroundings,
): Promise<ObjectSetWorld | undefined> {
  const texts = compat.keepsUpstream("condition-texts") ? { hasPlainTexts: true as const } : {};
  const revision = await reader.get(clusterObjectSets, key);
  if (revision === undefined) return undefined;
  const owner = revision.metadata.labels?.[ownerNameLabel];
  if (owner === undefined) return { revision, family: [revision], ...texts };
  const family = await reader.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${owner}` });
  const extension = await reader.get(clusterExtensions, { name: owner });
  return { revision, family, ...texts, ...stateOfOwner(revision, extension) };
}

async function applyObjectSet(
  action: ObjectSetAction,
  { writer, events, cache, signal }: ApplyContext,
  { client, discovery, clock, entropy }: Surroundings,
  { secretContents, members }: { readonly secretContents: SecretContents; readonly members: KnownMembers },
): Promise<ObjectSetOutcome | undefined> {
  switch (action.kind) {
    case "reconcile": {
      const lookUp: Surroundings["discovery"]["lookUp"] = (kind) => discovery.lookUp(kind, signal);
      const servedTypes = (): ReturnType<typeof discovery.all> => discovery.all();
      const known = { members, versions: cache };
      const ports = { reader: client, writer, lookUp, servedTypes, clock, entropy, secretContents, known };
      return reconcileObjectSet(action.revision, action.siblings, ports, signal);
    }
    case "write": {
      writtenUnlessDeleted(await writer.write(action.write, signal));
      if (action.event !== undefined) {
        const { about, type, reason, message } = action.event;
        events.record(about, type, reason, message);
      }
      return undefined;
    }
  }
}
