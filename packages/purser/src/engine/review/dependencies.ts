import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Dependency } from "../../review/change-plan/change-plan.ts";

/** The bundle of that name as `channel` has it, else as the first channel of the package that has it; undefined when none does. */
export function bundleIn(
  index: CatalogIndex,
  packageName: string,
  name: string,
  channel: string,
): BundleSummary | undefined {
  const found = (index.package(packageName)?.channels ?? []).flatMap(({ bundles }) =>
    bundles.filter((bundle) => bundle.name === name),
  );
  return found.find((bundle) => bundle.channel === channel) ?? found[0];
}

/** The bundles that nobody asked for, with the bundles that require them. */
export function dependenciesAmong(
  bundles: readonly { readonly isAsked: boolean; readonly bundle: BundleSummary }[],
): readonly Dependency[] {
  return bundles
    .filter(({ isAsked }) => !isAsked)
    .map(({ bundle: needed }) => ({
      bundle: needed.name,
      askedBy: bundles.flatMap(({ bundle }) =>
        requirementsOn(bundle, needed).map((requirement) => ({ bundle: bundle.name, requirement })),
      ),
    }));
}

/** What one bundle requires that the other gives: APIs, or its package. */
function requirementsOn(bundle: BundleSummary, needed: BundleSummary): readonly string[] {
  const apis = bundle.requires
    .filter(({ group, kind }) => needed.provides.some((api) => api.group === group && api.kind === kind))
    .map(({ group, kind }) => `${kind}.${group}`);
  const packages = bundle.properties.flatMap(({ type, value }) => {
    const isPackage =
      type === "olm.package.required" && isJsonObject(value) && member(value, "packageName") === needed.package;
    return isPackage ? [`package ${needed.package}`] : [];
  });
  return [...apis, ...packages];
}
