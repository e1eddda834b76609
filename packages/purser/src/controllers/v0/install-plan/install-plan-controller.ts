import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, operatorGroups } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, InstallPlanStatus, Step } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel, managedLabel } from "../../../apis/v0/labels.ts";
import { reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import type { ApplyContext, Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { UnfinishedPassError, written } from "@purser/kubernetes/kube/refusal";
import type { ExecutionOutcome } from "../../../rollout/execute-steps.ts";
import { executeSteps } from "../../../rollout/execute-steps.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { BundleWaiters } from "../../bundle-waiters.ts";
import { watching } from "../../watching.ts";
import { installingWriter } from "../scoped-writer.ts";
import type { InstallPlanAction, InstallPlanWorld } from "./plan/plan-install-plan.ts";
import { ReferencedBundles } from "./referenced-bundles.ts";
import { afterExecution, planInstallPlan, repairedKinds } from "./plan/plan-install-plan.ts";

const active = (plan: InstallPlan): boolean =>
  plan.status?.phase === "Installing" || plan.status?.phase === "RequiresApproval";

const lacksSomething = ({ metadata, status }: ClusterServiceVersion): boolean =>
  metadata.deletionTimestamp === undefined && status?.reason === "RequirementsNotMet";

const activeIn = (object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(installPlans, "active", object.metadata.namespace ?? "").map(keyOf);

/** Steps that an execution still reads. */
const unfinished = (steps: readonly Step[]): readonly Step[] =>
  steps.filter(({ status }) => status !== "Created" && status !== "Present");

/** Executes approved InstallPlans step by step; after their creation the only writer of their status. */
export function installPlanController(surroundings: Surroundings): Controller {
  const waiters = new BundleWaiters(surroundings.content);
  const bundlesOf = (key: ObjectKey, { reader }: ObserveContext): ReferencedBundles =>
    new ReferencedBundles(key.namespace ?? "", reader, (request) => waiters.ask(request, key));
  return defineController<InstallPlanWorld | undefined, InstallPlanAction, KubeObject[]>({
    name: "install-plan",
    watches: [
      watching<InstallPlan>({
        type: installPlans,
        indexes: {
          active: (plan) => (active(plan) ? [plan.metadata.namespace ?? ""] : []),
          brought: (plan) =>
            plan.status?.phase === "Complete"
              ? plan.spec.clusterServiceVersionNames.map((name) => `${plan.metadata.namespace}/${name}`)
              : [],
          installing: (plan) => (plan.status?.phase === "Installing" ? ["true"] : []),
        },
      }),
      watching({ type: operatorGroups, map: activeIn }),
      watching({ type: serviceAccounts, scope: { labelSelector: `${managedLabel}=true` }, map: activeIn }),
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        map: (csv, cache) =>
          lacksSomething(csv)
            ? cache.byIndex(installPlans, "brought", `${csv.metadata.namespace}/${csv.metadata.name}`).map(keyOf)
            : [],
      }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        map: (_, cache) => cache.byIndex(installPlans, "installing", "true").map(keyOf),
      }),
    ],
    wakes: [
      async function* (signal) {
        for await (const notice of surroundings.content.notices(signal)) yield* waiters.woken(notice);
      },
    ],
    steps: {
      async observe(key, context) {
        const { reader, signal } = context;
        const plan = await reader.get(installPlans, key);
        if (plan === undefined || plan.metadata.deletionTimestamp !== undefined) return undefined;
        const missing = await missingSteps(plan, reader, surroundings, signal);
        const executed = plan.status?.phase === "Installing" ? unfinished(plan.status.plan ?? []) : missing;
        return {
          plan,
          groups: await reader.list(operatorGroups, { namespace: key.namespace ?? "" }),
          missing,
          pendingBundles: await bundlesOf(key, context).pending(executed),
        };
      },
      plan: (world, { now }) => planInstallPlan(world, now),
      apply: (key, action, context) => applyInstallPlan(key, action, context, surroundings, bundlesOf(key, context)),
    },
  });
}

