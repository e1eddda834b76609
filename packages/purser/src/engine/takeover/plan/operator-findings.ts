import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { csvCleanupFinalizer } from "../../../apis/v0/labels.ts";
import type { CsvWorld } from "../../../controllers/v0/cluster-service-version/plan/world.ts";
import { planCsv } from "../../../controllers/v0/cluster-service-version/plan/plan-csv.ts";
import type { PhaseChange } from "../../../controllers/v0/cluster-service-version/plan/phase-status.ts";
import { desiredDeployment, strategyDeployments } from "../../../rollout/plan/strategy/csv-deployment.ts";
import { isInstalled } from "../../../rollout/plan/strategy/deployment-edits.ts";
import { trustedAuthorityHash } from "../../../rollout/plan/strategy/serving-authority.ts";
import type { StrategyWorld } from "../../../rollout/plan/strategy/strategy-world.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import type { TakeoverWorld } from "./takeover-world.ts";

/** What the first pass over each CSV would do, and which Deployments an install that follows would change. */
export function operatorFindings({ csvWorlds }: TakeoverWorld, now: number): readonly TakeoverFinding[] {
  return csvWorlds.flatMap((world) => findingsOf(withInstalledCsv(world), now));
}

/**
 * With the CSV as the installed one of the Subscription that installs it, which OLM may not have recorded yet when it was
 * stopped: the Subscription's configuration counts from then on.
 */
function withInstalledCsv(world: CsvWorld): CsvWorld {
  const { name } = world.csv.metadata;
  const subscriptions = world.strategy.subscriptions.map((subscription) =>
    name !== undefined && subscription.status?.currentCSV === name
      ? { ...subscription, status: { ...subscription.status, installedCSV: name } }
      : subscription,
  );
  return { ...world, strategy: { ...world.strategy, subscriptions } };
}

function findingsOf(world: CsvWorld, now: number): readonly TakeoverFinding[] {
  const { csv } = world;
  if (csv.metadata.deletionTimestamp !== undefined) return [];
  const { phase = "", message = "" } = csv.status ?? {};
  const object = objectText("ClusterServiceVersion", csv.metadata);
  if (phase !== "Succeeded")
    return [
      {
        code: "OperatorNotAtRest",
        severity: "note",
        object,
        summary: `is in phase ${phase === "" ? "(none)" : phase}${message === "" ? "" : `: ${message}`}; its installation continues`,
      },
    ];
  const change = nextPhase(world, now);
  if (change === undefined) return [];
  const why = `${change.reason}: ${change.message}`;
  if (change.reason === "NeedsCertRotation")
    return [
      {
        code: "CertificateRenewed",
        severity: "change",
        object,
        summary: `gets new serving certificates, so that its Deployments roll out (${why})`,
        remedy: "let OLM renew them first, or start Purser when the operator may restart",
      },
    ];
  if (!reinstalls.includes(change.phase) && change.reason !== "ComponentUnhealthy")
    return [
      { code: "OperatorChangesPhase", severity: "change", object, summary: `moves to phase ${change.phase} (${why})` },
    ];
  const restarted = restartedDeployments(world.strategy);
  if (restarted.length === 0)
    return [
      {
        code: "OperatorInstalledAnew",
        severity: "note",
        object,
        summary: `is installed again, without a restart of pods (${why})`,
      },
    ];
  return [
    {
      code: "OperatorRollsOut",
      severity: "change",
      object,
      summary: `rolls out ${restarted.map((name) => `Deployment ${name}`).join(", ")} (${why})`,
      remedy: "start Purser when the operator may restart; --compat=deployment-edits keeps edits by others",
    },
  ];
}

/** Phases that end in an install; so does a component that is missing, by way of `Failed`. */
const reinstalls: readonly string[] = ["Pending", "InstallReady", "Installing"];

/** The phase that the first pass writes; undefined when it writes none. */
function nextPhase(world: CsvWorld, now: number): PhaseChange | undefined {
  const { actions } = planCsv({ ...world, csv: withFinalizer(world.csv) }, now);
  return actions.flatMap((action) =>
    action.kind === "status" && isOf(world.csv, action.csv) ? (action.announce ?? []) : [],
  )[0];
}

const isOf = (one: ClusterServiceVersion, other: ClusterServiceVersion): boolean =>
  one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace;

/** The finalizer that the first pass would set before all else: it changes nothing for the operator. */
function withFinalizer(csv: ClusterServiceVersion): ClusterServiceVersion {
  const finalizers = csv.metadata.finalizers ?? [];
  if (finalizers.includes(csvCleanupFinalizer)) return csv;
  return { ...csv, metadata: { ...csv.metadata, finalizers: [...finalizers, csvCleanupFinalizer] } };
}

/** Names of the Deployments whose pods an install would restart, as `namespace/name`. */
function restartedDeployments(world: StrategyWorld): readonly string[] {
  const live = new Map(world.deployments.map((deployment) => [deployment.metadata.name ?? "", deployment]));
  return strategyDeployments(world).flatMap((entry) => {
    const authority = trustedAuthorityHash(world, entry.name);
    const held = live.get(entry.name);
    const isKept =
      held !== undefined && authority.ok && keepsPods(held, desiredDeployment(world, entry, authority.value).object);
    return isKept ? [] : [`${world.csv.metadata.namespace ?? ""}/${entry.name}`];
  });
}

/** Whether the install leaves the Deployment as it is, or writes it with the same pod template. */
function keepsPods(live: Deployment, wanted: JsonObject): boolean {
  if (isInstalled(live, wanted)) return true;
  const { template } = (wanted as unknown as Deployment).spec ?? {};
  if (template === undefined || !isInstalled(live, { spec: { template: template as unknown as JsonObject } }))
    return false;
  const known = Object.keys(template.metadata?.annotations ?? {});
  return Object.keys(live.spec?.template.metadata?.annotations ?? {}).every((key) => known.includes(key));
}
