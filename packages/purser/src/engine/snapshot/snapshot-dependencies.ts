import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { installedPackagesOf } from "../../installation/installed-packages.ts";
import { catalogSelection } from "../../resolver/v1/selected-catalogs.ts";
import { dependencyChoice } from "../../policy/dependency-choice.ts";
import { extensionSubject } from "../../policy/installation-holds.ts";
import { installedOperator } from "../../resolver/v1/dependencies.ts";
import { dependencyModes } from "../../resolver/v1/dependency-modes.ts";
import { judgeDependencies, type JudgedExtension } from "../../resolver/v1/judge-dependencies.ts";
import type { ResolvedExtension } from "../../resolver/v1/outcome.ts";
import type { DecisionWorld } from "./snapshot-world.ts";

/**
 * Whether the installations of a snapshot meet what a bundle requires. A snapshot has no CustomResourceDefinitions: an API counts
 * as served when an installed bundle, by its catalog, or a ClusterServiceVersion provides it.
 */
export function judgeInSnapshot(
  { snapshot, contentOfCatalog, now = 0 }: DecisionWorld,
  extension: ClusterExtension,
  resolved: ResolvedExtension,
): JudgedExtension {
  const readable = (only: (catalog: (typeof snapshot.clusterCatalogs)[number]) => boolean): readonly CatalogIndex[] =>
    snapshot.clusterCatalogs.filter(only).flatMap((catalog) => {
      const content = contentOfCatalog(catalog);
      return content.kind === "present" ? [content.index] : [];
    });
  const selected = catalogSelection(extension.spec?.source.catalog ?? { packageName: "" });
  const everywhere = readable(() => true);
  const installed = snapshot.clusterExtensions.flatMap(({ spec, status }) => {
    const bundle = status?.install?.bundle;
    const name = spec?.source.catalog?.packageName;
    if (bundle === undefined || name === undefined) return [];
    const recorded = { packageName: name, version: bundle.version, bundle: bundle.name };
    return [{ ...installedOperator(recorded, [], everywhere), bundle: bundle.name }];
  });
  const apis = new Set([
    ...installed.flatMap(({ name, bundle }) => everywhere.flatMap((index) => providedBy(index, name, bundle))),
    ...snapshot.clusterServiceVersions
      .filter(({ status }) => status?.phase === "Succeeded")
      .flatMap(({ spec }) => spec.customresourcedefinitions?.owned ?? [])
      .map(({ name, version, kind }) => keyOf({ group: name.slice(name.indexOf(".") + 1), version, kind })),
  ]);
  const policy = dependencyChoice(snapshot, extensionSubject(extension), now);
  const mode = dependencyModes.find((known) => known === policy?.mode.toLowerCase());
  return judgeDependencies(resolved, {
    extension,
    provided: {
      packages: [...installed, ...installedPackagesOf(snapshot.clusterServiceVersions)],
      serves: (api) => apis.has(keyOf(api)),
    },
    catalogs: selected.ok ? readable(selected.value) : [],
    extensions: snapshot.clusterExtensions,
    mode: "verify",
    now,
    ...(policy === undefined || mode === undefined ? {} : { policy: { mode, reference: policy.reference } }),
  });
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

function providedBy(index: CatalogIndex, packageName: string, bundle: string): readonly string[] {
  const bundles = (index.package(packageName)?.channels ?? []).flatMap((channel) => channel.bundles);
  return bundles.find(({ name }) => name === bundle)?.provides.map(keyOf) ?? [];
}
