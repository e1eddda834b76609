import { invariant } from "@purser/kubernetes/invariant";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { registryManifests } from "../../catalog/registry-bundle.ts";
import type { OfferedPackage } from "../package-manifest.ts";

/** A CatalogSource in namespace `olm`. */
export function sourceNamed(name: string, change: Partial<CatalogSource["metadata"]> = {}): CatalogSource {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { name, namespace: "olm", creationTimestamp: "2026-01-01T00:00:00Z", ...change },
    spec: { sourceType: "grpc", displayName: `Catalog ${name}`, publisher: "Example" },
  };
}

/** Documents of the package `pkg`: channels by name with their bundles, the last of which is the head. */
export interface CatalogText {
  readonly defaultChannel: string;
  readonly channels: Readonly<Record<string, readonly string[]>>;
  /** Values of `olm.csv.metadata` by version, and further properties. */
  readonly metadata?: Readonly<Record<string, object>>;
  readonly properties?: Readonly<Record<string, readonly object[]>>;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly deprecations?: readonly object[];
}

/** The package `pkg` as `source` offers it, with ClusterServiceVersions as the registry makes them from metadata. */
export function offered(catalog: CatalogText, source = sourceNamed("cat")): OfferedPackage {
  const { channels, defaultChannel, metadata = {}, properties = {}, icon, deprecations = [] } = catalog;
  const versions = [...new Set(Object.values(channels).flat())];
  const documents = [
    { schema: "olm.package", name: "pkg", defaultChannel, ...(icon === undefined ? {} : { icon }) },
    ...Object.entries(channels).map(([name, entries]) => ({
      schema: "olm.channel",
      package: "pkg",
      name,
      entries: entries.map((version, at) => ({
        name: `pkg.v${version}`,
        ...(at === 0 ? {} : { replaces: `pkg.v${entries[at - 1] ?? ""}` }),
      })),
    })),
    ...versions.map((version) => ({
      schema: "olm.bundle",
      package: "pkg",
      name: `pkg.v${version}`,
      image: `example.com/pkg@sha256:${"0".repeat(64)}`,
      properties: [
        { type: "olm.package", value: { packageName: "pkg", version } },
        ...(metadata[version] === undefined ? [] : [{ type: "olm.csv.metadata", value: metadata[version] }]),
        ...(properties[version] ?? []),
      ],
      relatedImages: [{ name: "manager", image: `example.com/manager:${version}` }],
    })),
    ...(deprecations.length === 0 ? [] : [{ schema: "olm.deprecations", package: "pkg", entries: deprecations }]),
  ];
  const { blobs, problems } = loadCatalog([
    { file: "catalog.json", text: documents.map((each) => JSON.stringify(each)).join("\n") },
  ]);
  invariant(problems.length === 0, JSON.stringify(problems));
  const index = indexOf(blobs);
  const summary = index.package("pkg");
  invariant(summary !== undefined, "the catalog has the package");
  const [pack] = summary.blobs;
  invariant(pack !== undefined, "the package has a document");
  const headCsv: OfferedPackage["headCsv"] = ({ bundles, head }) => {
    const bundle = bundles.find(({ name }) => name === head);
    return bundle === undefined ? "" : registryManifests(index.blob(bundle.blob), index.blob(pack)).csvJson;
  };
  return { source, summary, headCsv };
}
