import type { KubeObject } from "@purser/kubernetes/apis/object";

interface Judged extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

/** What kstatus (`sigs.k8s.io/cli-utils/pkg/kstatus`, `checkGenericProperties` and `checkReadyCondition`) says of a custom resource. */
export function kstatusOf(object: KubeObject): "Terminating" | "InProgress" | "Failed" | "Current" {
  const { metadata, status = {} } = object as Judged;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const is = (type: string): string | undefined =>
    status.conditions?.find((condition) => condition.type === type)?.status;
  if (is("Reconciling") === "True") return "InProgress";
  if (is("Stalled") === "True") return "Failed";
  if (status.observedGeneration !== undefined && status.observedGeneration !== metadata.generation) return "InProgress";
  const ready = is("Ready");
  return ready === undefined || ready === "True" ? "Current" : "InProgress";
}
