import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogRequest, ContentProblem, Poll } from "../catalog/content.ts";
import { indexDirectory } from "../catalog-store/format.ts";
import { catalogAddress } from "./address/catalog-address.ts";
import { catalogConfigMap } from "./catalog-config-map.ts";
import { isLocalReference } from "../image/layout/local-reference.ts";
import { catalogDirectory } from "./catalog-directory.ts";
import { catalogImage, type ImageAccess } from "./catalog-image.ts";
import type { ConfigMaps } from "./config-maps.ts";
import { type FoundCatalog, namedByIndex } from "./found-catalog.ts";
import type { ImageIndexes } from "./image-indexes.ts";
import type { SourceReader } from "./source-reader.ts";

/** A catalog given on the command line, under the name that its objects carry. */
export interface RegisteredCatalog {
  readonly namespace: string;
  readonly name: string;
  /** A directory or file, or an image on this machine (`oci:DIR`, `oci-archive:FILE`, `docker-archive:FILE`). */
  readonly path: string;
}

export interface CatalogReaderOptions {
  readonly catalogs: readonly RegisteredCatalog[];
  /** Indexes are kept below it; it may vanish between runs. */
  readonly cacheDir: string;
  readonly clock: Clock;
  /** Absent: catalogs in ConfigMaps are refused. */
  readonly configMaps?: ConfigMaps;
  /** Absent: nothing is pulled. */
  readonly imageAccess?: ImageAccess;
  /** Whether a directory with faulty packages is refused as a whole; otherwise its other packages are used. */
  readonly refusesFaultyPackages?: true;
  /** Entrance of the index builder when it does not lie beside the catalog store. */
  readonly builder?: string;
}

interface ReaderParts extends CatalogReaderOptions {
  /** Shared by all readers of a process. */
  readonly imageIndexes: ImageIndexes;
}

/** An image on this machine is looked at as often as a directory. */
const localPoll: Poll = { everyMs: 2000, jitter: [1, 1] };

/**
 * What reads the source of a request, or why this process does not read it. A new kind of source gets its line here.
 * @param poll the interval of the newest request for this content
 */
export function catalogReader(
  request: CatalogRequest,
  { catalogs, cacheDir, clock, builder, configMaps, imageAccess, imageIndexes, refusesFaultyPackages }: ReaderParts,
  poll: () => Poll | undefined,
): Result<SourceReader<FoundCatalog>, ContentProblem> {
  const { source } = request;
  const building = { indexes: indexDirectory(cacheDir), clock, ...(builder === undefined ? {} : { builder }) };
  const image = (
    reference: string,
    polling = poll,
    directory?: string,
  ): Result<SourceReader<FoundCatalog>, ContentProblem> =>
    imageAccess === undefined
      ? failed({
          cause: `the image ${reference} cannot be pulled: this process reads catalogs from directories only`,
          remedy: "Register the catalog with --catalog NAME=PATH.",
        })
      : done(
          catalogImage({
            ...imageAccess,
            reference,
            directory,
            request,
            poll: polling,
            indexes: imageIndexes,
            clock,
          }),
        );
  switch (source.kind) {
    case "directory": {
      const { name } = source;
      const path = catalogs.find((catalog) => catalog.name === name)?.path;
      if (path === undefined)
        return failed({
          cause: `no catalog named ${name} is registered with this process`,
          remedy: `Start it with --catalog ${name}=PATH.`,
        });
      if (isLocalReference(path)) return image(path, () => localPoll);
      const form = refusesFaultyPackages === true ? "catalog" : "lenient";
      return done(namedByIndex(catalogDirectory({ name, path, form, ...building })));
    }
    case "image":
      return image(source.reference, poll, source.directory);
    case "address":
      return done(namedByIndex(catalogAddress({ address: source.address, ...building })));
    case "configMap":
      if (configMaps === undefined)
        return failed({
          cause: "catalogs in ConfigMaps are not read by this process, which has no cluster",
          remedy: "Register the catalog with --catalog NAME=PATH.",
        });
      return done(namedByIndex(catalogConfigMap({ ...source, configMaps, ...building })));
  }
}
