import { customSchemaProblem } from "../../catalog/schemas/custom-schema.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import { upstreamText } from "../../catalog/problem.ts";
import { opmProblem } from "../../catalog/opm/validate.ts";
import { readCatalog } from "../../catalog-store/read/read-catalog.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { upstreamReading } from "./catalog-source.ts";

/**
 * Why upstream's server cannot build its cache of an invalid catalog; undefined when the catalog is valid. Custom blobs
 * are checked while reading, then each package separately; the first invalid package by name is reported.
 */
export function cacheBuildProblem(root: string): string | undefined {
  const packages = new Map<string, Omit<CatalogBlob, "json">[]>();
  for (const blob of readCatalog(root, upstreamReading)) {
    if (!blob.ok) return upstreamText(blob.problem);
    const { json: _json, ...entry } = blob.value;
    if (entry.content.kind === "custom") {
      const problem = customSchemaProblem(entry.schema, entry.packageName);
      if (problem !== undefined) return `invalid custom schema meta: ${problem}`;
      continue;
    }
    const known = packages.get(entry.packageName);
    if (known === undefined) packages.set(entry.packageName, [entry]);
    else known.push(entry);
  }
  for (const [name, entries] of [...packages].sort(([a], [b]) => compareBytes(a, b))) {
    const problem = opmProblem(entries.map((value) => ({ ok: true, value })));
    if (problem !== undefined) return `build package index: process package ${goQuote(name)}: ${problem}`;
  }
  return undefined;
}
