import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RenderSource } from "../../catalog/opm/read-sources.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalog } from "../../catalog-store/read-catalog.ts";
import { goQuote } from "../../go-quote.ts";

/** How upstream reads a catalog: documents without content are refused, links are followed anywhere. */
export const upstreamReading = { refuseEmptyDocuments: true, followOutside: true };

/** A reference of an `opm` command: a catalog's folder. Anything else fails when it is read, with the reason. */
export function catalogSource(reference: string): RenderSource {
  return {
    reference,
    *read() {
      const refused = refusal(reference);
      if (refused === undefined) yield* readCatalog(reference, upstreamReading);
      else yield { ok: false, problem: { rule: "unreadable", message: refused } satisfies CatalogProblem };
    },
  };
}

function refusal(reference: string): string | undefined {
  if (!existsSync(reference))
    return `${goQuote(reference)} is no folder here; reading image references is not built yet, unpack the image and name its folder`;
  if (!statSync(reference).isDirectory()) return `ref ${goQuote(reference)} is not a directory: not allowed`;
  const isFolder = (name: string): boolean => {
    const path = join(reference, name);
    return existsSync(path) && statSync(path).isDirectory();
  };
  if (isFolder("manifests") && isFolder("metadata"))
    return `${goQuote(reference)} is a bundle directory; rendering bundles is not built yet`;
  return undefined;
}
