import type { CatalogIndex } from "../catalog/catalog-index.ts";
import { indexDirectory } from "../catalog-store/format.ts";
import { openKeptIndex } from "../content/kept-index.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import { servedByStatus } from "../controllers/v0/catalog-source/plan/served-by-status.ts";
import { isDigest } from "@purser/kubernetes/digest";

/** The catalog indexes in the cache of this machine, by the digests in the status of catalog objects. */
export class KeptCatalogs {
  readonly #directory: string;
  readonly #open = new Map<string, CatalogIndex | undefined>();

  constructor(cacheDirectory: string) {
    this.#directory = indexDirectory(cacheDirectory);
  }

  /** Undefined when the text contains no digest or the index is not in the cache. */
  at(reference: string | undefined): CatalogIndex | undefined {
    const digest = reference?.split("@").at(-1) ?? "";
    if (!isDigest(digest)) return undefined;
    if (!this.#open.has(digest)) {
      this.#open.set(digest, openKeptIndex(this.#directory, digest, true));
    }
    return this.#open.get(digest);
  }

  ofSource(source: CatalogSource): CatalogIndex | undefined {
    return this.at(servedByStatus(source.status)?.text);
  }

  ofCatalog(catalog: ClusterCatalog): CatalogIndex | undefined {
    return this.at(catalog.status?.resolvedSource?.image?.ref);
  }
}
