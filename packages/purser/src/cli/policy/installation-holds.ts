import { type DecisionWorld, holdsIn, holdsOn } from "../../engine/snapshot/snapshot-world.ts";
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