async function applyInstallPlan(
  key: ObjectKey,
  action: InstallPlanAction,
  context: ApplyContext,
  surroundings: Surroundings,
  bundles: ReferencedBundles,
): Promise<void> {
  switch (action.kind) {
    case "retry":
      throw new UnfinishedPassError(action.message);
    case "status":
      return writeStatus(key, action.status, context);
    case "execute":
      return execute(key, action.status, context, surroundings, bundles);
    case "repair":
      return repair(key, action.steps, context, surroundings, bundles);
  }
}

async function writeStatus(
  key: ObjectKey,
  status: InstallPlanStatus,
  { reader, writer, signal }: ApplyContext,
): Promise<void> {
  const plan = await reader.get(installPlans, key);
  if (plan === undefined) return;
  const result = await writer.write(replaceStatus(installPlans, plan, status), signal);
  if (!result.ok && result.problem.kind !== "notFound") written(result);
}

/** Steps of a complete plan whose object was deleted, for operators of the plan with an unmet requirement. */
async function missingSteps(
  plan: InstallPlan,
  reader: ObjectReader,
  { client, discovery }: Surroundings,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  if (plan.status?.phase !== "Complete") return [];
  const { namespace = "" } = plan.metadata;
  const csvs = await Promise.all(
    plan.spec.clusterServiceVersionNames.map((name) => reader.get(clusterServiceVersions, { namespace, name })),
  );
  const waiting = new Set(
    csvs.flatMap((csv) => (csv !== undefined && lacksSomething(csv) ? [csv.metadata.name ?? ""] : [])),
  );
  const candidates = (plan.status.plan ?? []).filter(
    ({ resolving, resource }) => waiting.has(resolving) && repairedKinds.has(resource.kind),
  );
  const missing = await Promise.all(
    candidates.map(async (step) => {
      const type = await discovery.typeOf(step.resource, signal);
      if (type === undefined) return [];
      const { name } = step.resource;
      const live = await client.get(type, type.namespaced ? { namespace, name } : { name });
      return live === undefined ? [step] : [];
    }),
  );
  return missing.flat();
}

async function repair(
  key: ObjectKey,
  steps: readonly Step[],
  context: ApplyContext,
  surroundings: Surroundings,
  bundles: ReferencedBundles,
): Promise<void> {
  const plan = await context.reader.get(installPlans, key);
  if (plan === undefined) return;
  const fresh = steps.map((step): Step => ({ ...step, status: "Unknown" }));
  const outcome = await run(plan, fresh, context, surroundings, bundles);
  if (outcome.failure !== undefined) throw new UnfinishedPassError(outcome.failure.message);
}

async function run(
  plan: InstallPlan,
  steps: readonly Step[],
  context: ApplyContext,
  { client, discovery, compat }: Surroundings,
  bundles: ReferencedBundles,
): Promise<ExecutionOutcome> {
  const { reader, signal } = context;
  const { name = "", namespace = "" } = plan.metadata;
  const scoped = installingWriter(await reader.list(operatorGroups, { namespace }), context);
  if (!scoped.ok) throw new UnfinishedPassError(scoped.problem);
  return executeSteps(
    { name, namespace, csvNames: plan.spec.clusterServiceVersionNames, steps },
    {
      reader: client,
      own: context.writer,
      compat,
      scoped: scoped.value,
      lookUp: (kind) => discovery.lookUp(kind, signal),
      ...(compat.keepsUpstream("reserved-groups")
        ? {}
        : { refusalOf: (manifest) => reservedClaimsProblem(reservedCrds([manifest])) }),
      manifestOf: (step) => bundles.manifest(step),
    },
    signal,
  );
}

async function execute(
  key: ObjectKey,
  status: InstallPlanStatus,
  context: ApplyContext,
  surroundings: Surroundings,
  bundles: ReferencedBundles,
): Promise<void> {
  const { reader, now, events } = context;
  const plan = await reader.get(installPlans, key);
  if (plan === undefined) return;
  const outcome = await run(plan, status.plan ?? [], context, surroundings, bundles);
  for (const event of outcome.events) events.record(plan, event.type, event.reason, event.message);
  const next = afterExecution(status, outcome, now);
  await writeStatus(key, next.status, context);
  if (next.retry !== undefined) throw new UnfinishedPassError(next.retry);
}
