import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import type { UnpackedBundle } from "../../../bundle/unpack-bundle.ts";
import { asUnstructured } from "../../../bundle/unstructured.ts";
import type { BundleSummary, CatalogIndex } from "../../../catalog/catalog-index.ts";
import { registryManifests } from "../../../catalog/registry-bundle.ts";

/**
 * The objects of a bundle without an image, which its catalog carries as `olm.bundle.object`; with `olm.csv.metadata`
 * alone that is a ClusterServiceVersion made from the metadata. They are what the registry API hands to OLM.
 * @returns `csv` undefined when the catalog carries none; the text of OLM's decoder for what is no Kubernetes object
 */
export function carriedBundle(
  index: CatalogIndex,
  bundle: BundleSummary,
): Result<Pick<UnpackedBundle, "objects" | "csv">, string> {
  const [pack] = index.package(bundle.package)?.blobs ?? [];
  const { objects, csvJson } = registryManifests(index.blob(bundle.blob), pack === undefined ? {} : index.blob(pack));
  const read: JsonObject[] = [];
  for (const text of objects) {
    const object = objectIn(text);
    if (typeof object === "string") return failed(object);
    read.push(asUnstructured(object));
  }
  const csv = csvJson === "" ? undefined : objectIn(csvJson);
  if (typeof csv === "string") return failed(csv);
  return done({ objects: read, ...(csv === undefined ? {} : { csv: withDeploymentList(csv) }) });
}

/**
 * A registry writes a CSV that it makes from metadata with `deployments: null`, which every API server refuses. The
 * operator has no Deployments, and is installed as one.
 */
function withDeploymentList(csv: JsonObject): JsonObject {
  const { spec } = csv as { readonly spec?: { readonly install?: { readonly spec?: JsonObject } } };
  if (spec?.install?.spec?.["deployments"] !== null) return csv;
  return { ...csv, spec: { ...spec, install: { ...spec.install, spec: { ...spec.install.spec, deployments: [] } } } };
}

/** The problem explains why there is none. */
function objectIn(manifest: string): JsonObject | string {
  const read = readYaml(manifest);
  if (!read.ok) return read.problem.message;
  const { value } = read;
  return isJsonObject(value) && typeof value["kind"] === "string" && value["kind"] !== ""
    ? value
    : `Object 'Kind' is missing in '${manifest}'`;
}
