import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { RenderSource } from "../../catalog/opm/read-sources.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalog } from "../../catalog-store/read-catalog.ts";
import { goQuote } from "../../go-quote.ts";
import { isBundleDirectory, isFolder, readBundleDirectory } from "../bundle-directory.ts";

/** How upstream reads a catalog: documents without content are refused, links are followed anywhere. */
export const upstreamReading = { refuseEmptyDocuments: true, followOutside: true };

/** A reference of an `opm` command: a folder of a catalog or a bundle. Anything else fails when it is read, with the reason. */
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

/** Upstream's words for a reference that a command does not take. */
export function notAllowed(what: string): string {
  return `cannot render ${what}: not allowed`;
}

function refusal(reference: string): string | undefined {
  if (!existsSync(reference))
    return `${goQuote(reference)} is no folder here; reading image references is not built yet, unpack the image and name its folder`;
  return isFolder(reference) ? undefined : fileRefusal(reference);
}

/** First bytes (latin1), where they start, and how opm's detection of file types prints what they mean. */
const fileTypes = [
  { start: 0, magic: "\u001f\u008b\b", type: "{{application gzip application/gzip} gz}" },
  { start: 257, magic: "ustar", type: "{{application x-tar application/x-tar} tar}" },
];

/**
 * Upstream's words for a file in place of a folder; `checkDBFile` of its `action` package. Of the types that it detects
 * only SQLite and the two of catalog archives have their own words here, every other file is of an unknown type.
 */
export function fileRefusal(reference: string): string {
  const head = Buffer.alloc(262);
  try {
    const file = openSync(reference, "r");
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const text = head.toString("latin1");
  if (text.startsWith("SQLite format 3\0")) return notAllowed("sqlite file");
  const found = fileTypes.find(({ start, magic }) => text.startsWith(magic, start));
  return `ref ${goQuote(reference)} has unsupported file type: ${found?.type ?? "{{  } unknown}"}`;
}
