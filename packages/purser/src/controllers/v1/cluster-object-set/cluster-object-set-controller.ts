import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import {
  deployments,
  customResourceDefinitions,
  secrets,
  services,
  serviceAccounts,
  validatingWebhookConfigurations,
  mutatingWebhookConfigurations,
  clusterRoles,
  clusterRoleBindings,
  roles,
  roleBindings,
} from "@purser/kubernetes/apis/resources";
import { clusterObjectSets } from "../../../apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet, ClusterObjectSetStatus } from "../../../apis/v1/cluster-object-set.ts";
import { managedByLabel, managedByValue, ownerNameLabel, teardownFinalizer } from "../../../apis/v1/labels.ts";
import { plainJson } from "@purser/kubernetes/json";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { UnfinishedPassError, written } from "@purser/kubernetes/kube/refusal";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { ObjectSetOutcome } from "../../../rollout/reconcile-object-set.ts";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { conditionText } from "../../../explanation/condition-text.ts";
import { reconcileObjectSet } from "../../../rollout/reconcile-object-set.ts";
import { replaceStatus, setFinalizers } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";

interface ObjectSetWorld {
  readonly revision: ClusterObjectSet;
  /** Every revision of the same extension. */
  readonly family: readonly ClusterObjectSet[];
}

type ObjectSetAction =
  | { readonly kind: "release" }
  | { readonly kind: "adoptFinalizer" }
  | { readonly kind: "reconcile"; readonly family: readonly ClusterObjectSet[] };

const owners = (object: KubeObject): readonly ObjectKey[] =>
  (object.metadata.ownerReferences ?? [])
    .filter((owner) => owner.kind === "ClusterObjectSet")
    .map(({ name }) => ({ name }));

/** Kinds that nearly every bundle brings; a change of one of its objects wakes the revision at once. Other kinds are looked at on the recheck. */
const watched: readonly ResourceType[] = [
  deployments,
  customResourceDefinitions,
  services,
  serviceAccounts,
  clusterRoles,
  clusterRoleBindings,
  roles,
  roleBindings,
  validatingWebhookConfigurations,
  mutatingWebhookConfigurations,
];

