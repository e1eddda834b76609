import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type FirstObject, kindOf, listMember, objectMember, textMember } from "../directory/first-object.ts";
import { goKind } from "../directory/csv-raw.ts";
import { objectsIn } from "./csv.ts";
import { type BadValue, type BundleIssue, resultOf, type ValidatorResult, valueIssue } from "./issue.ts";
import type { LoadedBundle } from "./loaded-bundle.ts";

/** Checks of objects beside the CSV that could disrupt a cluster. */
export function validateObjects({ objects }: LoadedBundle): readonly ValidatorResult[] {
  return objects.flatMap((manifest) => {
    switch (kindOf(manifest.object).kind) {
      case "PodDisruptionBudget":
        return [resultOf("", budgetIssues(manifest))];
      case "PriorityClass":
        return [resultOf("", priorityIssues(manifest))];
      case "Role":
      case "ClusterRole":
        return [resultOf("", roleIssues(manifest))];
    }
    return [];
  });
}

function refuse(rule: string, detail: string, value: BadValue, { place }: FirstObject): BundleIssue {
  return valueIssue(rule, "Error", "ObjectFailedValidation", detail, value, place);
}

function unreadable(what: string, text: string, type: string, { place }: FirstObject): BundleIssue {
  return valueIssue("object-type", "Error", "ParseError", `error unmarshaling ${what}`, { text, type }, place);
}

function budgetIssues(manifest: FirstObject): readonly BundleIssue[] {
  const { object } = manifest;
  const spec = objectMember(object, "spec");
  const [most, least] = [member(spec, "maxUnavailable") ?? null, member(spec, "minAvailable") ?? null];
  const value: BadValue = {
    type: "v1beta1.PodDisruptionBudget",
    text: `{${goHead(object)} {${amount(least)} ${member(spec, "selector") === undefined ? "nil" : "&LabelSelector{...}"} ${amount(most)} <nil>} {0 map[] 0 0 0 0 []}}`,
  };
  const issues: BundleIssue[] = [];
  // A text has no number to Go, so any percentage but 0% passes by its text alone; a text's number is 0.
  if (most !== null && (typeof most === "string" || most === 0))
    issues.push(refuse("object-budget", "maxUnavailable field cannot be set to 0 or 0%", value, manifest));
  if (least === "100%")
    issues.push(refuse("object-budget", "minAvailable field cannot be set to 100%", value, manifest));
  return issues;
}

const amount = (value: JsonValue): string => (value === null ? "<nil>" : String(value as string | number));

function priorityIssues(manifest: FirstObject): readonly BundleIssue[] {
  const { object } = manifest;
  const global = member(object, "globalDefault") ?? false;
  if (typeof global !== "boolean") {
    const text = `json: cannot unmarshal ${typeof global} into Go struct field PriorityClass.globalDefault of type bool`;
    return [unreadable("priorityclass", text, "*json.UnmarshalTypeError", manifest)];
  }
  if (!global) return [];
  const value = {
    type: "v1.PriorityClass",
    text: `{${goHead(object)} ${String((member(object, "value") as number | undefined) ?? 0)} true ${textMember(object, "description")} <nil>}`,
  };
  return [refuse("object-priority", "globalDefault field cannot be set to true", value, manifest)];
}

