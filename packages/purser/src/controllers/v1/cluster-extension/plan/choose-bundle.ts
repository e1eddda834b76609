import type { ClusterCatalog } from "../../../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter } from "../../../../apis/v1/cluster-extension.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import type { ExtensionOutcome } from "../../../../resolver/v1/outcome.ts";
import { catalogSelection } from "../../../../resolver/v1/selected-catalogs.ts";
import type { RevisionBundle } from "./revision-state.ts";

export type BundleChoice =
  /** `catalogVersion`: as the catalog spells it, which is how bundle directories are named. */
  | { readonly kind: "bundle"; readonly bundle: RevisionBundle; readonly catalogVersion: string }
  | { readonly kind: "refused"; readonly upstream: string; readonly explanation: Explanation };

/**
 * The bundle that an extension should have. A failed resolution refuses, unless no catalog matches the extension's selector
 * and no other version is asked for: then what is installed is kept.
 */
export function chooseBundle(
  outcome: ExtensionOutcome,
  filter: CatalogFilter | undefined,
  installed: RevisionBundle | undefined,
  catalogs: readonly ClusterCatalog[],
): BundleChoice {
  if (outcome.kind === "resolved") {
    const { bundle, metadata } = outcome;
    const chosen: RevisionBundle = { ...metadata, packageName: bundle.package, image: bundle.image };
    return { kind: "bundle", bundle: chosen, catalogVersion: bundle.version };
  }
  const refused: BundleChoice = { kind: "refused", upstream: outcome.upstream, explanation: outcome.explanation };
  if (installed === undefined || filter === undefined) return refused;
  if (filter.version !== undefined && filter.version !== "" && filter.version !== installed.version) return refused;
  const isSelected = catalogSelection(filter);
  if (!isSelected.ok || catalogs.some(isSelected.value)) return refused;
  return { kind: "bundle", bundle: installed, catalogVersion: installed.version };
}
