import type { RuleWithOperations } from "@purser/kubernetes/apis/admissionregistration";
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
  const seen = new Set<string>();
  for (const { generateName, rules = [] } of descriptions) {
    if (seen.has(generateName)) return "CSV contains repeated WebhookDescription name";
    seen.add(generateName);
    const problem = rules.map(ruleProblem).find((text) => text !== undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ruleProblem({ apiGroups = [], resources = [] }: RuleWithOperations): string | undefined {
  if (apiGroups.includes("*")) return "webhook rules cannot include all groups";
  if (apiGroups.includes("operators.coreos.com")) return "webhook rules cannot include the OLM group";
  if (
    apiGroups.includes("admissionregistration.k8s.io") &&
    resources.some((resource) => webhookResources.includes(resource))
  )
    return "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources";
  return undefined;
}
