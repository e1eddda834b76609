import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { decodeBase64 } from "./loading/decode.ts";
import { fieldOf, itemsOf, textOf } from "./schemas/go-shape.ts";

/** The manifests of a kind that a bundle blob embeds as `olm.bundle.object`; manifests that cannot be read are ignored. */
export function* embeddedObjects(bundle: JsonObject, kind: string): Generator<JsonObject> {
  for (const property of itemsOf(bundle, "properties")) {
    if (!isJsonObject(property) || textOf(property, "type") !== "olm.bundle.object") continue;
    const value = fieldOf(property, "value");
    const data = isJsonObject(value) ? textOf(value, "data") : "";
    // The decoder of the blob only checked manifests that are not JSON.
    const manifest = decodeBase64(data);
    // Parsing is expensive, and a manifest of the kind contains its name.
    if (!manifest.includes(kind)) continue;
    const read = readYaml(manifest);
    if (read.ok && isJsonObject(read.value) && read.value["kind"] === kind) yield read.value;
  }
}
