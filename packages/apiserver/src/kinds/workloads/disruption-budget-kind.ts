import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, notSupported } from "@purser/kubernetes/object/field-error";
import { goJson } from "@purser/kubernetes/text/go-json";
import { budgetPrinter } from "../../printing/plain-printers.ts";
import { validateConditions } from "../condition-validation.ts";
import { defineKind, specOf } from "../define-kind.ts";
import { validateAtMostAll, validateIntOrPercent } from "./percent-validation.ts";
import { selectorText, validateLabelSelector } from "./selector-validation.ts";
import { validateCounts } from "./workload-status-validation.ts";
import { hasMember, objectIn, textIn } from "../decoding/json-parts.ts";
import { podDisruptionBudgets } from "../resource-types.ts";

const healthCounts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

/** Error messages quote the internal struct. */
function budgetText(spec: JsonObject): string {
  const part = (key: string): string => goJson(spec[key] ?? null);
  const selector = hasMember(spec, "selector") ? selectorText(objectIn(spec, "selector")) : "null";
  return `{"MinAvailable":${part("minAvailable")},"Selector":${selector},"MaxUnavailable":${part("maxUnavailable")},"UnhealthyPodEvictionPolicy":${part("unhealthyPodEvictionPolicy")}}`;
}

export const podDisruptionBudgetKind = defineKind(podDisruptionBudgets, {
  looksAtMetadataLast: true,
  nameRule: "pathSegment",
  shortNames: ["pdb"],
  status: true,
  requiresResourceVersion: true,
  versioned: specOf,
  validate: (budget, _context, _old, endpoint) => {
    if (endpoint === "status") {
      const status = objectIn(budget, "status");
      return [...validateConditions(status, "status.conditions"), ...validateCounts(status, healthCounts)];
    }
    const spec = objectIn(budget, "spec");
    const policy = textIn(spec, "unhealthyPodEvictionPolicy");
    return [
      ...(hasMember(spec, "minAvailable") && hasMember(spec, "maxUnavailable")
        ? [
            {
              ...invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"),
              badText: budgetText(spec),
            },
          ]
        : []),
      ...["minAvailable", "maxUnavailable"].flatMap((key) => {
        const value = spec[key] ?? null;
        return [...validateIntOrPercent(value, `spec.${key}`), ...validateAtMostAll(value, `spec.${key}`)];
      }),
      ...(hasMember(spec, "selector") ? validateLabelSelector(objectIn(spec, "selector"), "spec.selector") : []),
      ...(!hasMember(spec, "unhealthyPodEvictionPolicy") || evictionPolicies.includes(policy)
        ? []
        : [notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)]),
    ];
  },
  printer: budgetPrinter,
});