/** Type and metadata as Go prints them. */
export function goHead(object: JsonObject): string {
  const metadata = objectMember(object, "metadata");
  const map = (key: string): string =>
    `map[${Object.entries(objectMember(metadata, key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}:${typeof value === "string" ? value : ""}`)
      .join(" ")}]`;
  const names = ["name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"];
  const texts = names.map((key) => textMember(metadata, key)).join(" ");
  return `{${textMember(object, "kind")} ${textMember(object, "apiVersion")}} {${texts} 0 0001-01-01 00:00:00 +0000 UTC <nil> <nil> ${map("labels")} ${map("annotations")} [] [] []}`;
}

const defaultConstraints = [
  "privileged",
  "restricted",
  "anyuid",
  "hostaccess",
  "hostmount-anyuid",
  "hostnetwork",
  "node-exporter",
  "nonroot",
];

function roleIssues(manifest: FirstObject): readonly BundleIssue[] {
  const rules = member(manifest.object, "rules") ?? [];
  const kind = nameOfKind(manifest.object);
  if (!Array.isArray(rules)) {
    const text = `json: cannot unmarshal object into Go struct field ${kind}.rules of type []v1.PolicyRule`;
    return [unreadable(kind.toLowerCase(), text, "*json.UnmarshalTypeError", manifest)];
  }
  const misfit = ruleMisfit(rules as readonly JsonValue[], kind);
  if (misfit !== undefined) return [unreadable(kind.toLowerCase(), misfit, "*json.UnmarshalTypeError", manifest)];
  const held = objectsIn(manifest.object, "rules");
  const has = (rule: JsonObject, key: string, ...wanted: readonly string[]): boolean =>
    listMember(rule, key).some((item) => typeof item === "string" && wanted.includes(item));
  const value = (rule: JsonObject): BadValue => ({ text: goRule(rule), type: "v1.PolicyRule" });
  const budgets = held.filter(
    (rule) =>
      has(rule, "apiGroups", "policy") &&
      has(rule, "resources", "poddisruptionbudgets") &&
      has(rule, "verbs", "*", "create", "update", "patch"),
  );
  const constraints = held.filter(
    (rule) =>
      has(rule, "apiGroups", "security.openshift.io") &&
      has(rule, "resources", "securitycontextconstraints") &&
      has(rule, "verbs", "*", "delete", "update", "patch") &&
      has(rule, "resourceNames", ...defaultConstraints),
  );
  return [
    ...budgets.map((rule) =>
      valueIssue(
        "object-role-budgets",
        "Warning",
        "ValidationFailed",
        "RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability",
        value(rule),
        manifest.place,
      ),
    ),
    ...constraints.map((rule) =>
      refuse(
        "object-role-constraints",
        "RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability",
        value(rule),
        manifest,
      ),
    ),
  ];
}

const ruleLists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];

/** The first part of a rule that Go's type cannot hold. */
function ruleMisfit(rules: readonly JsonValue[], kind: string): string | undefined {
  for (const rule of rules) {
    if (rule === null) continue;
    if (!isJsonObject(rule))
      return `json: cannot unmarshal ${goKind(rule)} into Go struct field ${kind}.rules of type v1.PolicyRule`;
    for (const [key, value] of Object.entries(rule)) {
      if (!ruleLists.includes(key) || value === undefined || value === null) continue;
      const at = `into Go struct field PolicyRule.rules.${key} of type`;
      if (!Array.isArray(value)) return `json: cannot unmarshal ${goKind(value)} ${at} []string`;
      const odd = (value as readonly JsonValue[]).find((item) => item !== null && typeof item !== "string");
      if (odd !== undefined) return `json: cannot unmarshal ${goKind(odd)} ${at} string`;
    }
  }
  return undefined;
}

function nameOfKind(object: JsonObject): string {
  return kindOf(object).kind;
}

/** A rule as Go prints it. */
function goRule(rule: JsonObject): string {
  const list = (key: string): string =>
    `[${listMember(rule, key)
      .map((item) => (typeof item === "string" ? item : ""))
      .join(" ")}]`;
  return `{${ruleLists.map(list).join(" ")}}`;
}

/** OperatorGroups among the objects: the case of their annotations. */
export function operatorGroupsOf({ objects }: LoadedBundle): readonly FirstObject[] {
  return objects.filter(({ object }) => {
    const { group, version, kind } = kindOf(object);
    return group === "operators.coreos.com" && kind === "OperatorGroup" && (version === "v1" || version === "v1alpha2");
  });
}
