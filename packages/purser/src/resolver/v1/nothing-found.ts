import { Pace } from "../pace.ts";
import type { FilterKind, FilterRules } from "./filters.ts";
import { byPreference, filteredSteps } from "./filters.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import type { Candidate, PackageContent } from "./package-content.ts";

/** An extension for which no bundle remains. */
export interface NothingFound {
  readonly input: ExtensionInput;
  readonly upstream: string;
  /** Catalogs that have the package. */
  readonly offers: readonly { readonly catalog: ExtensionCatalog; readonly content: PackageContent }[];
  readonly rules: FilterRules;
  readonly active: readonly FilterKind[];
  /** Catalogs that the selector takes, and those of them that are switched on. */
  readonly selected: readonly ExtensionCatalog[];
  readonly enabled: readonly ExtensionCatalog[];
}

export const nameOf = ({ catalog }: ExtensionCatalog): string => catalog.metadata.name ?? "";
export const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** The package's bundles that pass these filters, best first, one of each name. */
export function* passing(
  { offers, rules }: NothingFound,
  active: readonly FilterKind[],
): Generator<undefined, readonly Candidate[]> {
  const pace = new Pace();
  const all: Candidate[] = [];
  for (const { content } of offers)
    for (const candidate of yield* filteredSteps(content, rules, active, pace)) all.push(candidate);
  all.sort(byPreference);
  return [...new Map(all.map((candidate) => [candidate.name, candidate])).values()];
}
