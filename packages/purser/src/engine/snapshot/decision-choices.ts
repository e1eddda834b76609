import { type Compat, namespaceChoices } from "../../compat.ts";
import type { FeatureGates } from "../../feature-gates.ts";
import type { DecideOptions } from "./snapshot-decision.ts";
import type { DecisionWorld } from "./snapshot-world.ts";

/** What the switches of an installation mean for its decisions. */
export interface DecisionChoices {
  readonly world: Pick<DecisionWorld, "missingCatalogs" | "refusesDependencies" | "readsReleases">;
  readonly options: Required<Pick<DecideOptions, "reservedGroups" | "replacedOperators" | "plansPer">>;
}

/** The choices that OLM made where a switch keeps them, else ours. */
export function decisionChoices(compat: Compat, gates: FeatureGates): DecisionChoices {
  const { missingCatalogs, ...options } = namespaceChoices(compat);
  return {
    world: {
      missingCatalogs,
      ...(compat.keepsUpstream("extension-dependencies") ? { refusesDependencies: true as const } : {}),
      ...(gates.BundleReleaseSupport ? { readsReleases: true as const } : {}),
    },
    options,
  };
}
