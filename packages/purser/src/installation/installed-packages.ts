import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { propertiesAnnotation } from "../apis/v0/labels.ts";
import type { Property } from "../catalog/catalog-index.ts";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";

export interface InstalledPackage {
  readonly name: string;
  /** As the bundle states it. */
  readonly version: string;
  /** All that its bundle states. */
  readonly properties: readonly Property[];
}

/** The packages of ClusterServiceVersions that succeeded, by the properties that their installation recorded. */
export function installedPackagesOf(csvs: readonly ClusterServiceVersion[]): readonly InstalledPackage[] {
  return csvs
    .filter(({ status }) => status?.phase === "Succeeded")
    .flatMap((csv) => {
      const properties = recordedProperties(csv);
      return properties.flatMap(({ type, value }) => {
        if (type !== "olm.package" || !isJsonObject(value)) return [];
        const [name, version] = [member(value, "packageName"), member(value, "version")];
        return typeof name === "string" && typeof version === "string" ? [{ name, version, properties }] : [];
      });
    });
}

/** The properties of the bundle that the installation of a ClusterServiceVersion recorded; none where they cannot be read. */
export function recordedProperties({ metadata }: ClusterServiceVersion): readonly Property[] {
  const parsed = parsedOrNull(metadata.annotations?.[propertiesAnnotation]);
  return propertiesIn(isJsonObject(parsed) ? member(parsed, "properties") : undefined);
}

/** The properties of a revision's bundle, by its annotation `olm.properties`: a JSON array. None where they cannot be read. */
export function revisionProperties(annotation: string | undefined): readonly Property[] {
  return propertiesIn(parsedOrNull(annotation));
}

function propertiesIn(listed: JsonValue | undefined): readonly Property[] {
  return (Array.isArray(listed) ? (listed as readonly JsonValue[]) : []).flatMap((property) => {
    const type = isJsonObject(property) ? member(property, "type") : undefined;
    return isJsonObject(property) && typeof type === "string"
      ? [{ type, value: member(property, "value") ?? null }]
      : [];
  });
}

function parsedOrNull(text: string | undefined): JsonValue {
  try {
    return JSON.parse(text ?? "null") as JsonValue;
  } catch {
    return null;
  }
}
