import { type CatalogView, viewOf } from "../../catalog/catalog-view.ts";
import { checkCatalog } from "../../catalog/lint/check-catalog.ts";
import { judge } from "../../catalog/lint/judge.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { LocalContent } from "../image/local-content.ts";
import { catalogTexts, refuseCatalog } from "./catalog-reference.ts";
import { counted } from "../../explanation/summary.ts";

/** All blobs of a valid catalog; for an invalid one a refusal that names the command which shows all problems. */
export function readValidBlobs(content: LocalContent): Result<readonly CatalogBlob[], Explanation> {
  const { reference } = content;
  const refusal = refuseCatalog(content);
  if (refusal !== undefined) return failed(refusal);
  const { blobs, findings } = checkCatalog(catalogTexts(content));
  const errors = judge(findings, { severities: new Map() }).filter(({ severity }) => severity === "error");
  if (errors.length === 0) return done(blobs);
  return failed({
    code: "CatalogInvalid",
    summary: `the catalog ${JSON.stringify(reference)} does not validate: ${counted(errors.length, "error")}`,
    facts: { catalog: reference, errors: errors.length },
    derivation: errors.slice(0, 3).map(({ message, place }) => ({
      relation: "fact",
      subject: reference,
      text: `${formatPlace(place)}: ${message}`,
    })),
    remedies: [{ summary: "shows all of them", command: `purser catalog validate ${reference}` }],
  });
}

export function readView(content: LocalContent): Result<CatalogView, Explanation> {
  const blobs = readValidBlobs(content);
  return blobs.ok ? done(viewOf(blobs.value)) : blobs;
}
