import type { Subscription } from "../../apis/v0/subscription.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { PackageSummary } from "../../catalog/catalog-index.ts";
import type { ReadableCatalog } from "../../catalog/content.ts";
import {
  extensionHolds,
  type InstallationHolds,
  isWithoutPolicies,
  noHolds,
  subscriptionHolds,
} from "../../policy/installation-holds.ts";
import type { NamespaceInput } from "../../resolver/v0/input.ts";
import type { ExtensionInput } from "../../resolver/v1/input.ts";
import type { Snapshot } from "./snapshot-file.ts";
import type { DecisionWorld } from "./snapshot-world.ts";

/** What update policies hold back of the Subscriptions of a namespace. */
export function holdsIn(
  world: DecisionWorld,
  namespace: string,
): readonly (InstallationHolds & { readonly package: string; readonly name: string })[] {
  const { snapshot, now = 0 } = world;
  const { subscriptions, clusterServiceVersions } = snapshot;
  if (isWithoutPolicies(snapshot)) return [];
  return subscriptions
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map((subscription) => {
      const { metadata, spec, status } = subscription;
      const packages = packagesOfSubscription(world, subscription);
      const csv = clusterServiceVersions.find(
        (one) => one.metadata.namespace === namespace && one.metadata.name === status?.installedCSV,
      );
      const installed =
        csv === undefined ? undefined : { name: csv.metadata.name ?? "", version: csv.spec.version ?? "" };
      const holds = subscriptionHolds(snapshot, subscription, installed, packages, now, world.upgrades);
      return { ...holds, package: spec.name, name: metadata.name ?? "" };
    });
}

/** What update policies hold back of a ClusterExtension. */
export function holdsOn(world: DecisionWorld, extension: ClusterExtension): InstallationHolds {
  const { snapshot, now = 0, approvesAll, upgrades } = world;
  const packages = packagesOfExtension(world, extension);
  const options = approvesAll === true ? { approved: "all" as const, upgrades } : { upgrades };
  return isWithoutPolicies(snapshot)
    ? noHolds
    : extensionHolds(snapshot, extension, extension.status?.install?.bundle, packages, now, options);
}

/** The package of a Subscription as the catalogs have it that it may use. */
export function packagesOfSubscription(
  { snapshot, contentOfSource, globalNamespace }: DecisionWorld,
  { metadata: { namespace = "" }, spec }: Subscription,
): readonly PackageSummary[] {
  return snapshot.catalogSources
    .filter(({ metadata: source }) =>
      spec.source === ""
        ? [namespace, globalNamespace].includes(source.namespace ?? "")
        : source.name === spec.source && source.namespace === spec.sourceNamespace,
    )
    .flatMap((source) => packageOf(contentOfSource(source), spec.name));
}

/** The package of a ClusterExtension as the catalogs have it. */
export function packagesOfExtension(
  { snapshot, contentOfCatalog }: DecisionWorld,
  extension: ClusterExtension,
): readonly PackageSummary[] {
  const { packageName = "" } = extension.spec?.source.catalog ?? {};
  return snapshot.clusterCatalogs.flatMap((catalog) => packageOf(contentOfCatalog(catalog), packageName));
}

function packageOf(content: ReadableCatalog, name: string): readonly PackageSummary[] {
  const found = content.kind === "present" ? content.index.package(name) : undefined;
  return found === undefined ? [] : [found];
}

/** The input of the decision for a namespace. */
export function namespaceInputOf(
  world: DecisionWorld,
  namespace: string,
  replacedOperators: NamespaceInput["replacedOperators"] = "passedOver",
): NamespaceInput {
  const { snapshot, contentOfSource, globalNamespace, missingCatalogs = "skip" } = world;
  const holds = holdsIn(world, namespace).flatMap((one) => one.held.map((held) => ({ package: one.package, ...held })));
  return {
    ...(holds.length === 0 ? {} : { holds }),
    namespace,
    globalNamespace,
    subscriptions: snapshot.subscriptions,
    clusterServiceVersions: snapshot.clusterServiceVersions,
    operatorGroups: snapshot.operatorGroups,
    replacedOperators,
    missingCatalogs,
    catalogs: snapshot.catalogSources.map((source) => ({
      key: { namespace: source.metadata.namespace ?? "", name: source.metadata.name ?? "" },
      priority: source.spec.priority ?? 0,
      content: contentOfSource(source),
    })),
  };
}

/** The input of the decision for a ClusterExtension; without `spec.source.catalog` the package is "". */
export function extensionInputOf(world: DecisionWorld, extension: ClusterExtension): ExtensionInput {
  const { snapshot, contentOfCatalog, missingCatalogs = "skip", refusesDependencies, readsReleases } = world;
  const { held } = holdsOn(world, extension);
  const installed = extension.status?.install?.bundle;
  return {
    name: extension.metadata.name ?? "",
    ...(extension.spec?.namespace === undefined ? {} : { namespace: extension.spec.namespace }),
    filter: extension.spec?.source.catalog ?? { packageName: "" },
    ...(installed === undefined ? {} : { installed }),
    catalogs: snapshot.clusterCatalogs.map((catalog) => ({ catalog, content: contentOfCatalog(catalog) })),
    missingCatalogs,
    ...(refusesDependencies === true ? {} : { judgesDependencies: true as const }),
    ...(readsReleases === true ? { gates: { bundleReleaseSupport: true } } : {}),
    ...(held.length === 0 ? {} : { holds: held }),
  };
}

/** The world with additional objects. */
export function withObjects(
  world: DecisionWorld,
  added: {
    readonly subscriptions?: Snapshot["subscriptions"];
    readonly operatorGroups?: readonly OperatorGroup[];
    readonly clusterServiceVersions?: Snapshot["clusterServiceVersions"];
    readonly clusterExtensions?: readonly ClusterExtension[];
    readonly updatePolicies?: Snapshot["updatePolicies"];
    readonly clusterUpdatePolicies?: Snapshot["clusterUpdatePolicies"];
  },
): DecisionWorld {
  const { snapshot } = world;
  return {
    ...world,
    snapshot: {
      ...snapshot,
      subscriptions: [...snapshot.subscriptions, ...(added.subscriptions ?? [])],
      operatorGroups: [...snapshot.operatorGroups, ...(added.operatorGroups ?? [])],
      clusterServiceVersions: [...snapshot.clusterServiceVersions, ...(added.clusterServiceVersions ?? [])],
      clusterExtensions: [...snapshot.clusterExtensions, ...(added.clusterExtensions ?? [])],
      updatePolicies: [...snapshot.updatePolicies, ...(added.updatePolicies ?? [])],
      clusterUpdatePolicies: [...snapshot.clusterUpdatePolicies, ...(added.clusterUpdatePolicies ?? [])],
    },
  };
}
