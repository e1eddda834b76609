import { findCondition } from "@purser/kubernetes/apis/condition";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Invocation } from "../command.ts";
import type { CatalogIndex, PackageSummary } from "../../catalog/catalog-index.ts";
import type { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { listOf, shellWord } from "../../explanation/summary.ts";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { parseMastermindsRange, type VersionRange } from "../../version-range.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { compareNewestFirst, precedenceOf } from "../../upgrade-graph/bundle-order.ts";

/** Parses a package argument: `etcd`, `etcd@0.9.4`, `etcd@'>=0.9 <1'`. */
export function parsePackageArgument(text: string): { readonly packageName: string; readonly version?: string } {
  const at = text.indexOf("@");
  return at < 0 ? { packageName: text } : { packageName: text.slice(0, at), version: text.slice(at + 1) };
}

export interface Source {
  readonly namespace?: string;
  readonly name: string;
  readonly index: CatalogIndex;
}

export interface ReadSources {
  /** Catalogs whose content is in the cache of this machine. */
  readonly sources: readonly Source[];
  /** Names of catalogs that are still being read for the first time. */
  readonly underWay: readonly string[];
}

/** The catalogs of one family. */
async function readSources(api: "v0" | "v1", client: KubeClient, kept: KeptCatalogs): Promise<ReadSources> {
  if (api === "v1") {
    const catalogs = await client.list(clusterCatalogs);
    return {
      sources: catalogs.flatMap((catalog) => {
        const index = kept.ofCatalog(catalog);
        return index === undefined ? [] : [{ name: catalog.metadata.name ?? "", index }];
      }),
      underWay: catalogs
        .filter(({ status }) => findCondition(status?.conditions, "Serving") === undefined)
        .filter(({ spec }) => spec.availabilityMode !== "Unavailable")
        .map(({ metadata }) => metadata.name ?? ""),
    };
  }
  const all = await client.list(catalogSources);
  return {
    sources: all.flatMap((source) => {
      const index = kept.ofSource(source);
      const { namespace = "", name = "" } = source.metadata;
      return index === undefined ? [] : [{ namespace, name, index }];
    }),
    underWay: all
      .filter(
        ({ status }) =>
          (status?.connectionState?.lastObservedState ?? "CONNECTING") === "CONNECTING" &&
          (status?.reason ?? "") === "",
      )
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  };
}

const catalogPatienceMs = 30_000;

/** Waits until all catalogs are read, for 30 seconds at most, and returns those that are. */
export async function awaitSources(
  invocation: Invocation,
  api: "v0" | "v1",
  client: KubeClient,
  kept: KeptCatalogs,
): Promise<readonly Source[]> {
  const { terminal, signal } = invocation;
  const deadline = systemClock.monotonic() + catalogPatienceMs;
  for (let reported = false; ; reported = true) {
    const { sources, underWay } = await readSources(api, client, kept);
    if (underWay.length === 0 || systemClock.monotonic() > deadline) return sources;
    if (!reported) terminal.err(`catalog ${underWay.join(", ")} is still being read; waiting for it`);
    await systemClock.sleep(200, signal);
  }
}

export interface ChosenPackage {
  readonly source: Source;
  readonly summary: PackageSummary;
}

/** The catalog that offers the package. When several offer it and none is named, the user has to choose: it is refused. */
export function choosePackage(
  packageName: string,
  sources: readonly Source[],
  wantedSource: string | undefined,
  api: "v0" | "v1",
): Result<ChosenPackage, Explanation> {
  const label = ({ namespace, name }: Source): string => (namespace === undefined ? name : `${namespace}/${name}`);
  const visible =
    wantedSource === undefined
      ? sources
      : sources.filter((source) => source.name === wantedSource || label(source) === wantedSource);
  if (visible.length === 0) {
    const wanted = wantedSource ?? "";
    const [near] = nearestNames(
      wanted,
      sources.flatMap((source) => [source.name, label(source)]),
    );
    return failed({
      code: "CatalogNotFound",
      summary:
        wantedSource === undefined
          ? "The cluster has no catalog whose content is kept on this machine"
          : `There is no catalog "${wanted}"`,
      facts: { wanted, known: sources.map(label) },
      derivation: [],
      remedies:
        near !== undefined
          ? [{ summary: "the nearest name", command: `purser install ${packageName} --from-source ${near}` }]
          : [
              {
                summary: "what the cluster has",
                command: api === "v0" ? "kubectl get catalogsources -A" : "kubectl get clustercatalogs",
              },
            ],
    });
  }
  const offering = visible.flatMap((source) => {
    const summary = source.index.package(packageName);
    return summary === undefined ? [] : [{ source, summary }];
  });
  const [first, ...others] = offering;
  if (first === undefined) {
    const near = nearestNames(
      packageName,
      visible.flatMap(({ index }) => [...index.packages()]),
    );
    return failed({
      code: "PackageNotFound",
      summary: `No catalog has a package "${packageName}"`,
      facts: { wanted: packageName, nearest: near, catalogs: visible.map(label) },
      derivation: [{ relation: "fact", subject: packageName, text: `looked in ${visible.map(label).join(", ")}` }],
      remedies:
        near.length === 0
          ? [{ summary: "searches all texts of the packages", command: `purser search ${shellWord(packageName)}` }]
          : near.map((name) => ({ summary: "a package of a similar name", command: `purser install ${name}` })),
    });
  }
  if (others.length > 0)
    return failed({
      code: "AmbiguousCatalog",
      summary: `${offering.length} catalogs offer "${packageName}"`,
      facts: { wanted: packageName, catalogs: offering.map(({ source }) => label(source)) },
      derivation: offering.map(({ source }) => ({
        relation: "provided",
        subject: packageName,
        text: `${label(source)} has it`,
      })),
      remedies: offering.map(({ source }) => ({
        summary: `from ${label(source)}`,
        command: `purser install ${packageName} --from-source ${label(source)}`,
      })),
    });
  return done(first);
}

/** A Subscription names the one version that it begins with; ranges are for ClusterExtensions. */
function rangeForSubscription(
  packageName: string,
  { name, bundles }: PackageSummary["channels"][number],
  version: string,
  range: VersionRange,
): Explanation {
  const within = bundles
    .map((bundle) => bundle.version)
    .filter((text) => {
      const parsed = parseTolerantVersion(text);
      return parsed.ok && range.includes(parsed.value);
    })
    .toSorted((left, right) => compareNewestFirst(precedenceOf(left), precedenceOf(right)));
  const [newest] = within;
  return {
    code: "VersionNotFound",
    summary: `A Subscription starts at one version, and "${version}" is a range`,
    facts: { wanted: version, versions: within, channel: name },
    derivation: [
      {
        relation: "fact",
        subject: name,
        text:
          within.length === 0 ? `channel ${name} has none in that range` : `channel ${name} has ${listOf(within, 8)}`,
      },
    ],
    remedies: [
      ...(newest === undefined
        ? []
        : [
            {
              summary: "the newest of them; upgrades follow the channel",
              command: `purser install ${packageName}@${newest} --channel ${name}`,
            },
          ]),
      {
        summary: "through v1, which keeps to the range",
        command: `purser install ${shellWord(`${packageName}@${version}`)} --as-extension`,
      },
    ],
  };
}

export interface ChosenBundle {
  readonly channel: string;
  /** The bundle of the requested version; absent when no version was requested. */
  readonly bundle?: string;
  /** The head of the channel. */
  readonly head?: string;
}

/** The channel and, when a version was requested, the bundle of that version. */
export function chooseBundle(
  { summary }: ChosenPackage,
  wantedChannel: string | undefined,
  version: string | undefined,
): Result<ChosenBundle, Explanation> {
  const channels = summary.channels.map(({ name }) => name as string);
  const channelName = wantedChannel ?? summary.defaultChannel;
  const channel = summary.channels.find(({ name }) => name === channelName);
  if (channel === undefined) {
    const near = nearestNames(channelName, channels);
    return failed({
      code: "ChannelNotFound",
      summary: `Package "${summary.name}" has no channel "${channelName}"`,
      facts: { wanted: channelName, channels, default: summary.defaultChannel },
      derivation: [
        {
          relation: "fact",
          subject: summary.name,
          text: `its channels are ${channels.join(", ")}; the default is ${summary.defaultChannel}`,
        },
      ],
      remedies: [near[0] ?? summary.defaultChannel].map((name) => ({
        summary: "a channel that exists",
        command: `purser install ${summary.name} --channel ${name}`,
      })),
    });
  }
  const head = channel.head === undefined ? {} : { head: channel.head as string };
  if (version === undefined) return done({ channel: channel.name, ...head });
  const bundle = channel.bundles.find((candidate) => candidate.version === version);
  if (bundle !== undefined) return done({ channel: channel.name, bundle: bundle.name, ...head });
  const range = parseTolerantVersion(version).ok ? undefined : parseMastermindsRange(version);
  if (range?.ok === true) return failed(rangeForSubscription(summary.name, channel, version, range.value));
  const versions = channel.bundles
    .map((candidate) => candidate.version)
    .toSorted((left, right) => compareNewestFirst(precedenceOf(left), precedenceOf(right)));
  const elsewhere = summary.channels
    .filter(({ bundles }) => bundles.some((candidate) => candidate.version === version))
    .map(({ name }) => name as string);
  return failed({
    code: "VersionNotFound",
    summary: `Channel "${channel.name}" of package "${summary.name}" has no version "${version}"`,
    facts: { wanted: version, versions, channelsHoldingIt: elsewhere },
    derivation: [
      {
        relation: "fact",
        subject: channel.name,
        text: `it holds ${versions.slice(0, 8).join(", ")}${versions.length > 8 ? ", …" : ""}`,
      },
    ],
    remedies: [
      ...elsewhere.map((name) => ({
        summary: "a channel that has it",
        command: `purser install ${summary.name}@${version} --channel ${name}`,
      })),
      ...nearestNames(version, versions)
        .slice(0, 2)
        .map((near) => ({
          summary: "a version that exists",
          command: `purser install ${summary.name}@${near} --channel ${channel.name}`,
        })),
    ],
  });
}
