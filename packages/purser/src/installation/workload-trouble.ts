import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ContainerStatus, Pod } from "@purser/kubernetes/apis/core";
import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import type { Remedy } from "../explanation/explanation.ts";
import { counted } from "../explanation/summary.ts";

/** A pod of an operator that is not ready, and why. */
export interface PodTrouble {
  readonly name: string;
  /** Absent when the trouble is the pod's own: it has no node, or it was evicted. */
  readonly container?: string;
  /** As Kubernetes names it: `CrashLoopBackOff`, `ImagePullBackOff`, `Unschedulable`. */
  readonly reason: string;
  readonly message: string;
  readonly restarts: number;
}

/** A Deployment of an operator with fewer available pods than it wants. */
export interface WorkloadTrouble {
  readonly namespace: string;
  readonly deployment: string;
  readonly available: number;
  readonly wanted: number;
  /** Message of the Deployment's condition: why it could create no pod, or that it is not available. */
  readonly message: string;
  readonly pods: readonly PodTrouble[];
}

/**
 * The Deployments that have too few available pods, with those pods that are not ready.
 * `pods`: at least all of the Deployments' namespaces.
 */
export function workloadTroubles(deployments: readonly Deployment[], pods: readonly Pod[]): readonly WorkloadTrouble[] {
  return deployments.flatMap((deployment): readonly WorkloadTrouble[] => {
    const { metadata, spec, status } = deployment;
    const wanted = spec?.replicas ?? 1;
    const available = status?.availableReplicas ?? 0;
    if (available >= wanted) return [];
    const said = (type: string, held: string): string | undefined =>
      status?.conditions?.find((condition) => condition.type === type && condition.status === held)?.message;
    return [
      {
        namespace: metadata.namespace ?? "",
        deployment: metadata.name ?? "",
        available,
        wanted,
        message: said("ReplicaFailure", "True") ?? said("Progressing", "False") ?? said("Available", "False") ?? "",
        pods: podsOf(deployment, pods).flatMap((pod) => podTrouble(pod) ?? []),
      },
    ];
  });
}

function podsOf({ metadata, spec }: Deployment, pods: readonly Pod[]): readonly Pod[] {
  if (spec === undefined) return [];
  const selector = selectorOf(spec.selector);
  if (!selector.ok) return [];
  return pods.filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      matchesSelector(selector.value, pod.metadata.labels ?? {}),
  );
}

function podTrouble({ metadata, status }: Pod): PodTrouble | undefined {
  const name = metadata.name ?? "";
  const condition = (type: string) => status?.conditions?.find((candidate) => candidate.type === type);
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of containers) {
    const trouble = containerTrouble(name, container);
    if (trouble !== undefined) return trouble;
  }
  const scheduled = condition("PodScheduled");
  if (scheduled?.status === "False")
    return {
      name,
      reason: scheduled.reason ?? "Unschedulable",
      message: scheduled.message ?? "",
      restarts: 0,
    };
  if (status?.phase === "Failed")
    return { name, reason: status.reason ?? "Failed", message: status.message ?? "", restarts: 0 };
  const slow = status?.containerStatuses?.find(({ ready, state }) => !ready && state?.running !== undefined);
  if (slow !== undefined)
    return {
      name,
      container: slow.name,
      reason: "NotReady",
      message: condition("Ready")?.message ?? "its readiness probe does not pass",
      restarts: slow.restartCount,
    };
  if (condition("Ready")?.status === "True") return undefined;
  return { name, reason: status?.phase ?? "Pending", message: "", restarts: 0 };
}

/** Reasons of containers that are starting, which are not reported. */
const starting: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

function containerTrouble(pod: string, status: ContainerStatus): PodTrouble | undefined {
  const { name, state, restartCount: restarts } = status;
  const { waiting, terminated } = state ?? {};
  if (waiting?.reason !== undefined && !starting.has(waiting.reason))
    return { name: pod, container: name, reason: waiting.reason, message: waiting.message ?? "", restarts };
  if (terminated === undefined || terminated.exitCode === 0) return undefined;
  return {
    name: pod,
    container: name,
    reason: terminated.reason ?? "Error",
    message: terminated.message ?? `it ended with exit code ${terminated.exitCode}`,
    restarts,
  };
}

/** `Pod etcd-7d-x, container manager: CrashLoopBackOff after 3 restarts, back-off 40s restarting failed container`. */
export function podSentence({ name, container, reason, message, restarts }: PodTrouble): string {
  const who = container === undefined ? `Pod ${name}` : `Pod ${name}, container ${container}`;
  const often = restarts === 0 ? "" : ` after ${counted(restarts, "restart")}`;
  return `${who}: ${reason}${often}${message === "" ? "" : `, ${message.split("\n")[0]}`}`;
}

/** Commands that show more details; the repair of the pod depends on them. */
export function troubleRemedies({ namespace, deployment, pods }: WorkloadTrouble): readonly Remedy[] {
  const [pod] = pods;
  if (pod === undefined)
    return [
      {
        summary: "Look at why no pod is made",
        command: `kubectl -n ${namespace} describe deployment ${deployment}`,
      },
    ];
  const describe = `kubectl -n ${namespace} describe pod ${pod.name}`;
  if (pod.container === undefined) return [{ summary: "Look at what keeps the pod from a node", command: describe }];
  if (/image/i.test(pod.reason))
    return [{ summary: "Look at which image cannot be pulled, and why", command: describe }];
  if (pod.reason.startsWith("Create"))
    return [{ summary: "Look at what the container refers to and cannot have", command: describe }];
  const previous = pod.restarts > 0 && pod.reason !== "NotReady" ? " --previous" : "";
  return [
    {
      summary: previous === "" ? "Read what the container says" : "Read what the container said before it ended",
      command: `kubectl -n ${namespace} logs ${pod.name} -c ${pod.container}${previous}`,
    },
  ];
}
