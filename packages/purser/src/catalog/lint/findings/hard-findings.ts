import type { CatalogBlob } from "../../model.ts";
import { bundleFindings } from "./bundle-findings.ts";
import { viewOf } from "../../catalog-view.ts";
import type { Checked } from "./checked.ts";
import { channelFindings } from "./channel-findings.ts";
import { deprecationFindings } from "./deprecation-findings.ts";
import type { Finding } from "../finding.ts";
import { packageFindings } from "./package-findings.ts";
import { servingFindings } from "./serving-findings.ts";

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
