import type { MutatingWebhookConfiguration } from "@purser/kubernetes/apis/admissionregistration";
import type { WebhookClientConfig } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { namespaced } from "@purser/kubernetes/apis/resources";
import {
  mutatingWebhookConfigurations,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { parseCertificate } from "@purser/kubernetes/certificate/read-certificate";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../apis/v0/labels.ts";
import { ownerKindLabel as extensionKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";
import { fromBase64 } from "../../rollout/stored-certificate.ts";
import type { ObservedAddress, ObservedWebhook } from "./plan/doctor-world.ts";

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[];
}
const endpointSlices = namespaced<EndpointSlice>("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices");

/** The admission webhooks of a cluster, with whether their Service can answer. */
export async function observeWebhooks(client: KubeClient): Promise<readonly ObservedWebhook[]> {
  const found = await Promise.all(
    [validatingWebhookConfigurations, mutatingWebhookConfigurations].map(async (type) => {
      const configurations: readonly MutatingWebhookConfiguration[] = await client.list(type);
      return configurations.map((one) => observed(client, type.kind, one));
    }),
  );
  return (await Promise.all(found.flat())).flat();
}

function observed(
  client: KubeClient,
  kind: string,
  { metadata, webhooks = [] }: MutatingWebhookConfiguration,
): Promise<readonly ObservedWebhook[]> {
  const installation = installationOf(metadata.labels ?? {});
  return Promise.all(
    webhooks.map(async ({ name, clientConfig, rules = [], failurePolicy }) => {
      return {
        object: `${kind} ${metadata.name}`,
        name,
        groups: [...new Set(rules.flatMap(({ apiGroups = [] }) => apiGroups))],
        failsOpen: failurePolicy === "Ignore",
        isOperators: installation !== undefined,
        ...(installation === undefined ? {} : { installation }),
        ...(await observedAddress(client, clientConfig)),
      };
    }),
  );
}

/** Whether what serves a webhook can answer, and whether its certificate can be verified. */
export async function observedAddress(
  client: KubeClient,
  { service, caBundle = "" }: WebhookClientConfig,
): Promise<ObservedAddress> {
  const read = parseCertificate(fromBase64(caBundle) ?? "");
  const authority =
    caBundle === ""
      ? { kind: "absent" as const }
      : read.ok
        ? { kind: "present" as const, notAfter: Date.parse(read.value.validTo) }
        : { kind: "unreadable" as const };
  if (service === undefined) return { authority };
  return { service: { ...service, state: await stateOf(client, service) }, authority };
}

function installationOf(labels: Readonly<Record<string, string>>): string | undefined {
  if (labels[ownerKindLabel] === "ClusterServiceVersion")
    return `csv/${labels[ownerNamespaceLabel] ?? ""}/${labels[ownerLabel] ?? ""}`;
  return labels[extensionKindLabel] === "ClusterExtension" ? `ext/${labels[ownerNameLabel] ?? ""}` : undefined;
}

/** A Service without a selector is answered from elsewhere, and one without EndpointSlices is not looked at. */
async function stateOf(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<NonNullable<ObservedWebhook["service"]>["state"]> {
  if ((await client.get(services, { namespace, name })) === undefined) return "missing";
  const slices = await client.list(endpointSlices, {
    namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
  });
  const isReady = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .some(({ conditions }) => conditions?.ready !== false);
  return slices.length === 0 || isReady ? "ready" : "notReady";
}
