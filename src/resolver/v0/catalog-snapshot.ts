import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Result } from "../../result.ts";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import { channelOrder } from "../../upgrade-graph/channel-order.ts";
import type { Entry, GroupVersionKind, Origin } from "./entry.ts";
import type { NamespaceCatalog } from "./input.ts";

const byName = (left: Entry, right: Entry): number => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0);

/** Key of a channel inside a catalog. */
const channelKey = (packageName: string, channel: string): string => `${packageName}\u0000${channel}`;

/** A catalog's entries during one resolution; only packages that are asked for are read. */
export class CatalogSnapshot {
  readonly origin: Origin;
  readonly #index: CatalogIndex;
  readonly #packages = new Map<string, readonly Entry[]>();
  readonly #channels = new Map<string, readonly Entry[]>();
  readonly #orders = new Map<string, Result<readonly Entry[], ChannelOrderProblem>>();

  constructor(catalog: NamespaceCatalog, index: CatalogIndex) {
    this.origin = { key: catalog.key, priority: catalog.priority, installed: false };
    this.#index = index;
  }

  get isEmpty(): boolean {
    return this.#index.packages().length === 0;
  }

  packageNames(): readonly string[] {
    return this.#index.packages();
  }

  channelNames(packageName: string): readonly string[] {
    return this.#index.package(packageName)?.channels.map(({ name }) => name) ?? [];
  }

  defaultChannel(packageName: string): string | undefined {
    return this.#index.package(packageName)?.defaultChannel;
  }

  /** Entries of a package, channels and bundles by name. */
  entriesOf(packageName: string): readonly Entry[] {
    const known = this.#packages.get(packageName);
    if (known !== undefined) return known;
    const found = this.#index.package(packageName);
    const entries: Entry[] = [];
    for (const channel of found?.channels ?? []) {
      const isDefault = channel.name === found?.defaultChannel;
      const inChannel = channel.bundles.map((summary) => this.#entryOf(summary, isDefault)).sort(byName);
      this.#channels.set(channelKey(packageName, channel.name), inChannel);
      entries.push(...inChannel);
    }
    this.#packages.set(packageName, entries);
    return entries;
  }

  #entryOf(summary: BundleSummary, inDefaultChannel: boolean): Entry {
    // One shape for all entries keeps property reads fast.
    return {
      name: summary.name,
      version: summary.version,
      replaces: summary.replaces,
      skips: summary.skips,
      skipRange: summary.skipRange,
      origin: this.origin,
      packageName: summary.package,
      channel: summary.channel,
      inDefaultChannel,
      properties: summary.properties,
      summary,
      subscription: undefined,
    };
  }

  channelEntries(packageName: string, channel: string): readonly Entry[] {
    this.entriesOf(packageName);
    return this.#channels.get(channelKey(packageName, channel)) ?? [];
  }

  /** The channel from head to tail, or why it has no order. */
  ordered(packageName: string, channel: string): Result<readonly Entry[], ChannelOrderProblem> {
    const key = channelKey(packageName, channel);
    let order = this.#orders.get(key);
    if (order === undefined) {
      order = channelOrder(this.channelEntries(packageName, channel), channel, packageName);
      this.#orders.set(key, order);
    }
    return order;
  }

  /** Packages with a bundle that provides the API; with plural or without. */
  packagesProviding(api: GroupVersionKind): readonly string[] {
    return this.#index.packagesProviding(api);
  }
}
