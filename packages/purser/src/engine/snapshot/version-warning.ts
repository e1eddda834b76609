import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { compareVersions, parseTolerantVersion, type Version } from "@purser/kubernetes/version";

interface VersionWarning {
  readonly code: "ClusterIncompatible";
  readonly summary: string;
}

/** A warning when the bundle's `minKubeVersion` is not met, which OLM checks only during the installation. */
export function versionWarning(
  index: Pick<CatalogIndex, "blob"> | undefined,
  { name, blob }: Pick<BundleSummary, "name" | "blob">,
  kubeVersion: Version,
): readonly VersionWarning[] {
  const properties = index === undefined ? undefined : member(index.blob(blob), "properties");
  for (const property of Array.isArray(properties) ? properties : []) {
    if (!isJsonObject(property) || member(property, "type") !== "olm.csv.metadata") continue;
    const value = member(property, "value");
    const needed = isJsonObject(value) ? member(value, "minKubeVersion") : undefined;
    if (typeof needed !== "string") continue;
    const parsed = parseTolerantVersion(needed);
    if (!parsed.ok || compareVersions(parsed.value, kubeVersion) <= 0) continue;
    const summary = `${name} needs Kubernetes ${needed} or newer`;
    return [{ code: "ClusterIncompatible", summary }];
  }
  return [];
}
