import type { KubeObject, ObjectKey } from "../../../apis/object.ts";
import { keyOf } from "../../../apis/object.ts";
import { customResourceDefinitions, installPlans, operatorGroups, serviceAccounts } from "../../../apis/resources.ts";
import type { InstallPlan, InstallPlanStatus } from "../../../apis/v0/install-plan.ts";
import { managedLabel } from "../../../apis/v0/labels.ts";
import type { ApplyContext, Controller } from "../../../kube/controller.ts";
import { defineController } from "../../../kube/controller.ts";
import type { CacheView } from "../../../kube/informer-cache.ts";
import { written } from "../../../kube/refusal.ts";
import { executeSteps } from "../../../rollout/execute-steps.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { readManifest } from "../bundle-manifest.ts";
import { installingWriter } from "../scoped-writer.ts";
import type { InstallPlanAction, InstallPlanWorld } from "./plan/plan-install-plan.ts";
import { afterExecution, planInstallPlan } from "./plan/plan-install-plan.ts";

const active = (plan: InstallPlan): boolean =>
  plan.status?.phase === "Installing" || plan.status?.phase === "RequiresApproval";

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
          installing: (plan) => (plan.status?.phase === "Installing" ? ["true"] : []),
        },
      }),
      watching({ type: operatorGroups, map: activeIn }),
      watching({ type: serviceAccounts, scope: { labelSelector: `${managedLabel}=true` }, map: activeIn }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        map: (_, cache) => cache.byIndex(installPlans, "installing", "true").map(keyOf),
      }),
    ],
    steps: {
      async observe(key, { reader }) {
        const plan = await reader.get(installPlans, key);
        if (plan === undefined || plan.metadata.deletionTimestamp !== undefined) return undefined;
        return { plan, groups: await reader.list(operatorGroups, { namespace: key.namespace ?? "" }) };
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
      throw new Error(action.message);
    case "status":
      return writeStatus(key, action.status, context);
    case "execute":
      return execute(key, action.status, context, surroundings);
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

async function execute(
  key: ObjectKey,
  status: InstallPlanStatus,
  context: ApplyContext,
  { client, discovery, content }: Surroundings,
): Promise<void> {
  const { reader, signal, now, events } = context;
  const plan = await reader.get(installPlans, key);
  if (plan === undefined) return;
  const groups = await reader.list(operatorGroups, { namespace: key.namespace ?? "" });
  const scoped = installingWriter(groups, context);
  if (!scoped.ok) throw new Error(scoped.problem);
  const outcome = await executeSteps(
    {
      name: key.name,
      namespace: key.namespace ?? "",
      csvNames: plan.spec.clusterServiceVersionNames,
      steps: status.plan ?? [],
    },
    {
      reader: client,
      own: context.writer,
      scoped: scoped.value,
      typeOf: (kind) => discovery.typeOf(kind, signal),
      manifestOf: (step) => readManifest(step, key.namespace ?? "", content),
    },
    signal,
  );
  for (const event of outcome.events) events.record(plan, event.type, event.reason, event.message);
  const next = afterExecution(status, outcome, now);
  await writeStatus(key, next.status, context);
  if (next.retry !== undefined) throw new Error(next.retry);
}
