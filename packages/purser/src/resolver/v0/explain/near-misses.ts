import { nearestNames } from "../../../explanation/nearest-name.ts";
import type { ApiRef, BundleSummary, CatalogIndex } from "../../../catalog/catalog-index.ts";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { formatGvk } from "../entry.ts";
import type { NamespaceInput } from "../input.ts";
import type { Predicate } from "../predicate.ts";

/** A bundle that almost meets a requirement, and why it does not. */
export interface NearMiss {
  readonly bundle: string;
  readonly catalog: string;
  readonly why: string;
}

const shown = 5;

const offChain = (channel: string): string => `it is off the upgrade chain of channel ${channel}`;

/** Bundles that come close to a requirement which nothing meets; at most five, and no more packages are read for them. */
export function nearMissesOf(input: NamespaceInput, predicate: Predicate): readonly NearMiss[] {
  const found = new Map<string, NearMiss>();
  for (const miss of missesOf(input, predicate)) {
    const key = `${miss.catalog} ${miss.bundle}`;
    if (found.size >= shown && !found.has(key)) break;
    found.set(key, miss);
  }
  return [...found.values()];
}

function* missesOf(input: NamespaceInput, predicate: Predicate): Generator<NearMiss, void> {
  const inReach = new Set([input.namespace, input.globalNamespace]);
  for (const { key, content } of input.catalogs) {
    if (content.kind !== "present") continue;
    const catalog = `${key.namespace}/${key.name}`;
    const outside = inReach.has(key.namespace) ? undefined : `catalog ${catalog} is not visible in ${input.namespace}`;
    if (predicate.kind === "package") {
      const channels = content.index.package(predicate.name)?.channels ?? [];
      for (const { name: channel, bundles } of channels)
        for (const { name, version } of bundles) {
          const parsed = parseTolerantVersion(version);
          const fits = parsed.ok && predicate.range.includes(parsed.value);
          const why = fits ? offChain(channel) : `version ${version} is not in ${predicate.range.text}`;
          yield { bundle: name, catalog, why: outside ?? why };
        }
    }
    if (predicate.kind === "api") {
      const { group, version, kind } = predicate.api;
      const sameApi = (api: ApiRef): boolean => api.kind === kind && api.group === group && api.version === version;
      for (const packageName of content.index.packagesProviding({ group, version, kind }))
        for (const bundle of bundlesOf(content.index, packageName))
          if (bundle.provides.some(sameApi))
            yield { bundle: bundle.name, catalog, why: outside ?? offChain(bundle.channel) };
      for (const packageName of nearestNames(kind.toLowerCase(), content.index.packages(), 3))
        for (const bundle of bundlesOf(content.index, packageName))
          for (const api of bundle.provides)
            if (api.kind === kind && !sameApi(api))
              yield { bundle: bundle.name, catalog, why: `it provides ${formatGvk(api)}` };
    }
  }
}

function* bundlesOf(index: CatalogIndex, packageName: string): Generator<BundleSummary, void> {
  for (const { bundles } of index.package(packageName)?.channels ?? []) yield* bundles;
}
