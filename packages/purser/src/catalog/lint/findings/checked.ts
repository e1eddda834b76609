import type { CatalogView } from "../../catalog-view.ts";
import type { CatalogBlob } from "../../model.ts";

/** What a check of one catalog looks at. */
export interface Checked {
  readonly blobs: readonly CatalogBlob[];
  readonly view: CatalogView;
  /**
   * Whether documents of the package may be missing because a file could not be read: then nothing is said
   * about what is absent.
   */
  readonly isPartial: (packageName: string) => boolean;
}
