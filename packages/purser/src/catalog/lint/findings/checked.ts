import type { CatalogView } from "../../catalog-view.ts";
import type { CatalogBlob } from "../../model.ts";

/** The input of the checks of one catalog. */
export interface Checked {
  readonly blobs: readonly CatalogBlob[];
  readonly view: CatalogView;
  /**
   * Whether documents of the package may be missing because a file could not be read: absent objects are then
   * not reported.
   */
  readonly isPartial: (packageName: string) => boolean;
}
