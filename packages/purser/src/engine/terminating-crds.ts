import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";

const pauseMs = 500;

/** Those of the definitions that exist and are being deleted, as the cluster has them. */
export async function terminating(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
): Promise<readonly CustomResourceDefinition[]> {
  const live = await Promise.all(
    definitions.map(({ metadata: { name = "" } }) => client.get(customResourceDefinitions, { name })),
  );
  return live.flatMap((crd) => (crd?.metadata.deletionTimestamp === undefined ? [] : [crd]));
}

/**
 * Waits until none of these definitions is being deleted: until then the API server refuses new objects of their kinds, and what is applied is deleted
 * with the old definition. Logs which ones are waited for, and why they remain, each time that changes.
 */
export async function untilNoneTerminates(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  let reported = "";
  for (;;) {
    const leaving = await terminating(client, definitions);
    if (leaving.length === 0) return;
    const text = leaving.map(described).join("; ");
    if (text !== reported) log("warn", "Waiting for the deletion of CustomResourceDefinitions", { definitions: text });
    reported = text;
    await clock.sleep(pauseMs, signal);
  }
}

function described({ metadata: { name = "", finalizers = [] }, status }: CustomResourceDefinition): string {
  const why = findCondition(status?.conditions, "Terminating")?.message ?? `finalizers ${finalizers.join(", ")}`;
  return `${name} (${why})`;
}
