import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Pod } from "@purser/kubernetes/apis/core";
import { deployments, namespaces, pods } from "@purser/kubernetes/apis/resources";
import { ownerLabel } from "../../apis/v0/labels.ts";
import { ownerKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";
import { resultAnnotation } from "@purser/apiserver/simulation";
import { type Remedy, remedyWords } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { WorkloadTrouble } from "../../installation/workload-trouble.ts";
import { podSentence, troubleRemedies, workloadTroubles } from "../../installation/workload-trouble.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";

/** A Deployment of an installation that has too few available pods, with remedies. */
export type SickWorkload = WorkloadTrouble & { readonly remedies: readonly Remedy[] };

/** The Deployments of an installation, with those of the version that is being installed. */
export async function readDeployments(
  client: KubeClient,
  { api, namespace = "", name, bundle, target }: Omit<Installation, "state">,
): Promise<readonly Deployment[]> {
  if (api === "v1")
    return client.list(deployments, {
      labelSelector: `${ownerKindLabel}=ClusterExtension,${ownerNameLabel}=${name}`,
    });
  const found = new Map<string, Deployment>();
  for (const csv of new Set([bundle, target]))
    if (csv !== undefined)
      for (const one of await client.list(deployments, { namespace, labelSelector: `${ownerLabel}=${csv}` }))
        found.set(one.metadata.name ?? "", one);
  return [...found.values()];
}

/** Those of the Deployments that are not available, with their pods and remedies. */
export async function readSickWorkloads(
  client: KubeClient,
  owned: readonly Deployment[],
): Promise<readonly SickWorkload[]> {
  if (workloadTroubles(owned, []).length === 0) return [];
  const where = [...new Set(owned.map(({ metadata }) => metadata.namespace ?? ""))];
  const found = (await Promise.all(where.map((namespace) => client.list(pods, { namespace })))).flat();
  return Promise.all(
    workloadTroubles(owned, found).map(async (trouble) => ({
      ...trouble,
      remedies: (await requestedFailureRemedies(client, trouble, found)) ?? troubleRemedies(trouble),
    })),
  );
}

/**
 * The remedies for pods of an embedded cluster that fail because an annotation requests it, which no log shows;
 * undefined when there is no such annotation.
 */
async function requestedFailureRemedies(
  client: KubeClient,
  { namespace, pods: sick }: WorkloadTrouble,
  found: readonly Pod[],
): Promise<readonly Remedy[] | undefined> {
  const [first] = sick;
  const pod = found.find(({ metadata }) => metadata.namespace === namespace && metadata.name === first?.name);
  const onPod = pod?.metadata.annotations?.[resultAnnotation];
  if (onPod !== undefined)
    return [
      {
        summary: `The pod or its template requests the failure with the annotation ${resultAnnotation}=${onPod}: remove it`,
      },
    ];
  const held = await client.get(namespaces, { name: namespace });
  const onNamespace = held?.metadata.annotations?.[resultAnnotation];
  if (onNamespace === undefined) return undefined;
  return [
    {
      summary: `The namespace requests the failure with the annotation ${resultAnnotation}=${onNamespace}: remove it`,
      command: `kubectl annotate namespace ${namespace} ${resultAnnotation}-`,
    },
  ];
}

/** As {@link readSickWorkloads}, of one installation; empty where the caller may not look. */
export async function sickWorkloadsOf(
  client: KubeClient,
  installation: Installation,
): Promise<readonly SickWorkload[]> {
  try {
    return await readSickWorkloads(client, await readDeployments(client, installation));
  } catch (error) {
    // A decision does not require the right to read pods: it is printed without them.
    if (error instanceof ApiRefusedError && error.refusal.kind === "forbidden") return [];
    throw error;
  }
}

/** For each Deployment a line `Deployment ns/manager: 0 of 1 available`, then its pods and the remedies. */
export function sickWorkloadLines(sick: readonly SickWorkload[]): readonly string[] {
  return sick.flatMap(({ namespace, deployment, available, wanted, message, pods: broken, remedies }) => [
    `Deployment ${namespace}/${deployment}: ${available} of ${wanted} available${broken.length === 0 && message !== "" ? `, ${message}` : ""}`,
    ...broken.slice(0, 3).map((pod) => `  ${podSentence(pod)}`),
    ...(broken.length > 3 ? [`  and ${broken.length - 3} more pods`] : []),
    ...remedyLines(remedies),
  ]);
}

/** For each remedy a line `fix: SUMMARY`, with its command on the next line. */
export function remedyLines(remedies: readonly Remedy[]): readonly string[] {
  return remedies.flatMap((remedy) => [
    `fix: ${remedyWords(remedy)}`,
    ...(remedy.command === undefined ? [] : [`     ${remedy.command}`]),
  ]);
}
