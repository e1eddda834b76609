import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { propertiesAnnotation } from "../apis/v0/labels.ts";
import type { Property } from "../catalog/catalog-index.ts";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";

export interface InstalledPackage {
  readonly name: string;
  /** As the bundle states it. */
  readonly version: string;
}

/** The packages of ClusterServiceVersions that succeeded, by the properties that their installation recorded. */
export function installedPackagesOf(csvs: readonly ClusterServiceVersion[]): readonly InstalledPackage[] {
  return csvs
    .filter(({ status }) => status?.phase === "Succeeded")
    .flatMap(recordedProperties)
    .flatMap(({ type, value }) => {
      if (type !== "olm.package" || !isJsonObject(value)) return [];
      const [name, version] = [member(value, "packageName"), member(value, "version")];
      return typeof name === "string" && typeof version === "string" ? [{ name, version }] : [];
    });
}

/** The properties of the bundle that the installation of a ClusterServiceVersion recorded; none where they cannot be read. */
export function recordedProperties({ metadata }: ClusterServiceVersion): readonly Property[] {
  try {
    const parsed = JSON.parse(metadata.annotations?.[propertiesAnnotation] ?? "null") as JsonValue;
    const listed = isJsonObject(parsed) ? member(parsed, "properties") : undefined;
    return (Array.isArray(listed) ? (listed as readonly JsonValue[]) : []).flatMap((property) => {
      const type = isJsonObject(property) ? member(property, "type") : undefined;
      return isJsonObject(property) && typeof type === "string"
        ? [{ type, value: member(property, "value") ?? null }]
        : [];
    });
  } catch {
    return [];
  }
}
