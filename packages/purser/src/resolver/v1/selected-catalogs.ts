import type { SelectorProblem } from "@purser/kubernetes/apis/selector";
import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import { done, type Result } from "@purser/kubernetes/result";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { metadataNameLabel } from "../../apis/v1/labels.ts";

/**
 * Whether the selector of an extension matches a ClusterCatalog; the problem is the selector's. Every catalog has its name
 * as a label here, also before that label is set on the object.
 */
export function catalogSelection({
  selector,
}: CatalogFilter): Result<(catalog: ClusterCatalog) => boolean, SelectorProblem> {
  const parsed = selectorOf(selector ?? {});
  if (!parsed.ok) return parsed;
  return done(({ metadata }) =>
    matchesSelector(parsed.value, { ...metadata.labels, [metadataNameLabel]: metadata.name ?? "" }),
  );
}

/** Whether the extension names the catalogs that it uses; without a selector it uses all of them. */
export function selectsCatalogs({ selector }: CatalogFilter): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length > 0 || (selector?.matchExpressions ?? []).length > 0;
}
