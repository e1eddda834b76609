// Catalogs that carry the objects of their bundles, for tests.
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { indexOfBlobs, propertiesOf } from "./short-catalog.ts";

/** A bundle that a catalog carries itself. */
export interface Carried {
  readonly package: string;
  readonly channel?: string;
  /** `NAME VERSION ...`, as in catalogs in shorthand. */
  readonly line: string;
  readonly replaces?: string;
  /** Delivered by image; otherwise the catalog holds a CSV and these objects. */
  readonly image?: string;
  readonly objects?: readonly JsonObject[];
  readonly csvSpec?: JsonObject;
  /** An `olm.csv.metadata` property in place of the CSV. */
  readonly metadata?: JsonObject;
}

const encoded = (object: JsonObject): string => Buffer.from(JSON.stringify(object)).toString("base64");

/** A catalog with these bundles, each in the channel that it names. */
export function carriedCatalog(bundles: readonly Carried[]): CatalogIndex {
  const blobs: JsonObject[] = [];
  const channels = new Map<string, JsonObject[]>();
  for (const bundle of bundles) {
    const [name = "", version = ""] = bundle.line.split(" ");
    const channel = bundle.channel ?? "alpha";
    if (!blobs.some((blob) => blob["schema"] === "olm.package" && blob["name"] === bundle.package))
      blobs.push({ schema: "olm.package", name: bundle.package, defaultChannel: channel });
    const key = `${bundle.package}/${channel}`;
    const entry = { name, ...(bundle.replaces === undefined ? {} : { replaces: bundle.replaces }) };
    channels.set(key, [...(channels.get(key) ?? []), entry]);
    const csv: JsonObject = {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      metadata: { name },
      spec: { version, install: { strategy: "deployment", spec: { deployments: [] } }, ...bundle.csvSpec },
    };
    const { metadata, objects = [] } = bundle;
    const carried = [...(metadata === undefined ? [csv] : []), ...objects].map((object) => ({
      type: "olm.bundle.object",
      value: { data: encoded(object) },
    }));
    blobs.push({
      schema: "olm.bundle",
      name,
      package: bundle.package,
      image: bundle.image ?? "",
      properties: [
        ...propertiesOf(bundle.line, bundle.package),
        ...(bundle.image === undefined ? carried : []),
        ...(metadata === undefined ? [] : [{ type: "olm.csv.metadata", value: metadata }]),
      ],
    });
  }
  for (const [key, entries] of channels) {
    const [packageName = "", channel = ""] = key.split("/");
    blobs.push({ schema: "olm.channel", name: channel, package: packageName, entries });
  }
  return indexOfBlobs(blobs);
}
