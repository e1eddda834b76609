import type { BundleSummary, ChannelSummary, PackageSummary } from "../catalog/catalog-index.ts";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { apiKey, providersIn } from "../catalog/package-record.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareVersions, parseVersion } from "@purser/kubernetes/version";

/** The part of an index that the queries read. */
export type RegistryIndex = Pick<
  StoredIndex,
  "packages" | "package" | "packagesProviding" | "packagesReplacing" | "bundleMessage"
>;

/** The group, version and kind of a request; its plural is ignored. */
export interface WantedApi {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An upgrade edge of a bundle in a channel. */
export interface ChannelEntry {
  readonly package: string;
  readonly channel: string;
  readonly bundle: string;
  readonly replaces: string;
}

/** A (package, channel, bundle) triple and its `api.Bundle` message. */
type Found = Result<Uint8Array, string>;

/** The package with its channels sorted by name. The problems of all queries have upstream's texts. */
export function findPackage(index: RegistryIndex, name: string): Result<PackageSummary, string> {
  const found = index.package(name);
  return found === undefined ? failed(`package ${goQuote(name)} not found`) : done(found);
}

export function findBundle(index: RegistryIndex, packageName: string, channelName: string, bundle: string): Found {
  const channel = findChannel(index, packageName, channelName);
  if (!channel.ok) return channel;
  const message = index.bundleMessage(packageName, channelName, bundle);
  if (message !== undefined) return done(message);
  return failed(
    `package ${goQuote(packageName)}, channel ${goQuote(channelName)}, bundle ${goQuote(bundle)} not found`,
  );
}

/** The head of a channel. */
export function findHead(index: RegistryIndex, packageName: string, channelName: string): Found {
  const channel = findChannel(index, packageName, channelName);
  return channel.ok ? findBundle(index, packageName, channelName, channel.value.head ?? "") : channel;
}

/**
 * A bundle of the channel that replaces or skips `name`, which need not exist; "" finds a bundle that replaces nothing.
 * Of several, upstream takes any; here one that replaces `name` is preferred, then the highest version, then the name.
 */
export function findReplacement(index: RegistryIndex, packageName: string, channelName: string, name: string): Found {
  const channel = findChannel(index, packageName, channelName, (text) => text);
  if (!channel.ok) return channel;
  const found = channel.value.bundles
    .filter((bundle) => replacesOrSkips(bundle, name))
    .sort((a, b) => rank(b, name) - rank(a, name) || compareByVersion(b, a) || compareBytes(a.name, b.name));
  const [best] = found;
  if (best === undefined)
    return failed(`no entry found for package ${goQuote(packageName)}, channel ${goQuote(channelName)}`);
  return findBundle(index, packageName, channelName, best.name);
}

/** Every entry that replaces `name` or skips it (once for each occurrence in `skips`). */
export function entriesReplacing(index: RegistryIndex, name: string): Result<readonly ChannelEntry[], string> {
  const entries = index.packagesReplacing(name).flatMap((packageName) =>
    bundlesOf(index.package(packageName)).flatMap((bundle) => {
      const times = (bundle.replaces ?? "") === name ? 1 : bundle.skips.filter((skip) => skip === name).length;
      return Array.from({ length: times }, () => entryOf(bundle, bundle.replaces ?? ""));
    }),
  );
  return entries.length === 0 ? failed(`no channel entries found that replace ${name}`) : done(entries);
}

/** Entries of every bundle that provides the API, with one more for each name in `skips`, in the channel or not. */
export function entriesProviding(index: RegistryIndex, api: WantedApi): Result<readonly ChannelEntry[], string> {
  const entries = providersOf(index, api).flatMap((bundle) => entriesOf(bundle, () => true));
  return entries.length === 0 ? failed(noProvider(api)) : done(entries);
}

/** As {@link entriesProviding}, for channel heads only; skipped names count only if the channel contains them. */
export function latestEntriesProviding(index: RegistryIndex, api: WantedApi): Result<readonly ChannelEntry[], string> {
  const entries = providersOf(index, api)
    .filter(({ isChannelHead }) => isChannelHead)
    .flatMap((bundle) => {
      const channel = index.package(bundle.package)?.channels.find(({ name }) => name === bundle.channel);
      const members = new Set<string>(channel?.bundles.map(({ name }) => name));
      return entriesOf(bundle, (skip) => members.has(skip));
    });
  return entries.length === 0 ? failed(noProvider(api)) : done(entries);
}

/** The head of a default channel that provides the API; the first package by name wins. */
export function findDefaultProvider(index: RegistryIndex, api: WantedApi): Found {
  const latest = latestEntriesProviding(index, api);
  if (!latest.ok) return latest;
  const found = latest.value.find((entry) => index.package(entry.package)?.defaultChannel === entry.channel);
  if (found === undefined) return failed(`no entry found that provides ${shown(api)}`);
  return findBundle(index, found.package, found.channel, found.bundle);
}

function findChannel(
  index: RegistryIndex,
  packageName: string,
  channelName: string,
  quote: (text: string) => string = goQuote,
): Result<ChannelSummary, string> {
  const found = index.package(packageName);
  if (found === undefined) return failed(`package ${quote(packageName)} not found`);
  const channel = found.channels.find(({ name }) => name === channelName);
  if (channel !== undefined) return done(channel);
  return failed(`package ${goQuote(packageName)}, channel ${goQuote(channelName)} not found`);
}

function bundlesOf(found: PackageSummary | undefined): readonly BundleSummary[] {
  return found?.channels.flatMap(({ bundles }) => bundles) ?? [];
}

function providersOf(index: RegistryIndex, api: WantedApi): readonly BundleSummary[] {
  return index.packagesProviding(api).flatMap((name) => {
    const found = index.package(name);
    return found === undefined ? [] : providersIn(found, apiKey(api));
  });
}

function entriesOf(bundle: BundleSummary, counts: (skip: string) => boolean): readonly ChannelEntry[] {
  const replaces = bundle.replaces ?? "";
  const skips = bundle.skips.filter((skip) => skip !== replaces && counts(skip));
  return [replaces, ...skips].map((name) => entryOf(bundle, name));
}

function entryOf({ package: packageName, channel, name }: BundleSummary, replaces: string): ChannelEntry {
  return { package: packageName, channel, bundle: name, replaces };
}

function replacesOrSkips(bundle: BundleSummary, name: string): boolean {
  return (bundle.replaces ?? "") === name || bundle.skips.some((skip) => skip === name);
}

function rank(bundle: BundleSummary, name: string): number {
  return (bundle.replaces ?? "") === name ? 1 : 0;
}

function compareByVersion(a: BundleSummary, b: BundleSummary): number {
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  return left.ok && right.ok ? compareVersions(left.value, right.value) : 0;
}

function noProvider(api: WantedApi): string {
  return `no channel entries found that provide ${shown(api)}`;
}

function shown({ group, version, kind }: WantedApi): string {
  return `group:${goQuote(group)} version:${goQuote(version)} kind:${goQuote(kind)}`;
}
