import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Content } from "../../content/content.ts";
import { catalogSelection } from "../../resolver/v1/selected-catalogs.ts";
import { catalogRequest } from "../v0/catalog-source/plan/catalog-request.ts";
import { clusterCatalogContent } from "../v1/cluster-catalog/cluster-catalog-controller.ts";
import type { Offer } from "./plan/first-seen.ts";

/** What the CatalogSource of a Subscription offers it; all that it sees when it names none. */
export function subscriptionOffer(
  { metadata, spec, status }: Subscription,
  sources: readonly CatalogSource[],
  globalNamespace: string,
  content: Content,
): Offer {
  const visible = sources.filter(({ metadata: { namespace = "", name } }) =>
    spec.source === ""
      ? [metadata.namespace, globalNamespace].includes(namespace)
      : name === spec.source && namespace === spec.sourceNamespace,
  );
  const indexes = visible.map((source) => {
    const request = catalogRequest(source);
    return request.ok ? content.catalog(request.value).index : undefined;
  });
  return offerOf(spec.name, indexes, status?.installedCSV);
}

/** What the selected ClusterCatalogs offer a ClusterExtension. */
export function extensionOffer(
  { spec, status }: ClusterExtension,
  catalogs: readonly ClusterCatalog[],
  content: Content,
): Offer {
  const filter = spec?.source.catalog ?? { packageName: "" };
  const isSelected = catalogSelection(filter);
  const selected = isSelected.ok ? catalogs.filter(isSelected.value) : [];
  const indexes = selected.flatMap((catalog) => {
    const found = clusterCatalogContent(catalog, content);
    // One that is switched off offers nothing, for as long as it is.
    return found === undefined ? [] : [found.index];
  });
  return offerOf(filter.packageName, indexes, status?.install?.bundle.name);
}

function offerOf(
  packageName: string,
  indexes: readonly (CatalogIndex | undefined)[],
  installed: string | undefined,
): Offer {
  const entries = indexes.flatMap(
    (index) => index?.package(packageName)?.channels.flatMap(({ bundles }) => bundles) ?? [],
  );
  const before = versionOf(entries.find(({ name }) => name === installed));
  const newer = entries.filter((entry) => {
    const version = versionOf(entry);
    return (
      entry.name !== installed &&
      (before === undefined || version === undefined || compareVersions(version, before) > 0)
    );
  });
  const bundles = [...new Set(newer.map(({ name }) => name))];
  return { packageName, bundles, isComplete: indexes.every((index) => index !== undefined) };
}

function versionOf(entry: BundleSummary | undefined) {
  const parsed = entry === undefined ? undefined : parseTolerantVersion(entry.version);
  return parsed?.ok === true ? parsed.value : undefined;
}
