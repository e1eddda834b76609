import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { propertiesAnnotation } from "../apis/v0/labels.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

/** A bundle that an InstallPlan brings. */
export interface PlanBundle {
  readonly csv: string;
  /** Absent when the properties do not say it. */
  readonly packageName?: string;
  readonly version?: string;
}

/** The bundles of a plan, as their properties describe them: those from images are lookups, those of the catalog itself are steps. */
export function bundlesOfPlan({ status }: InstallPlan): readonly PlanBundle[] {
  const carried = (status?.plan ?? []).flatMap(({ resource: { kind, name, manifest } }) => {
    if (kind !== "ClusterServiceVersion") return [];
    const csv = readJson(manifest);
    const metadata = isJsonObject(csv) ? member(csv, "metadata") : undefined;
    const annotations = isJsonObject(metadata) ? member(metadata, "annotations") : undefined;
    const properties = isJsonObject(annotations) ? member(annotations, propertiesAnnotation) : undefined;
    return typeof properties === "string" ? [planBundle(name, properties)] : [];
  });
  return [
    ...(status?.bundleLookups ?? []).map(({ identifier, properties }) => planBundle(identifier, properties)),
    ...carried,
  ];
}

/** Of a bundle's `{"properties":[...]}`. */
function planBundle(csv: string, properties: string | undefined): PlanBundle {
  const parsed = readJson(properties);
  const list = isJsonObject(parsed) ? member(parsed, "properties") : undefined;
  const found = Array.isArray(list)
    ? (list as readonly JsonValue[]).filter(isJsonObject).find(({ type }) => type === "olm.package")
    : undefined;
  const value = found === undefined ? undefined : member(found, "value");
  if (!isJsonObject(value)) return { csv };
  const [packageName, version] = [textIn(value, "packageName"), textIn(value, "version")];
  return {
    csv,
    ...(packageName === undefined ? {} : { packageName }),
    ...(version === undefined ? {} : { version }),
  };
}

function textIn(value: JsonObject, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === "string" ? found : undefined;
}

/** Undefined for what is no JSON, as a missing text. */
function readJson(text: string | undefined): JsonValue | undefined {
  try {
    return JSON.parse(String(text)) as JsonValue;
  } catch {
    return undefined;
  }
}
