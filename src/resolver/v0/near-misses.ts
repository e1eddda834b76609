import { nearestNames } from "../../explanation/nearest-name.ts";
import { parseTolerantVersion } from "../../version.ts";
import { formatGvk } from "./entry.ts";
import type { NamespaceInput } from "./input.ts";
import type { Predicate } from "./predicate.ts";

/** A bundle that almost meets a requirement, and why it does not. */
export interface NearMiss {
  readonly bundle: string;
  readonly catalog: string;
  readonly why: string;
}

const shown = 5;

const offChain = (channel: string): string => `it is off the upgrade chain of channel ${channel}`;

/** Bundles that come close to a requirement which nothing meets; at most five. */
export function nearMissesOf(input: NamespaceInput, predicate: Predicate): readonly NearMiss[] {
  const found: NearMiss[] = [];
  const inReach = new Set([input.namespace, input.globalNamespace]);
  for (const { key, content } of input.catalogs) {
    if (content.kind !== "present" || found.length >= shown) continue;
    const catalog = `${key.namespace}/${key.name}`;
    const outside = inReach.has(key.namespace) ? undefined : `catalog ${catalog} is not visible in ${input.namespace}`;
    if (predicate.kind === "package") {
      const channels = content.index.package(predicate.name)?.channels ?? [];
      for (const { name: channel, bundles } of channels)
        for (const { name, version } of bundles) {
          const parsed = parseTolerantVersion(version);
          const fits = parsed.ok && predicate.range.includes(parsed.value);
          const why = fits ? offChain(channel) : `version ${version} is not in ${predicate.range.text}`;
          found.push({ bundle: name, catalog, why: outside ?? why });
        }
    }
    if (predicate.kind === "api") {
      const { group, version, kind } = predicate.api;
      for (const { name, channel } of content.index.providers({ group, version, kind }))
        found.push({ bundle: name, catalog, why: outside ?? offChain(channel) });
      for (const packageName of nearestNames(kind.toLowerCase(), content.index.packages(), 3))
        for (const { bundles } of content.index.package(packageName)?.channels ?? [])
          for (const bundle of bundles)
            for (const api of bundle.provides)
              if (api.kind === kind && (api.group !== group || api.version !== version))
                found.push({ bundle: bundle.name, catalog, why: `it provides ${formatGvk(api)}` });
    }
  }
  const unique = new Map(found.map((miss) => [`${miss.catalog} ${miss.bundle}`, miss]));
  return [...unique.values()].slice(0, shown);
}
