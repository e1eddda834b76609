import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogRequest, ContentProblem } from "../catalog/content.ts";
import { indexFolder } from "../catalog-store/format.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import { catalogAddress } from "./catalog-address.ts";
import { catalogConfigMap } from "./catalog-config-map.ts";
import { catalogFolder } from "./catalog-folder.ts";
import type { ConfigMaps } from "./config-maps.ts";
import type { SourceReader } from "./source-reader.ts";

/** A catalog given on the command line: a folder or file, under the name that its objects carry. */
export interface RegisteredCatalog {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

export interface CatalogReaderOptions {
  readonly catalogs: readonly RegisteredCatalog[];
  /** Indexes are kept below it; it may vanish between runs. */
  readonly cacheDir: string;
  readonly clock: Clock;
  /** Absent: catalogs in ConfigMaps are refused. */
  readonly configMaps?: ConfigMaps;
  /** Entrance of the index builder when it does not lie beside the catalog store. */
  readonly builder?: string;
}

/** What reads the source of a request, or why this process does not read it. A new kind of source gets its line here. */
export function catalogReader(
  { source }: CatalogRequest,
  { catalogs, cacheDir, clock, builder, configMaps }: CatalogReaderOptions,
): Result<SourceReader<StoredIndex>, ContentProblem> {
  const entrance = builder === undefined ? {} : { builder };
  switch (source.kind) {
    case "folder": {
      const { name } = source;
      const path = catalogs.find((catalog) => catalog.name === name)?.path;
      if (path === undefined)
        return failed({
          cause: `no catalog named ${name} is registered with this process`,
          remedy: `Start it with --catalog ${name}=PATH.`,
        });
      return done(catalogFolder({ name, path, indexes: indexFolder(cacheDir), clock, ...entrance }));
    }
    case "image":
      return failed({
        cause: `the image ${source.reference} cannot be pulled: this version reads catalogs from folders only`,
        remedy: "Register the catalog with --catalog NAME=PATH.",
      });
    case "address":
      return done(catalogAddress({ address: source.address, indexes: indexFolder(cacheDir), clock, ...entrance }));
    case "configMap":
      if (configMaps === undefined)
        return failed({
          cause: "catalogs in ConfigMaps are not read by this process, which has no cluster",
          remedy: "Register the catalog with --catalog NAME=PATH.",
        });
      return done(catalogConfigMap({ ...source, configMaps, indexes: indexFolder(cacheDir), clock, ...entrance }));
  }
}
