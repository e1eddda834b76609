import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Progress } from "@purser/kubernetes/kube/plan";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";

/** How far a ClusterServiceVersion is, by its phase; one that is being replaced has reached its end. */
export function csvProgress(object: KubeObject): Progress {
  const { phase: state = "", message = "" } = (object as ClusterServiceVersion).status ?? {};
  switch (state) {
    case "Succeeded":
    case "Replacing":
    case "Deleting":
      return { kind: "done", state };
    case "Failed":
      return { kind: "failed", state, message };
    case "":
    case "Unknown":
    case "Pending":
    case "InstallReady":
    case "Installing":
      return { kind: "working", state };
  }
}

/** How far an InstallPlan is, by its phase; one that waits for approval is on its way. */
export function installPlanProgress(object: KubeObject): Progress {
  const { phase: state = "", message = "" } = (object as InstallPlan).status ?? {};
  switch (state) {
    case "Complete":
      return { kind: "done", state };
    case "Failed":
      return { kind: "failed", state, message };
    case "":
    case "Planning":
    case "RequiresApproval":
    case "Installing":
      return { kind: "working", state };
  }
}

/** How far a ClusterExtension or a ClusterObjectSet is, by its conditions Ready, Reconciling and Stalled. */
export function readinessProgress(object: KubeObject): Progress {
  const { conditions } = (object as ClusterExtension | ClusterObjectSet).status ?? {};
  const [stalled, reconciling, ready] = ["Stalled", "Reconciling", "Ready"].map((type) =>
    findCondition(conditions, type),
  );
  const isCurrent = ready?.observedGeneration === undefined || ready.observedGeneration === object.metadata.generation;
  if (!isCurrent || reconciling?.status === "True") return { kind: "working", state: reconciling?.reason ?? "" };
  if (stalled?.status === "True") return { kind: "failed", state: stalled.reason, message: stalled.message };
  return ready === undefined ? { kind: "working", state: "" } : { kind: "done", state: ready.reason };
}
