import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { propertiesAnnotation } from "../apis/v0/labels.ts";
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
    .flatMap(({ metadata }) => propertiesIn(metadata.annotations?.[propertiesAnnotation]))
    .flatMap((property) => {
      if (!isJsonObject(property) || member(property, "type") !== "olm.package") return [];
      const value = member(property, "value");
      if (!isJsonObject(value)) return [];
      const [name, version] = [member(value, "packageName"), member(value, "version")];
      return typeof name === "string" && typeof version === "string" ? [{ name, version }] : [];
    });
}

function propertiesIn(text: string | undefined): readonly JsonValue[] {
  try {
    const parsed = JSON.parse(text ?? "null") as JsonValue;
    const listed = isJsonObject(parsed) ? member(parsed, "properties") : undefined;
    return Array.isArray(listed) ? (listed as readonly JsonValue[]) : [];
  } catch {
    return [];
  }
}
