import type { RuleWithOperations } from "@purser/kubernetes/apis/admissionregistration";
import type { Compat } from "../../../../compat.ts";
import type { WebhookDescription } from "../../../../apis/v0/cluster-service-version.ts";

const webhookResources = ["*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
/** The plural names that rules use for these kinds, which OLM does not check. */
const pluralResources = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];

/** Why a CSV's webhooks cannot be registered, as OLM's text; `--compat=webhook-rules` omits the checks that OLM does not have. */
export function webhookProblem(descriptions: readonly WebhookDescription[], compat: Compat): string | undefined {
  const refused = compat.keepsUpstream("webhook-rules") ? webhookResources : [...webhookResources, ...pluralResources];
  const seen = new Set<string>();
  for (const { generateName, rules = [] } of descriptions) {
    if (seen.has(generateName)) return "CSV contains repeated WebhookDescription name";
    seen.add(generateName);
    const problem = rules.map((rule) => ruleProblem(rule, refused)).find((text) => text !== undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ruleProblem(
  { apiGroups = [], resources = [] }: RuleWithOperations,
  refused: readonly string[],
): string | undefined {
  if (apiGroups.includes("*")) return "webhook rules cannot include all groups";
  if (apiGroups.includes("operators.coreos.com")) return "webhook rules cannot include the OLM group";
  if (apiGroups.includes("admissionregistration.k8s.io") && resources.some((resource) => refused.includes(resource)))
    return "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources";
  return undefined;
}
