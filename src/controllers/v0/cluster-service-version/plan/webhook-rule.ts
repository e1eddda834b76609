import type { WebhookDescription } from "../../../../apis/v0/cluster-service-version.ts";

const webhookResources = [
  "*",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
];

/** Why a CSV's webhooks cannot be registered, in upstream's words. The plural resource names count too, which upstream overlooks. */
export function webhookProblem(descriptions: readonly WebhookDescription[]): string | undefined {
  if (new Set(descriptions.map(({ generateName }) => generateName)).size !== descriptions.length)
    return "CSV contains repeated WebhookDescription name";
  for (const { apiGroups = [], resources = [] } of descriptions.flatMap(({ rules = [] }) => rules)) {
    if (apiGroups.includes("*")) return "webhook rules cannot include all groups";
    if (apiGroups.includes("operators.coreos.com")) return "webhook rules cannot include the OLM group";
    if (
      apiGroups.includes("admissionregistration.k8s.io") &&
      resources.some((resource) => webhookResources.includes(resource))
    )
      return "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources";
  }
  return undefined;
}
