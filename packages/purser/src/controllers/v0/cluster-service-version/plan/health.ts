import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterServiceVersionPhase } from "../../../../apis/v0/cluster-service-version.ts";
import { checkDeployments } from "../../../../rollout/plan/strategy/deployment-health.ts";
import { checkWebhooks } from "../../../../rollout/plan/strategy/webhook-health.ts";
import type { PhaseChange, PhaseReason } from "./phase-status.ts";
import type { CsvWorld } from "./world.ts";

export interface Health {
  readonly change: PhaseChange;
  readonly healthy: boolean;
  /** A Deployment of the strategy does not exist. */
  readonly isMissing?: boolean;
  /** What an earlier return to the same phase must share with this one to count as the same attempt (`returnPauseMs`). */
  readonly repeats: "reason" | "message";
  /** Webhook configurations of the CSV that none of its descriptions asks for. */
  readonly stale: ReturnType<typeof checkWebhooks>["stale"];
}

/** The phase and reason of an unhealthy CSV, which depend on its current phase. */
export interface Requeue {
  readonly phase: ClusterServiceVersionPhase;
  readonly reason: PhaseReason;
}

/** Checks Deployments, owned APIServices and webhooks; the first fault decides. */
export function evaluateHealth(world: CsvWorld, requeue: Requeue): Health {
  const deployments = checkDeployments(
    world.strategy,
    world.compat.keepsUpstream("deployment-edits") ? "kept" : "repaired",
  );
  const webhooks = checkWebhooks(world.strategy);
  const to = (change: PhaseChange, repeats: Health["repeats"] = "reason"): Health => ({
    change,
    healthy: false,
    repeats,
    stale: webhooks.stale,
  });
  const back = (message: string): Health => to({ ...requeue, message });
  if (deployments.kind === "timeout" || deployments.kind === "invalidStrategy")
    return to({ phase: "Failed", reason: "InstallCheckFailed", message: `install failed: ${deployments.message}` });
  if (!apiServicesAvailable(world)) return back("apiServices not installed");
  switch (webhooks.health.kind) {
    case "error":
      return to({
        phase: "InstallReady",
        reason: requeue.reason,
        message: `Webhook install failed: ${webhooks.health.message}`,
      });
    case "unavailable":
      return back("webhooks not installed");
    case "available":
      break;
  }
  switch (deployments.kind) {
    case "healthy":
      return {
        change: {
          phase: "Succeeded",
          reason: "InstallSucceeded",
          message: "install strategy completed with no errors",
        },
        healthy: true,
        repeats: "reason",
        stale: webhooks.stale,
      };
    case "deploymentUpdated":
    case "annotationsMissing":
      return to({ phase: "InstallReady", reason: requeue.reason, message: `installing: ${deployments.message}` });
    case "configurationChanged":
      return to(
        { phase: "InstallReady", reason: requeue.reason, message: `installing: ${deployments.message}` },
        "message",
      );
    case "componentMissing":
      return { ...back(`installing: ${deployments.message}`), isMissing: true };
    case "waiting":
      return back(`installing: ${deployments.message}`);
  }
}

function apiServicesAvailable({ csv, strategy, servedApis }: CsvWorld): boolean {
  return (csv.spec.apiservicedefinitions?.owned ?? []).every(({ version, group, kind }) => {
    const service = strategy.apiServices.get(`${version}.${group}`);
    return (
      findCondition(service?.status?.conditions, "Available")?.status === "True" &&
      servedApis.has(`${group}/${version}/${kind}`)
    );
  });
}
