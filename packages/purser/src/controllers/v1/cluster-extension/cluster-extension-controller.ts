import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import {
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterUpdatePolicies,
} from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel, wantedByAnnotation } from "../../../apis/v1/labels.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { causedBy } from "@purser/kubernetes/kube/controller/caused-key";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { SecretContents } from "../../../rollout/memory/secret-contents.ts";
import type { RevisionOutcome } from "../../../rollout/plan/revision-outcome.ts";
import { readinessProgress } from "../../plan/progress.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { type AskForBundle, BundleWaiters } from "../../bundle-waiters.ts";
import { bringRevision } from "./bring-revision.ts";
import { HeldReleases } from "./held-releases.ts";
import { observeJudged } from "./observe-judged.ts";
import { PendingPlans } from "./pending-plans.ts";
import { afterApply } from "./plan/after-apply.ts";
import type { ExtensionAction } from "./plan/plan-extension.ts";
import { planExtension } from "./plan/plan-extension.ts";
import type { ExtensionWorld } from "./plan/world.ts";
import { VerifiedRevisions } from "./verified-revisions.ts";

const everyExtension = (cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(clusterExtensions, "all", "true").map(keyOf);

/** Each of the conditions of readiness has the cause as its reason. */
const lacksDependencies = ({ status }: ClusterExtension): boolean =>
  findCondition(status?.conditions, "Ready")?.reason === "DependencyMissing";

const withoutDependencies = (cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(clusterExtensions, "lacking", "true").map(keyOf);

const hasSucceeded = ({ status }: ClusterObjectSet): boolean =>
  findCondition(status?.conditions, "Succeeded")?.status === "True";

/** Resolves every ClusterExtension and keeps its revisions; the only writer of their status. */
export function clusterExtensionController(surroundings: Surroundings, secretContents: SecretContents): Controller {
  const waiters = new BundleWaiters(surroundings.content, "ClusterExtension");
  const releases = new HeldReleases(surroundings.systemNamespace);
  const verified = new VerifiedRevisions();
  const pendingPlans = new PendingPlans();
  /** The installed definition, as far as the API server's answers have shown it. */
  const definition: Definition = { isStandard: false };
  const askFor =
    (waiter: ObjectKey): AskForBundle =>
    (request) =>
      waiters.ask(request, waiter);
  return defineController<ExtensionWorld | undefined, ExtensionAction, KubeObject[], RevisionOutcome>({
    name: "cluster-extension",
    progress: readinessProgress,
    watches: [
      watching<ClusterExtension>({
        type: clusterExtensions,
        indexes: { all: () => ["true"], lacking: (extension) => (lacksDependencies(extension) ? ["true"] : []) },
        // Who waits for it shows whether it gets on.
        map: (extension, cache) => [
          keyOf(extension),
          ...(extension.metadata.annotations?.[wantedByAnnotation] === undefined ? [] : withoutDependencies(cache)),
        ],
      }),
      watching<ClusterObjectSet>({
        type: clusterObjectSets,
        indexedLabels: [ownerNameLabel],
        map: (revision, cache) => {
          const name = revision.metadata.labels?.[ownerNameLabel];
          const waiting = hasSucceeded(revision) ? withoutDependencies(cache) : [];
          return name === undefined ? waiting : [{ name }, ...waiting];
        },
      }),
      watching({ type: clusterCatalogs, map: (_, cache) => everyExtension(cache) }),
      watching({ type: clusterUpdatePolicies, map: (_, cache) => everyExtension(cache) }),
      releases.watch,
    ],
    wakes: [
      async function* (signal, cache) {
        for await (const notice of surroundings.content.notices(signal))
          if (notice.kind === "bundle") yield* waiters.woken(notice);
          // No extension shows when a catalog is read again.
          else if (notice.onlyTimes !== true) yield* causedBy(notice.cause, everyExtension(cache));
      },
    ],
    steps: {
      async observe(key, context) {
        const world = await observeJudged(key, context, surroundings, {
          ask: askFor(key),
          releases,
          verified,
          pendingPlans,
        });
        if (world === undefined) {
          verified.forget(key.name);
          pendingPlans.forget(key.name);
          waiters.release(key);
        }
        return world === undefined || !definition.isStandard ? world : { ...world, isStandard: true };
      },
      plan: (world, { now }) => planExtension(world, now),
      apply: (_key, action, context) =>
        applyExtension(action, context, surroundings, { secretContents, definition, verified }),
      afterApply: (world, outcome, { now }) =>
        world === undefined ? { actions: [] } : afterApply(world, outcome, now),
    },
  });
}

interface Definition {
  isStandard: boolean;
}

/** What is remembered from pass to pass. */
interface Kept {
  readonly secretContents: SecretContents;
  readonly definition: Definition;
  readonly verified: VerifiedRevisions;
}

async function applyExtension(
  action: ExtensionAction,
  { writer, events, cache, signal }: ApplyContext,
  { client, systemNamespace }: Surroundings,
  { secretContents, definition, verified }: Kept,
): Promise<RevisionOutcome | undefined> {
  switch (action.kind) {
    case "keep":
      return { kind: "applied", name: action.revision, created: false };
    case "apply":
      if (action.approved !== undefined)
        events.record(action.approved.extension, "Normal", "Approved", action.approved.message);
      return bringRevision(
        action,
        {
          reader: client,
          writer,
          systemNamespace,
          secretContents,
          versions: cache,
          verified: (revision) => verified.note(action.request.extension.name, action.source, revision),
        },
        signal,
      );
    case "adopt": {
      const { extension, revision } = action;
      const result = await writer.write({ verb: "create", type: clusterObjectSets, object: revision }, signal);
      if (!result.ok && result.problem.kind !== "alreadyExists") written(result);
      const { name } = revision.metadata;
      events.record(extension, "Normal", "Migrated", `The Helm release of OLM v1 is taken over as revision ${name}`);
      return undefined;
    }
    case "create": {
      const result = await writer.write({ verb: "create", type: clusterExtensions, object: action.extension }, signal);
      if (!result.ok && result.problem.kind !== "alreadyExists") written(result);
      return undefined;
    }
    case "rollBack": {
      const { extension, write, message } = action;
      const result = await writer.write(write, signal);
      if (!result.ok && result.problem.kind !== "notFound") written(result);
      events.record(extension, "Warning", "RolledBack", message);
      return undefined;
    }
    case "finalizers":
    case "pendingPlan": {
      writtenUnlessDeleted(await writer.write(action.write, signal));
      return undefined;
    }
    case "status": {
      const { extension, status, events: news } = action;
      const result = await writer.write(replaceStatus(clusterExtensions, extension, status), signal);
      writtenUnlessDeleted(result);
      const stored = result.ok ? (result.value.object as ClusterExtension | undefined)?.status : undefined;
      // Else each pass would write it again.
      if (stored !== undefined && status.activeRevisions !== undefined)
        definition.isStandard = stored.activeRevisions === undefined;
      for (const { type, reason, message } of news) events.record(extension, type, reason, message);
      return undefined;
    }
  }
}
