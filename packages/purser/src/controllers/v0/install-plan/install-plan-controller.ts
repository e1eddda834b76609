import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, operatorGroups } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, InstallPlanStatus, Step } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel, managedLabel } from "../../../apis/v0/labels.ts";
import { reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { UnfinishedPassError, written } from "@purser/kubernetes/kube/refusal";
import type { ExecutionOutcome } from "../../../rollout/execute-steps.ts";
import { executeSteps } from "../../../rollout/execute-steps.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { readManifest } from "../bundle-manifest.ts";
import { installingWriter } from "../scoped-writer.ts";
import type { InstallPlanAction, InstallPlanWorld } from "./plan/plan-install-plan.ts";
import { afterExecution, planInstallPlan, repairedKinds } from "./plan/plan-install-plan.ts";

const active = (plan: InstallPlan): boolean =>
  plan.status?.phase === "Installing" || plan.status?.phase === "RequiresApproval";

const lacksSomething = ({ metadata, status }: ClusterServiceVersion): boolean =>
  metadata.deletionTimestamp === undefined && status?.reason === "RequirementsNotMet";

const activeIn = (object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(installPlans, "active", object.metadata.namespace ?? "").map(keyOf);

/** Executes approved InstallPlans step by step; after their creation the only writer of their status. */
export function installPlanController(surroundings: Surroundings): Controller {
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
    steps: {
      async observe(key, { reader, signal }) {
        const plan = await reader.get(installPlans, key);
        if (plan === undefined || plan.metadata.deletionTimestamp !== undefined) return undefined;
        return {
          plan,
          groups: await reader.list(operatorGroups, { namespace: key.namespace ?? "" }),
          missing: await missingSteps(plan, reader, surroundings, signal),
        };
      },
      plan: (world, { now }) => planInstallPlan(world, now),
      apply: (key, action, context) => applyInstallPlan(key, action, context, surroundings),
    },
  });
}

async function applyInstallPlan(
  key: ObjectKey,
  action: InstallPlanAction,
  context: ApplyContext,
  surroundings: Surroundings,
): Promise<void> {
  switch (action.kind) {
    case "retry":
      throw new UnfinishedPassError(action.message);
    case "status":
      return writeStatus(key, action.status, context);
    case "execute":
      return execute(key, action.status, context, surroundings);
    case "repair":
      return repair(key, action.steps, context, surroundings);
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

/** Steps whose object somebody took away, for operators of the plan that wait for a requirement. */
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
): Promise<void> {
  const plan = await context.reader.get(installPlans, key);
  if (plan === undefined) return;
  const fresh = steps.map((step): Step => ({ ...step, status: "Unknown" }));
  const outcome = await run(plan, fresh, context, surroundings);
  if (outcome.failure !== undefined) throw new UnfinishedPassError(outcome.failure.message);
}

async function run(
  plan: InstallPlan,
  steps: readonly Step[],
  context: ApplyContext,
  { client, discovery, content, compat }: Surroundings,
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
      scoped: scoped.value,
      lookUp: (kind) => discovery.lookUp(kind, signal),
      ...(compat.keepsUpstream("reserved-groups")
        ? {}
        : { refusalOf: (manifest) => reservedClaimsProblem(reservedCrds([manifest])) }),
      manifestOf: (step) => readManifest(step, namespace, content),
    },
    signal,
  );
}

async function execute(
  key: ObjectKey,
  status: InstallPlanStatus,
  context: ApplyContext,
  surroundings: Surroundings,
): Promise<void> {
  const { reader, now, events } = context;
  const plan = await reader.get(installPlans, key);
  if (plan === undefined) return;
  const outcome = await run(plan, status.plan ?? [], context, surroundings);
  for (const event of outcome.events) events.record(plan, event.type, event.reason, event.message);
  const next = afterExecution(status, outcome, now);
  await writeStatus(key, next.status, context);
  if (next.retry !== undefined) throw new UnfinishedPassError(next.retry);
}
