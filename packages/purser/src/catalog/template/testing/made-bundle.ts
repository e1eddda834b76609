import type { JsonObject } from "@purser/kubernetes/json";
import type { CatalogBlob } from "../../model.ts";
import { madeBlob } from "../read-template.ts";

/** An `olm.bundle` of package `kiln`, as rendering its image would give it. */
export function madeBundle(
  name: string,
  version: string,
  image: string,
  properties: readonly JsonObject[] = [],
): CatalogBlob {
  const own = { type: "olm.package", value: { packageName: "kiln", version } };
  const blob = {
    schema: "olm.bundle",
    name: `${name}.v${version}`,
    package: "kiln",
    image,
    properties: [own, ...properties],
  };
  return madeBlob(blob, { file: image });
}

/** A manifest as a bundle embeds it. */
export function embeddedManifest(manifest: JsonObject): JsonObject {
  return { type: "olm.bundle.object", value: { data: btoa(JSON.stringify(manifest)) } };
}
