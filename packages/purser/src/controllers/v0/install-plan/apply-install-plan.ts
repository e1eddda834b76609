import type { ObjectKey } from "@purser/kubernetes/apis/object";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import type { InstallPlan, Step } from "../../../apis/v0/install-plan.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import { reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { InTurn } from "../../../turns-by-name.ts";
import { executeSteps } from "../../../rollout/execute-steps.ts";
import { done, type Result } from "@purser/kubernetes/result";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { installingWriter } from "../scoped-writer.ts";
import type { ExecutionOutcome } from "../../../rollout/plan/execution-outcome.ts";
import type { InstallPlanOutcome } from "./plan/after-apply.ts";
import type { InstallPlanAction } from "./plan/plan-install-plan.ts";
import { installerAccount } from "../plan/installer-account.ts";
import { withInstallPlanReadiness } from "../plan/install-plan-readiness.ts";
import { missingRights } from "./missing-rights.ts";
import { createdWith } from "./created-with.ts";
import type { ReferencedBundles } from "./referenced-bundles.ts";

/** What steps are read from beside the cluster's objects. */
export interface StepReads {
  readonly bundles: ReferencedBundles;
  /** Definitions that were written and may not be served yet: every change of any definition starts a pass that looks at them. */
  readonly waiting: ObjectReader;
  readonly definitions: InTurn;
}

/** Whether the cache shows the CSV, or a plan that will create it. */
function isInstalled({ namespace, name }: ObjectKey, cache: CacheView): boolean {
  const held = cache.cached(clusterServiceVersions, { namespace: namespace ?? "", name });
  if (held !== undefined) return held.metadata.labels?.[copiedFromLabel] === undefined;
  return cache
    .byIndex(installPlans, "active", namespace ?? "")
    .some(({ spec, status }) => status?.phase === "Installing" && spec.clusterServiceVersionNames.includes(name));
}

/** Carries out an action; what the next decision needs of it. */
export async function applyInstallPlan(
  plan: InstallPlan,
  action: InstallPlanAction,
  context: ApplyContext,
  surroundings: Surroundings,
  reads: StepReads,
): Promise<InstallPlanOutcome | undefined> {
  const { writer, events, signal } = context;
  switch (action.kind) {
    case "status": {
      for (const { type, reason, message, fieldPath } of action.events ?? [])
        events.record(plan, type, reason, message, fieldPath);
      const warned = action.events?.filter(({ reason }) => reason === "AppliedWithWarnings").length ?? 0;
      if (warned > 0) surroundings.metrics.add("installplan_warnings_total", {}, warned);
      const status = withInstallPlanReadiness(plan, action.status, context.now);
      writtenUnlessDeleted(await writer.write(replaceStatus(installPlans, plan, status), signal));
      return undefined;
    }
    case "execute": {
      const outcome = await execute(plan, action, context, surroundings, reads);
      return outcome.ok ? { kind: "executed", ...outcome.value } : { kind: "noAccount", message: outcome.problem };
    }
    case "repair":
    case "restore": {
      const steps = action.steps.map((step): Step => ({ ...step, status: "Unknown" }));
      const outcome = await execute(plan, { steps, leftOut: new Set() }, context, surroundings, reads);
      const kind = action.kind === "repair" ? "repaired" : "restored";
      return outcome.ok ? { kind, ...outcome.value } : { kind: "noAccount", message: outcome.problem };
    }
    case "write": {
      writtenUnlessDeleted(await writer.write(action.write, signal));
      return undefined;
    }
  }
}

/** The problem is why the account that installs cannot be used. */
async function execute(
  plan: InstallPlan,
  { steps, leftOut }: Pick<Extract<InstallPlanAction, { readonly kind: "execute" }>, "steps" | "leftOut">,
  context: ApplyContext,
  { client, discovery, compat, globalNamespace }: Surroundings,
  { bundles, waiting, definitions }: StepReads,
): Promise<Result<ExecutionOutcome, string>> {
  const { reader, signal } = context;
  const { name = "", namespace = "" } = plan.metadata;
  const groups = await reader.list(operatorGroups, { namespace });
  const scoped = installingWriter(groups, context);
  if (!scoped.ok) return scoped;
  const world = { namespace, groups, subscriptions: await reader.list(subscriptions, { namespace }) };
  const executed = await executeSteps(
    { name, namespace, csvNames: plan.spec.clusterServiceVersionNames, steps, leftOut },
    {
      reader: client,
      waiting,
      isInstalled: (csv) => isInstalled(csv, context.cache),
      inTurn: definitions,
      own: context.writer,
      compat,
      scoped: scoped.value,
      lookUp: (kind) => discovery.lookUp(kind, signal),
      serves: (apiVersion) => discovery.serves(apiVersion),
      ...(compat.keepsUpstream("reserved-groups")
        ? {}
        : { refusalOf: (manifest) => reservedClaimsProblem(reservedCrds([manifest])) }),
      manifestOf: (step) => bundles.manifest(step),
      createdWith: (step, type, object) => createdWith(world, step, type, object),
      globalNamespace,
      ...(compat.keepsUpstream("copied-secrets")
        ? {}
        : {
            // Who may write an InstallPlan's status must not read every Secret of the global namespace by it.
            mayCopySecret: async (secret) =>
              (await reader.list(catalogSources, { namespace: globalNamespace })).some(
                ({ spec }) => spec.secrets?.includes(secret) === true,
              ),
          }),
    },
    signal,
  );
  const account = installerAccount(groups);
  if (executed.failure?.forbidden !== true || !account.ok || account.value === undefined) return done(executed);
  const ports = { writer: scoped.value, manifestOf: (step: Step) => bundles.manifest(step) };
  const missing = await missingRights(account.value, plan.status?.plan ?? [], ports, signal);
  const { failure } = executed;
  return done(
    missing === undefined
      ? executed
      : { ...executed, failure: { ...failure, message: `${failure.message}\n${missing}` } },
  );
}