/** Rolls out every ClusterObjectSet phase by phase and keeps it so; the only writer of their status. */
export function clusterObjectSetController(surroundings: Surroundings): Controller {
  return defineController<ObjectSetWorld | undefined, ObjectSetAction, KubeObject[]>({
    name: "cluster-object-set",
    watches: [
      watching<ClusterObjectSet>({
        type: clusterObjectSets,
        indexes: { owner: (revision) => [revision.metadata.labels?.[ownerNameLabel] ?? ""] },
        indexedLabels: [ownerNameLabel],
        map: (revision, cache) => [
          keyOf(revision),
          ...cache.byIndex(clusterObjectSets, "owner", revision.metadata.labels?.[ownerNameLabel] ?? "").map(keyOf),
        ],
      }),
      ...watched.map((type) =>
        watching({
          type,
          scope: { labelSelector: `${managedByLabel}=${managedByValue}` },
          map: owners,
          projection: type === deployments ? "slim" : "metadata",
        }),
      ),
      watching({
        type: secrets,
        scope: { labelSelector: `${managedByLabel}=${managedByValue}` },
        map: owners,
        projection: "metadata",
      }),
    ],
    steps: {
      async observe(key, { reader }) {
        const revision = await reader.get(clusterObjectSets, key);
        if (revision === undefined) return undefined;
        const owner = revision.metadata.labels?.[ownerNameLabel];
        const family =
          owner === undefined
            ? [revision]
            : await reader.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${owner}` });
        return { revision, family };
      },
      plan: (world) => {
        if (world === undefined || world.revision.spec === undefined) return { actions: [] };
        const finalizers = world.revision.metadata.finalizers ?? [];
        const held = finalizers.includes(teardownFinalizer);
        if (world.revision.metadata.deletionTimestamp !== undefined)
          return { actions: held ? [{ kind: "release" }] : [] };
        if (!held && world.revision.spec.lifecycleState === "Active") return { actions: [{ kind: "adoptFinalizer" }] };
        // Watches wake it for the kinds that nearly every bundle has; the rest, and collisions that end elsewhere, are asked for.
        const settled = findCondition(world.revision.status?.conditions, "Progressing")?.reason === "Succeeded";
        return { actions: [{ kind: "reconcile", family: world.family }], recheckAfterMs: settled ? 600_000 : 5_000 };
      },
      apply: (key, action, context) => applyObjectSet(key, action, context, surroundings),
    },
  });
}

async function applyObjectSet(
  key: ObjectKey,
  action: ObjectSetAction,
  context: ApplyContext,
  surroundings: Surroundings,
): Promise<void> {
  const { reader, writer, signal } = context;
  const revision = await reader.get(clusterObjectSets, key);
  if (revision === undefined) return;
  const finalizers = revision.metadata.finalizers ?? [];
  switch (action.kind) {
    case "release": {
      const result = await writer.write(
        setFinalizers(
          clusterObjectSets,
          revision,
          finalizers.filter((name) => name !== teardownFinalizer),
        ),
        signal,
      );
      if (!result.ok && result.problem.kind !== "notFound") written(result);
      return;
    }
    case "adoptFinalizer":
      written(
        await writer.write(setFinalizers(clusterObjectSets, revision, [...finalizers, teardownFinalizer]), signal),
      );
      return;
    case "reconcile":
      return reconcile(revision, action.family, context, surroundings);
  }
}

/** Our own words before upstream's, where there is a cause. */
function explained({ conditions, explanation }: ObjectSetOutcome): readonly Condition[] {
  if (explanation === undefined) return conditions;
  return conditions.map((condition) =>
    condition.type === "Progressing" && !condition.message.startsWith(explanation.code)
      ? { ...condition, message: `${explanation.code}: ${conditionText(explanation)}\n${condition.message}` }
      : condition,
  );
}

async function reconcile(
  revision: ClusterObjectSet,
  family: readonly ClusterObjectSet[],
  context: ApplyContext,
  { client, discovery, clock, entropy }: Surroundings,
): Promise<void> {
  const { writer, signal, events } = context;
  const outcome = await reconcileObjectSet(
    revision,
    family,
    { reader: client, writer, lookUp: (kind) => discovery.lookUp(kind, signal), clock, entropy },
    signal,
  );
  const status: ClusterObjectSetStatus = {
    ...revision.status,
    conditions: explained(outcome),
    ...(outcome.observedPhases === undefined ? {} : { observedPhases: outcome.observedPhases }),
  };
  if (!deepEqual(plainJson(status), plainJson(revision.status ?? {}))) {
    const result = await writer.write(replaceStatus(clusterObjectSets, revision, status), signal);
    if (!result.ok && result.problem.kind !== "notFound") written(result);
    const progressing = status.conditions?.find(({ type }) => type === "Progressing");
    const before = revision.status?.conditions?.find(({ type }) => type === "Progressing");
    if (progressing !== undefined && progressing.message !== before?.message)
      events.record(
        revision,
        outcome.error === undefined && outcome.explanation === undefined ? "Normal" : "Warning",
        progressing.reason,
        progressing.message,
      );
  }
  for (const name of outcome.archive) {
    const result = await writer.write(
      {
        verb: "patch",
        type: clusterObjectSets,
        key: { name },
        patchType: "merge",
        patch: { spec: { lifecycleState: "Archived" } },
      },
      signal,
    );
    if (!result.ok && result.problem.kind !== "notFound") written(result);
  }
  const finalizers = revision.metadata.finalizers ?? [];
  if (outcome.released && finalizers.includes(teardownFinalizer)) {
    const fresh = await client.get(clusterObjectSets, keyOf(revision));
    if (fresh !== undefined)
      written(
        await writer.write(
          setFinalizers(
            clusterObjectSets,
            fresh,
            finalizers.filter((name) => name !== teardownFinalizer),
          ),
          signal,
        ),
      );
  }
  if (outcome.error !== undefined) throw new UnfinishedPassError(outcome.error);
}
