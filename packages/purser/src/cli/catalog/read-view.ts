import { type CatalogView, viewOf } from "../../catalog/catalog-view.ts";
import { checkCatalog } from "../../catalog/lint/check-catalog.ts";
import { judge } from "../../catalog/lint/judge.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { catalogTexts, refuseCatalog } from "./catalog-reference.ts";

/** All blobs of a valid catalog; for an invalid one a refusal that names the command which shows all problems. */
export function readValidBlobs(reference: string): Result<readonly CatalogBlob[], Explanation> {
  const refusal = refuseCatalog(reference);
  if (refusal !== undefined) return failed(refusal);
  const { blobs, findings } = checkCatalog(catalogTexts(reference));
  const errors = judge(findings, { severities: new Map() }).filter(({ severity }) => severity === "error");
  if (errors.length === 0) return done(blobs);
  return failed({
    code: "CatalogInvalid",
    summary: `the catalog ${JSON.stringify(reference)} does not validate: ${errors.length} ${errors.length === 1 ? "error" : "errors"}`,
    facts: { catalog: reference, errors: errors.length },
    derivation: errors.slice(0, 3).map(({ message, place }) => ({
      relation: "fact",
      subject: reference,
      text: `${formatPlace(place)}: ${message}`,
    })),
    remedies: [{ summary: "shows all of them", command: `purser catalog validate ${reference}` }],
  });
}

export function readView(reference: string): Result<CatalogView, Explanation> {
  const blobs = readValidBlobs(reference);
  return blobs.ok ? done(viewOf(blobs.value)) : blobs;
}
