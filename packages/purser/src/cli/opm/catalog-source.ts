import { existsSync } from "node:fs";
import type { RenderSource } from "../../catalog/opm/read-sources.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalog } from "../../catalog-store/read-catalog.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { isBundleDirectory, isFolder, readBundleDirectory } from "../bundle-directory.ts";

/** Upstream's way to read a catalog: empty documents are refused, links out of the directory are followed. */
export const upstreamReading = { refuseEmptyDocuments: true, followOutside: true };

/** A reference of an `opm` command: a catalog or bundle directory. Any other reference fails with a reason when it is read. */
export function catalogSource(reference: string): RenderSource {
  const isBundle = isBundleDirectory(reference);
  return {
    reference,
    ...(isBundle ? { bundle: () => readBundleDirectory(reference) } : {}),
    *read() {
      const refused = isBundle ? notAllowed(`bundle directory ${goQuote(reference)}`) : refusal(reference);
      if (refused === undefined) yield* readCatalog(reference, upstreamReading);
      else yield { ok: false, problem: { rule: "unreadable", message: refused } satisfies CatalogProblem };
    },
  };
}

/** Upstream's error text for a kind of reference that a command does not accept. */
export function notAllowed(what: string): string {
  return `cannot render ${what}: not allowed`;
}

function refusal(reference: string): string | undefined {
  if (!existsSync(reference))
    return `${goQuote(reference)} is not a directory; reading image references is not built yet, unpack the image and name its folder`;
  return isFolder(reference) ? undefined : `ref ${goQuote(reference)} is not a directory: not allowed`;
}
