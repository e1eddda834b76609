import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import { csvMetadataShape, csvShape } from "../schemas/blob-shapes.ts";
import { decodeBase64 } from "../loading/decode.ts";
import { encodeGo } from "../schemas/go-encode.ts";
import { fieldOf, itemsOf, misfit, textOf } from "../schemas/go-shape.ts";

/** The first ClusterServiceVersion among the manifests that a bundle blob embeds. */
export function embeddedCsv(bundle: JsonObject): JsonObject | undefined {
  for (const property of itemsOf(bundle, "properties")) {
    if (!isJsonObject(property) || textOf(property, "type") !== "olm.bundle.object") continue;
    const value = fieldOf(property, "value");
    const manifest = decodeBase64(isJsonObject(value) ? textOf(value, "data") : "");
    // Parsing is expensive, and a manifest of the kind contains its name.
    if (!manifest.includes("ServiceVersion")) continue;
    // The separator keeps the reader from taking a manifest in braces for a JSON stream; invalid YAML is ignored.
    const read = readYaml(`---\n${manifest}`);
    if (read.ok && isJsonObject(read.value) && read.value["kind"] === "ClusterServiceVersion") return read.value;
  }
  return undefined;
}

/** JSON of the `olm.csv.metadata` value made from a ClusterServiceVersion; the problem is Go's error text. */
export function csvMetadata(csv: JsonObject): Result<string, string> {
  const complaint = misfit(csv, csvShape);
  if (complaint !== undefined) return failed(complaint);
  const metadata = objectIn(csv, "metadata");
  const spec = objectIn(csv, "spec");
  const value: JsonObject = {
    annotations: fieldOf(metadata, "annotations"),
    apiServiceDefinitions: fieldOf(spec, "apiservicedefinitions"),
    crdDescriptions: fieldOf(spec, "customresourcedefinitions"),
    description: fieldOf(spec, "description"),
    displayName: fieldOf(spec, "displayName"),
    installModes: fieldOf(spec, "installModes"),
    keywords: fieldOf(spec, "keywords"),
    labels: fieldOf(metadata, "labels"),
    links: fieldOf(spec, "links"),
    maintainers: fieldOf(spec, "maintainers"),
    maturity: fieldOf(spec, "maturity"),
    minKubeVersion: fieldOf(spec, "minKubeVersion"),
    nativeAPIs: fieldOf(spec, "nativeAPIs"),
    provider: fieldOf(spec, "provider"),
  };
  return done(encodeGo(value, csvMetadataShape));
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = fieldOf(object, name);
  return isJsonObject(value) ? value : {};
}
