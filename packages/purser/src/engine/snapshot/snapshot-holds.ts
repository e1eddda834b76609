import { holdsIn, holdsOn, packagesOfExtension, packagesOfSubscription } from "./decision-inputs.ts";
import type { DecisionWorld } from "./snapshot-world.ts";
import type { PackageSummary } from "../../catalog/catalog-index.ts";
import type { Installation } from "../../installation/installation.ts";
import { type InstallationHolds, noHolds } from "../../policy/installation-holds.ts";

/** What update policies hold back of an installation. */
export function holdsOnInstallation(
  world: DecisionWorld,
  { api, name, namespace = "" }: Installation,
): InstallationHolds {
  if (api === "v0") return holdsIn(world, namespace).find((one) => one.name === name) ?? noHolds;
  const extension = world.snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
  return extension === undefined ? noHolds : holdsOn(world, extension);
}

/** The package of an installation as the catalogs have it that it may use; empty when their content is not known. */
export function packagesOfInstallation(
  world: DecisionWorld,
  { api, name, namespace }: Installation,
): readonly PackageSummary[] {
  const { subscriptions, clusterExtensions } = world.snapshot;
  if (api === "v1")
    return clusterExtensions
      .filter(({ metadata }) => metadata.name === name)
      .flatMap((one) => packagesOfExtension(world, one));
  return subscriptions
    .filter(({ metadata }) => metadata.name === name && metadata.namespace === namespace)
    .flatMap((one) => packagesOfSubscription(world, one));
}
