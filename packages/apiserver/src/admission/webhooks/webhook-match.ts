import type { RuleWithOperations } from "@purser/kubernetes/apis/admissionregistration";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { internalError, notFound } from "../../request/refusal.ts";
import type { AdmissionRequest } from "../admission.ts";

/** A rule of a webhook or a policy. */
export interface MatchRule extends RuleWithOperations {
  /** In policies only; empty for any name. */
  readonly resourceNames?: readonly string[];
}

export interface MatchSelectors {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

function covers(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(value));
}

function coversResource(list: readonly string[] | undefined, plural: string, subresource: string): boolean {
  return (list ?? []).some((entry) => {
    const [resource = "", sub = ""] = entry.split("/");
    if (resource !== "*" && resource !== plural) return false;
    return sub === "*" || sub === subresource;
  });
}

function ruleCovers(rule: MatchRule, kind: ServedKind, { operation, subresource, name }: AdmissionRequest): boolean {
  const { group, version, plural, namespaced } = kind.type;
  const { scope = "*", resourceNames = [] } = rule;
  return (
    covers(rule.operations, operation) &&
    covers(rule.apiGroups, group) &&
    covers(rule.apiVersions, version) &&
    coversResource(rule.resources, plural, subresource) &&
    (scope === "*" || (scope === "Namespaced") === namespaced) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

/** The other versions and groups in which objects of the kind are served. */
function equivalentsOf(machinery: Machinery, kind: ServedKind, subresource: string): readonly ServedKind[] {
  return machinery
    .registry()
    .inTable(kind.table)
    .filter(
      (other) => other !== kind && (subresource === "" || other.subresources.some(({ name }) => name === subresource)),
    );
}

/**
 * The kind in the version of the matching rule; undefined when no rule matches. Rules for other versions match only
 * with matchPolicy `Equivalent`.
 */
export function matchRules(
  machinery: Machinery,
  { rules = [], matchPolicy = "Equivalent" }: { readonly rules?: readonly MatchRule[]; readonly matchPolicy?: string },
  request: AdmissionRequest,
): ServedKind | undefined {
  if (rules.some((rule) => ruleCovers(rule, request.kind, request))) return request.kind;
  if (matchPolicy === "Exact" || rules.length === 0) return undefined;
  const equivalents = equivalentsOf(machinery, request.kind, request.subresource);
  for (const rule of rules) {
    const found = equivalents.find((kind) => ruleCovers(rule, kind, request));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/**
 * Whether namespaceSelector and objectSelector match. Fails when a selector is invalid or the namespace does not exist.
 */
export function matchSelectors(
  machinery: Machinery,
  { namespaceSelector, objectSelector }: MatchSelectors,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<boolean, ApiStatus> {
  const inNamespace = matchNamespace(machinery, namespaceSelector, request, object);
  if (!inNamespace.ok || !inNamespace.value) return inNamespace;
  if (isEmpty(objectSelector)) return done(true);
  const selector = selectorOf(objectSelector ?? {});
  if (!selector.ok) return internalError(selector.problem.message);
  return done(
    [object, old].some(
      (candidate) => candidate !== undefined && matchesSelector(selector.value, candidate.metadata.labels),
    ),
  );
}

function matchNamespace(
  { storage }: Machinery,
  namespaceSelector: LabelSelector | undefined,
  { kind, namespace, name, operation, subresource }: AdmissionRequest,
  object: KubeObject | undefined,
): Result<boolean, ApiStatus> {
  const isNamespace = kind.table === "namespaces";
  // namespaceSelector does not apply to cluster-scoped objects other than namespaces.
  if (isEmpty(namespaceSelector) || (namespace === undefined && !isNamespace)) return done(true);
  const selector = selectorOf(namespaceSelector ?? {});
  if (!selector.ok) return internalError(selector.problem.message);
  if (isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE"))
    return done(matchesSelector(selector.value, object?.metadata.labels));
  const found = storage.get("namespaces", namespace ?? name);
  if (found === undefined) return notFound(namespaces, namespace ?? name);
  return done(matchesSelector(selector.value, found.metadata.labels));
}

const never: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
]);

/** Admission configurations and reviews are exempt from webhooks and policies. */
export function isExempt(kind: ServedKind): boolean {
  return never.has(kind.table) || !kind.stored;
}
