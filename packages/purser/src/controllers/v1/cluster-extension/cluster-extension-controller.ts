import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject, keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel } from "../../../apis/v1/labels.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { UnfinishedPassError, written } from "@purser/kubernetes/kube/refusal";
import { done, failed } from "@purser/kubernetes/result";
import { derivedOnce } from "../../../derived-once.ts";
import { conditionText } from "../../../explanation/condition-text.ts";
import type { Explanation } from "../../../explanation/explanation.ts";
import type { CrdUpgradeRefusal } from "../../../review/crd-upgrade-safety.ts";
import { checkCrdUpgrade, explainCrdUpgrade, formatCrdUpgradeRefusals } from "../../../review/crd-upgrade-safety.ts";
import { applyRevision } from "../../../rollout/apply-revision.ts";
import { desiredRevision, type RevisionRequest } from "../../../rollout/plan/revision.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { type AskForBundle, BundleWaiters } from "../../bundle-waiters.ts";
import { observeExtension } from "./observe-extension.ts";
import type { ExtensionAction } from "./plan/plan-extension.ts";
import { planExtension, writeStatus } from "./plan/plan-extension.ts";
import type { ExtensionWorld } from "./plan/world.ts";

const everyExtension = (cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(clusterExtensions, "all", "true").map(keyOf);

/** Resolves every ClusterExtension and keeps its revisions; the only writer of their status. */
export function clusterExtensionController(surroundings: Surroundings): Controller {
  const waiters = new BundleWaiters(surroundings.content);
  const askFor =
    (waiter: ObjectKey): AskForBundle =>
    (request) =>
      waiters.ask(request, waiter);
  return defineController<ExtensionWorld | undefined, ExtensionAction, KubeObject[]>({
    name: "cluster-extension",
    watches: [
      watching<ClusterExtension>({ type: clusterExtensions, indexes: { all: () => ["true"] } }),
      watching<ClusterObjectSet>({
        type: clusterObjectSets,
        indexedLabels: [ownerNameLabel],
        map: (revision) => {
          const name = revision.metadata.labels?.[ownerNameLabel];
          return name === undefined ? [] : [{ name }];
        },
      }),
      watching({ type: clusterCatalogs, map: (_, cache) => everyExtension(cache) }),
    ],
    wakes: [
      async function* (signal, cache) {
        for await (const notice of surroundings.content.notices(signal))
          yield* notice.kind === "catalog" ? everyExtension(cache) : waiters.woken(notice);
      },
    ],
    steps: {
      observe: (key, context) => observeExtension(key, context, surroundings, askFor(key)),
      plan: (world, { now }) => planExtension(world, now),
      apply: (key, action, context) => applyExtension(key, action, context, surroundings, askFor(key)),
    },
  });
}

async function applyExtension(
  key: ObjectKey,
  action: ExtensionAction,
  context: ApplyContext,
  surroundings: Surroundings,
  ask: AskForBundle,
): Promise<void> {
  const { reader, writer, events, signal, now } = context;
  switch (action.kind) {
    case "status": {
      const extension = await reader.get(clusterExtensions, key);
      if (extension === undefined) return;
      const result = await writer.write(replaceStatus(clusterExtensions, extension, action.status), signal);
      if (!result.ok && result.problem.kind !== "notFound") written(result);
      if (action.warning !== undefined)
        events.record(extension, "Warning", action.warning.reason, action.warning.message);
      return;
    }
    case "apply": {
      const problem = await roll(key, action, context, surroundings);
      if (problem === undefined) return;
      const world = await observeExtension(key, { ...context, reader: surroundings.client }, surroundings, ask);
      if (world === undefined) return;
      const { name, version } = action.request.bundle;
      const upstream = `error for resolved bundle "${name}" with version "${version}": ${problem.upstream}`;
      const message = `${problem.cause}\n${upstream}`;
      for (const next of writeStatus(world, { status: "True", reason: "Retrying", message }, now))
        await applyExtension(key, next, context, surroundings, ask);
      throw new UnfinishedPassError(message);
    }
  }
}

interface RollProblem {
  /** Cause code, sentence and way out. */
  readonly cause: string;
  readonly upstream: string;
}

/** While nothing changes, pass after pass asks for the revision of the same rendered objects. */
const desiredOnce = derivedOnce(
  (objects: RevisionRequest["objects"], request: Omit<RevisionRequest, "objects">) =>
    desiredRevision({ ...request, objects }),
  ({ extension, bundle }) => JSON.stringify([extension, bundle]),
);

/** Why the revision could not be brought to the cluster; undefined when it was. */
async function roll(
  key: ObjectKey,
  { request, checksCrds }: Extract<ExtensionAction, { kind: "apply" }>,
  { reader, writer, signal }: ApplyContext,
  { client, systemNamespace }: Surroundings,
): Promise<RollProblem | undefined> {
  const desired = desiredOnce(request.objects, request);
  const { name: bundle } = request.bundle;
  if (!desired.ok) return { cause: `BundleInvalid: ${bundle}: ${desired.problem}`, upstream: desired.problem };
  let unsafe: Explanation | undefined;
  const revisions = await reader.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${key.name}` });
  const preflight = checksCrds
    ? async (objects: readonly JsonObject[]) => {
        const refusals = await crdRefusals(objects, client);
        if (refusals.length === 0) return done(undefined);
        unsafe = explainCrdUpgrade(refusals);
        return failed(formatCrdUpgradeRefusals(refusals));
      }
    : () => Promise.resolve(done(undefined));
  const outcome = await applyRevision(
    key.name,
    desired.value,
    revisions,
    preflight,
    { reader: client, writer, systemNamespace },
    signal,
  );
  if (outcome.ok) return undefined;
  const upstream = outcome.problem;
  return unsafe === undefined
    ? { cause: `RolloutFailed: ${key.name}: ${upstream}`, upstream }
    : { cause: `${unsafe.code}: ${conditionText(unsafe)}`, upstream };
}

/** Compares every CRD of the bundle with the live one of its name. */
async function crdRefusals(
  objects: readonly JsonObject[],
  client: Surroundings["client"],
): Promise<readonly CrdUpgradeRefusal[]> {
  const crds = objects.filter((object) => object["kind"] === "CustomResourceDefinition");
  const checks = await Promise.all(
    crds.map(async (next) => {
      const live = await client.get(customResourceDefinitions, { name: asKubeObject(next)?.metadata.name ?? "" });
      return live === undefined ? undefined : checkCrdUpgrade(asJson(live), next);
    }),
  );
  return checks.flatMap((check) => check ?? []);
}
