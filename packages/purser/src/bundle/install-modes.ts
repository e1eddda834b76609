import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";

/** The install modes that a CSV supports, in alphabetical order. */
export function supportedModes(csv: ClusterServiceVersion): readonly string[] {
  const modes = (csv.spec.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type);
  return [...new Set(modes)].toSorted();
}
