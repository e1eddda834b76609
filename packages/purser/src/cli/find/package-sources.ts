import type { ReadableCatalog } from "../../catalog/content.ts";
import type { InstalledPackage, PackageSource } from "../../discovery/offers.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { type Installation, installationsOf } from "../../installation/installation.ts";
import type { OptionSpec } from "../command.ts";

/** Flags of the commands that find packages: with a catalog or a snapshot they need no cluster. */
export const findOptions: readonly OptionSpec[] = [
  {
    flags: "--catalog [NAMESPACE/]NAME=PATH",
    summary: "read this catalog instead of a cluster's: a directory, file or image",
    repeatable: true,
  },
  {
    flags: "--snapshot FILE",
    summary: "read objects from this YAML or JSON file instead of a cluster; - for standard input",
  },
];

/** A catalog that could not be looked in. */
export interface UnreadSource {
  readonly name: string;
  readonly cause: string;
}

/** The catalogs of a world. */
export interface FoundSources {
  readonly sources: readonly PackageSource[];
  readonly unread: readonly UnreadSource[];
}

/** The CatalogSources and ClusterCatalogs of the world; those of one name with the same content are one source. */
export function sourcesOf({ snapshot, contentOfSource, contentOfCatalog }: DecisionWorld): FoundSources {
  const sources = new Map<string, PackageSource>();
  const unread: UnreadSource[] = [];
  const add = (
    name: string,
    reference: string,
    priority: number,
    readAt: string | undefined,
    content: ReadableCatalog,
  ): void => {
    if (content.kind === "unavailable") {
      unread.push({ name: reference, cause: content.cause });
      return;
    }
    const { index } = content;
    const key = `${name} ${index.digest}`;
    const known = sources.get(key);
    sources.set(key, {
      name,
      references: [...(known?.references ?? []), reference],
      priority: Math.max(priority, known?.priority ?? priority),
      ...(readAt === undefined ? {} : { readAt }),
      index: known?.index ?? index,
    });
  };
  for (const source of snapshot.catalogSources) {
    const { namespace = "", name = "" } = source.metadata;
    const readAt = source.status?.latestImageRegistryPoll ?? source.status?.connectionState?.lastConnect;
    add(name, `${namespace}/${name}`, source.spec.priority ?? 0, readAt, contentOfSource(source));
  }
  for (const catalog of snapshot.clusterCatalogs) {
    const { name = "" } = catalog.metadata;
    // An unavailable catalog is switched off by its owner: it is neither searched nor missed.
    if (catalog.spec.availabilityMode === "Unavailable") continue;
    add(name, `cc/${name}`, catalog.spec.priority ?? 0, catalog.status?.lastUnpacked, contentOfCatalog(catalog));
  }
  return { sources: [...sources.values()], unread };
}

/** The installations of the world, with the channels that they follow; orphans belong to no package. */
export function installedIn({ snapshot }: DecisionWorld): readonly (InstalledPackage & Installation)[] {
  const { subscriptions, clusterServiceVersions, installPlans, clusterExtensions } = snapshot;
  const channels = new Map<string, readonly string[]>();
  for (const { metadata, spec } of subscriptions)
    channels.set(`sub/${metadata.namespace}/${metadata.name}`, spec.channel === undefined ? [] : [spec.channel]);
  for (const { metadata, spec } of clusterExtensions)
    channels.set(`ext/${metadata.name}`, spec?.source.catalog?.channels ?? []);
  return installationsOf({ subscriptions, csvs: clusterServiceVersions, installPlans, extensions: clusterExtensions })
    .filter(({ packageName }) => packageName !== "")
    .map((one) => ({ ...one, channels: channels.get(one.reference) ?? [] }));
}

/** How texts name a source: by its name, or by its reference where another one has the same name. */
export function sourceLabel(source: PackageSource, all: readonly PackageSource[]): string {
  const isShared = all.some((other) => other !== source && other.name === source.name);
  return isShared ? (source.references[0] ?? source.name) : source.name;
}
