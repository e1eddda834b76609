import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { readYaml } from "../../text/documents.ts";
import { csvMetadataShape, csvShape } from "../blob-shapes.ts";
import { decodeBase64 } from "../decode.ts";
import { encodeGo } from "../go-encode.ts";
import { fieldOf, itemsOf, misfit, textOf } from "../go-shape.ts";

/** The manifests embedded in a bundle blob, decoded; those that are no YAML were refused when it was loaded. */
export function bundleObjects(bundle: JsonObject): readonly JsonValue[] {
  return itemsOf(bundle, "properties").flatMap((property) => {
    if (!isJsonObject(property) || textOf(property, "type") !== "olm.bundle.object") return [];
    const value = fieldOf(property, "value");
    const read = readYaml(decodeBase64(isJsonObject(value) ? textOf(value, "data") : ""));
    return read.ok ? [read.value] : [];
  });
}

/** The first embedded ClusterServiceVersion. */
export function embeddedCsv(bundle: JsonObject): JsonObject | undefined {
  return bundleObjects(bundle).find(
    (object): object is JsonObject => isJsonObject(object) && object["kind"] === "ClusterServiceVersion",
  );
}

/** JSON of the `olm.csv.metadata` value made from a ClusterServiceVersion; the problem is in Go's words. */
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
