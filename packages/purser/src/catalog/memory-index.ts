import { digestOf } from "@purser/kubernetes/digest";
import { invariant } from "@purser/kubernetes/invariant";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { CatalogIndex, PackageSummary } from "./catalog-index.ts";
import type { CatalogBlob } from "./model.ts";
import type { PackageName } from "./names.ts";
import { apiKey, canonicalOrder, packageRecords, providedApis, providersIn, summaryOf } from "./package-record.ts";

/**
 * A catalog index that holds its blobs in memory: for tests, the browser and resolution on files. It answers exactly
 * as the stored index of the same blobs. The digest is computed when first asked for.
 * @testOnly the product opens stored indexes
 */
export function indexOf(blobs: readonly CatalogBlob[]): CatalogIndex {
  const ordered = canonicalOrder(blobs).flatMap((position) => blobs[position] ?? []);
  const summaries = new Map<string, PackageSummary>();
  const providers = new Map<string, PackageSummary[]>();
  for (const record of packageRecords(ordered)) {
    const summary = summaryOf(record);
    summaries.set(record.name, summary);
    for (const api of providedApis(record)) {
      const known = providers.get(api);
      if (known === undefined) providers.set(api, [summary]);
      else known.push(summary);
    }
  }
  const names = [...summaries.keys()] as PackageName[];
  return {
    get digest() {
      return digestOf(ordered.map(({ json }) => `${canonicalJson(json)}\n`).join(""));
    },
    packages: () => names,
    package: (name) => summaries.get(name),
    providers: (api) => {
      const key = apiKey(api);
      return (providers.get(key) ?? []).flatMap((summary) => providersIn(summary, key));
    },
    packagesProviding: (api) => (providers.get(apiKey(api)) ?? []).map(({ name }) => name),
    blob: (id) => {
      const blob = ordered[id];
      invariant(blob !== undefined, `blob ${id} is one of the ${ordered.length} of this index`);
      return blob.json;
    },
  };
}
