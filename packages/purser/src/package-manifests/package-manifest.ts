import { compareBytes } from "@purser/kubernetes/text/documents";
import { compareVersions, parseVersion, type Version } from "@purser/kubernetes/version";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ObjectMeta } from "@purser/kubernetes/apis/object";
import {
  type ChannelEntry,
  type Deprecation,
  type PackageChannel,
  type PackageManifest,
  packagesGroup,
  packagesVersion,
} from "../apis/v0/package-manifest.ts";
import type { ChannelSummary, PackageSummary } from "../catalog/catalog-index.ts";
import { describe, type HeadCsv, readHeadCsv } from "./head-csv.ts";

/** A package as a CatalogSource offers it. */
export interface OfferedPackage {
  readonly source: CatalogSource;
  readonly summary: PackageSummary;
  /** JSON of the ClusterServiceVersion at the head of a channel; "" when there is none. Reads the index: ask sparingly. */
  readonly headCsv: (channel: ChannelSummary) => string;
}

/** The channel whose head a PackageManifest takes its labels, provider and icon from. */
export interface PrimaryHead {
  readonly channel: ChannelSummary;
  readonly csv: HeadCsv;
}

/**
 * The default channel, or the first by name when the package names none or its head cannot be read; undefined when no
 * channel has a readable head. Then OLM's package server does not list the package.
 */
export function primaryHead({ summary, headCsv }: OfferedPackage): PrimaryHead | undefined {
  const isDefault = ({ name }: ChannelSummary): boolean => name === summary.defaultChannel;
  const ordered = [...summary.channels.filter(isDefault), ...summary.channels.filter((each) => !isDefault(each))];
  for (const channel of ordered) {
    const csv = readHeadCsv(headCsv(channel));
    if (csv !== undefined) return { channel, csv };
  }
  return undefined;
}

/** Metadata of the PackageManifest: the CatalogSource's namespace, age and labels, and what the package says of itself. */
export function manifestMetadata({ source, summary }: OfferedPackage, { csv }: PrimaryHead): ObjectMeta {
  const { name = "", namespace = "", labels: own, creationTimestamp } = source.metadata;
  const labels: Record<string, string> = {
    ...own,
    catalog: name,
    "catalog-namespace": namespace,
    provider: csv.provider.name ?? "",
    "provider-url": csv.provider.url ?? "",
    ...csv.labels,
  };
  const hasPlatform = (prefix: string): boolean => Object.keys(labels).some((key) => key.startsWith(prefix));
  if (!hasPlatform("operatorframework.io/os")) labels["operatorframework.io/os.linux"] = "supported";
  if (!hasPlatform("operatorframework.io/arch")) labels["operatorframework.io/arch.amd64"] = "supported";
  return {
    name: summary.name,
    namespace,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    labels: Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => compareBytes(a, b))),
  };
}

/** The whole PackageManifest, its icons included. Channels whose head cannot be read are left out. */
export function packageManifest(offered: OfferedPackage, primary: PrimaryHead): PackageManifest {
  const { source, summary, headCsv } = offered;
  const channels = summary.channels.flatMap((channel) => {
    const csv = channel === primary.channel ? primary.csv : readHeadCsv(headCsv(channel));
    return csv === undefined ? [] : [channelOf(channel, csv)];
  });
  const hasDefault = channels.some(({ name }) => name === summary.defaultChannel);
  return {
    apiVersion: `${packagesGroup}/${packagesVersion}`,
    kind: "PackageManifest",
    metadata: manifestMetadata(offered, primary),
    spec: {},
    status: {
      catalogSource: source.metadata.name ?? "",
      catalogSourceDisplayName: source.spec.displayName ?? "",
      catalogSourcePublisher: source.spec.publisher ?? "",
      catalogSourceNamespace: source.metadata.namespace ?? "",
      provider: primary.csv.provider,
      packageName: summary.name,
      ...deprecationOf(summary.deprecation),
      channels,
      defaultChannel: hasDefault ? summary.defaultChannel : primary.channel.name,
    },
  };
}

function channelOf(channel: ChannelSummary, csv: HeadCsv): PackageChannel {
  return {
    name: channel.name,
    currentCSV: csv.name,
    currentCSVDesc: describe(csv),
    ...deprecationOf(channel.deprecation),
    entries: entriesOf(channel),
  };
}

function entriesOf({ bundles }: ChannelSummary): readonly ChannelEntry[] {
  return bundles
    .filter(({ properties }) => !properties.some(({ type }) => type === "olm.deprecated"))
    .map((bundle) => ({ bundle, version: versionOf(bundle.version) }))
    .toSorted((a, b) => compareVersions(b.version, a.version))
    .map(({ bundle: { name, version, deprecation } }) => ({
      name,
      ...(version === "" ? {} : { version }),
      ...deprecationOf(deprecation),
    }));
}

const zero: Version = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

function versionOf(text: string): Version {
  const version = parseVersion(text);
  return version.ok ? version.value : zero;
}

function deprecationOf(message: string | undefined): { readonly deprecation?: Deprecation } {
  return message === undefined ? {} : { deprecation: message === "" ? {} : { message } };
}
