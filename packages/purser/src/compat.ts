import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/**
 * Deliberate improvements over OLM that can be switched back one by one; `strict` switches all of them back. Each has rows
 * in `docs/differences.md`.
 */
const compatSwitches = [
  "namespace-plans",
  "webhook-certificates",
  "reserved-groups",
  "crd-marks",
  "crd-owners",
  "copied-secrets",
  "crd-names",
  "crd-wait",
  "denied-install",
  "deployment-edits",
  "lost-replacement",
  "replaced-operators",
  "missing-catalogs",
  "stuck-rollouts",
  "bundle-pins",
  "condition-texts",
  "kube-versions",
  "extension-dependencies",
  "catalog-tags",
  "webhook-rules",
  "api-roles",
  "copied-csvs",
  "group-targets",
  "tenant-grants",
  "csv-cleanup",
] as const;
export type CompatSwitch = (typeof compatSwitches)[number];

export interface Compat {
  /** True: behave as upstream does. */
  keepsUpstream(name: CompatSwitch): boolean;
}

/** @testOnly the command line reads its switches */
export const improved: Compat = { keepsUpstream: () => false };

/** Reads `--compat`: a comma-separated list of switches, `strict`, or nothing. */
export function parseCompat(text: string): Result<Compat, string> {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const unknown = words.find((word) => word !== "strict" && !(compatSwitches as readonly string[]).includes(word));
  if (unknown !== undefined)
    return failed(`unknown compatibility switch "${unknown}"; known: strict, ${compatSwitches.join(", ")}`);
  const kept = new Set(words);
  return done({ keepsUpstream: (name) => kept.has("strict") || kept.has(name) });
}

/** What the switches mean for decisions about a namespace of OLM v0, on the cluster and in plans made beside it. */
export interface NamespaceChoices {
  readonly reservedGroups: "accepted" | "refused";
  readonly replacedOperators: "orphans" | "passedOver";
  readonly missingCatalogs: "block" | "skip";
  readonly plansPer: "namespace" | "set";
}

/** The choices that OLM made where a switch keeps them, else ours. */
export function namespaceChoices(compat: Compat): NamespaceChoices {
  return {
    reservedGroups: compat.keepsUpstream("reserved-groups") ? "accepted" : "refused",
    replacedOperators: compat.keepsUpstream("replaced-operators") ? "orphans" : "passedOver",
    missingCatalogs: compat.keepsUpstream("missing-catalogs") ? "block" : "skip",
    plansPer: compat.keepsUpstream("namespace-plans") ? "namespace" : "set",
  };
}
