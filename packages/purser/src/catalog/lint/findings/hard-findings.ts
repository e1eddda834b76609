import type { CatalogBlob } from "../../model.ts";
import { bundleFindings } from "./bundle-findings.ts";
import { type CatalogView, viewOf } from "../../catalog-view.ts";
import { channelFindings } from "./channel-findings.ts";
import { deprecationFindings } from "./deprecation-findings.ts";
import type { Finding } from "../finding.ts";
import { packageFindings } from "./package-findings.ts";
import { servingFindings } from "./serving-findings.ts";

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

/** Every broken invariant of a catalog whose documents could be read, and what upstream's checks leave to servers. */
export function hardFindings(blobs: readonly CatalogBlob[], isPartial: Checked["isPartial"]): readonly Finding[] {
  const checked = { blobs, view: viewOf(blobs), isPartial };
  return [
    ...packageFindings(checked),
    ...channelFindings(checked),
    ...bundleFindings(checked),
    ...deprecationFindings(checked),
    ...servingFindings(checked),
  ];
}
