/** The rules that apply: those of OLM v0 (Subscriptions) or of OLM v1 (ClusterExtensions). */
export type Rules = "v0" | "v1";

/** The rules under which something holds. */
export type RuleSet = "none" | Rules | "both";

export function ruleSet(v0: boolean, v1: boolean): RuleSet {
  if (v0) return v1 ? "both" : "v0";
  return v1 ? "v1" : "none";
}

export function holdsUnder(set: RuleSet, rules: Rules | "both"): boolean {
  return rules === "both" ? set !== "none" : set === "both" || set === rules;
}
