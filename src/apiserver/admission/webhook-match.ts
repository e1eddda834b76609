import type { RuleWithOperations, ValidatingWebhook } from "../../apis/admissionregistration.ts";
import type { KubeObject } from "../../apis/object.ts";
import { matchesSelector, selectorOf } from "../../apis/selector.ts";
import type { LabelSelector } from "../../apis/selector.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { AdmissionRequest } from "./admission.ts";

/** The kind in the version that the rule speaks of: webhooks are sent that one. */
export type RuleMatch = ServedKind;

function covers(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(value));
}

function coversResource(list: readonly string[] | undefined, plural: string, subresource: string): boolean {
  return (list ?? []).some((entry) => {
    const [resource = "", sub = ""] = entry.split("/");
    if (entry === "*") return subresource === "";
    if (resource !== "*" && resource !== plural) return false;
    return sub === "*" || sub === subresource;
  });
}

function ruleCovers(rule: RuleWithOperations, kind: ServedKind, { operation, subresource }: AdmissionRequest): boolean {
  const { group, version, plural, namespaced } = kind.type;
  const scope = rule.scope ?? "*";
  return (
    covers(rule.operations, operation) &&
    covers(rule.apiGroups, group) &&
    covers(rule.apiVersions, version) &&
    coversResource(rule.resources, plural, subresource) &&
    (scope === "*" || (scope === "Namespaced") === namespaced)
  );
}

/** The kind a webhook wants to see for this request; undefined when none of its rules covers it. */
export function matchRules(
  machinery: Machinery,
  hook: ValidatingWebhook,
  request: AdmissionRequest,
): RuleMatch | undefined {
  const rules = hook.rules ?? [];
  if (rules.some((rule) => ruleCovers(rule, request.kind, request))) return request.kind;
  if ((hook.matchPolicy ?? "Equivalent") === "Exact") return undefined;
  const group = machinery.registry().group(request.kind.type.group);
  for (const { kinds } of group?.versions ?? [])
    for (const kind of kinds)
      if (
        kind.table === request.kind.table &&
        kind !== request.kind &&
        rules.some((rule) => ruleCovers(rule, kind, request))
      )
        return kind;
  return undefined;
}

function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector === undefined) return true;
  const compiled = selectorOf(selector);
  return compiled.ok && matchesSelector(compiled.value, labels);
}

/** Whether namespace and object are ones that the webhook wants to hear of. */
export function matchSelectors(
  { storage }: Machinery,
  hook: ValidatingWebhook,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): boolean {
  const wantsObject = [object, old].some(
    (candidate) => candidate !== undefined && selects(hook.objectSelector, candidate.metadata.labels),
  );
  if (!wantsObject) return false;
  if (request.kind.table === "namespaces") return selects(hook.namespaceSelector, (object ?? old)?.metadata.labels);
  if (request.namespace === undefined) return true;
  return selects(hook.namespaceSelector, storage.get("namespaces", request.namespace)?.metadata.labels);
}

const never: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
]);

/** Webhooks are never asked about themselves, nor about reviews. */
export function isExempt(kind: ServedKind): boolean {
  return never.has(kind.table) || !kind.stored;
}
