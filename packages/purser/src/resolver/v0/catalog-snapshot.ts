import type { BundleSummary, CatalogIndex, Property } from "../../catalog/catalog-index.ts";
import type { Result } from "@purser/kubernetes/result";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import { channelOrderSteps } from "../../upgrade-graph/channel-order.ts";
import { Pace } from "../pace.ts";
import { endOf } from "../resolution.ts";
import type { BundleFacts, Entry, GroupVersionKind, Origin } from "./entry.ts";
import { factsOf } from "./entry.ts";
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

  /** Entries of a package, channels and bundles by name. Reading the package itself cannot be paused. */
  *entriesOf(packageName: string, pace: Pace): Generator<undefined, readonly Entry[]> {
    const known = this.#packages.get(packageName);
    if (known !== undefined) return known;
    const found = this.#index.package(packageName);
    const channels = found?.channels ?? [];
    const entries: Entry[] = [];
    // Channels share the properties of a bundle.
    const facts = new Map<readonly Property[], BundleFacts>();
    for (const channel of channels) {
      const isDefault = channel.name === found?.defaultChannel;
      const inChannel: Entry[] = [];
      for (const summary of channel.bundles) {
        if (pace.spend(1)) yield;
        const { properties } = summary;
        let read = facts.get(properties);
        if (read === undefined) {
          read = factsOf(properties);
          if (channels.length > 1) facts.set(properties, read);
        }
        inChannel.push(this.#entryOf(summary, isDefault, read));
      }
      inChannel.sort(byName);
      this.#channels.set(channelKey(packageName, channel.name), inChannel);
      entries.push(...inChannel);
    }
    this.#packages.set(packageName, entries);
    return entries;
  }

  /** The same for explanations, which come last and look at few packages. */
  entriesNow(packageName: string): readonly Entry[] {
    return endOf(this.entriesOf(packageName, new Pace()));
  }

  #entryOf(summary: BundleSummary, inDefaultChannel: boolean, facts: BundleFacts): Entry {
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
      facts,
      summary,
      subscription: undefined,
    };
  }

  /** The channel from head to tail, or why it has no order. Its package has been read. */
  *ordered(packageName: string, channel: string): Generator<undefined, Result<readonly Entry[], ChannelOrderProblem>> {
    const key = channelKey(packageName, channel);
    let order = this.#orders.get(key);
    if (order === undefined) {
      order = yield* channelOrderSteps(this.#channels.get(key) ?? [], channel, packageName);
      this.#orders.set(key, order);
    }
    return order;
  }

  /** Packages with a bundle that provides the API; with plural or without. */
  packagesProviding(api: GroupVersionKind): readonly string[] {
    return this.#index.packagesProviding(api);
  }
}
