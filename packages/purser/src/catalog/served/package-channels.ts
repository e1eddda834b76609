import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import type { ApiRef } from "../catalog-index.ts";
import type { TypedText } from "../registry-bundle.ts";
import { itemsOf, textOf } from "../schemas/go-shape.ts";
import type { ServedBundle, ServedPackage } from "./served-content.ts";

/** A ClusterServiceVersion with the CRDs that it owns. */
export interface ManifestBundle {
  readonly name: string;
  readonly version: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
  readonly csvJson: string;
  readonly objects: readonly string[];
  readonly provides: readonly ApiRef[];
  readonly requires: readonly ApiRef[];
  /** Of the annotation `olm.properties`. */
  readonly stated: readonly TypedText[];
}

interface Channel {
  readonly name: string;
  readonly head: string;
}

/**
 * A package manifest with the bundles of its channels (`addPackageChannels` of operator-registry). A channel begins at
 * `currentCSV` and follows `spec.replaces`; what its bundles skip is in the channel too, without edges of its own.
 */
export class PackageChannels {
  readonly problems: string[] = [];
  readonly served: ServedPackage;
  readonly bundles: readonly ServedBundle[];
  readonly #known: ReadonlyMap<string, ManifestBundle>;

  constructor(manifest: JsonObject, known: ReadonlyMap<string, ManifestBundle>) {
    this.#known = known;
    const name = textOf(manifest, "packageName");
    const listed = itemsOf(manifest, "channels").flatMap((item) =>
      isJsonObject(item) ? [{ name: textOf(item, "name"), head: textOf(item, "currentCSV") }] : [],
    );
    const channels = this.#distinct(listed);
    // The only channel is the default whatever the manifest says.
    const isDefault = (channel: Channel): boolean =>
      listed.length === 1 || channel.name === textOf(manifest, "defaultChannel");
    const defaultChannel = channels.findLast(isDefault)?.name;
    if (defaultChannel === undefined) this.problems.push(`no default channel specified for ${name}`);
    this.served = { name, defaultChannel: defaultChannel ?? "", channels };
    this.bundles = channels.flatMap((channel) => [...this.#inChannel(name, channel)]);
  }

  #distinct(listed: readonly Channel[]): readonly Channel[] {
    const channels = new Map<string, Channel>();
    for (const channel of listed)
      if (channels.has(channel.name)) this.problems.push(`the channel ${channel.name} is listed twice`);
      else channels.set(channel.name, channel);
    return [...channels.values()];
  }

  *#inChannel(packageName: string, channel: Channel): Generator<ServedBundle, void, void> {
    const entered = new Map<string, ServedBundle>();
    const skipped = new Set<string>();
    let name = channel.head;
    for (;;) {
      const bundle = this.#known.get(name);
      if (bundle === undefined) {
        this.problems.push(
          name === channel.head
            ? `no bundle found for bundlename ${name}, currentCSV of channel ${channel.name}`
            : `Invalid bundle ${channel.head}, replaces nonexistent bundle ${name}`,
        );
        break;
      }
      entered.set(name, servedBundle(bundle, packageName, channel.name));
      for (const skip of bundle.skips) skipped.add(skip);
      if (bundle.replaces === "") break;
      if (entered.has(bundle.replaces)) {
        this.problems.push(`Cycle detected, ${name} replaces ${bundle.replaces}`);
        break;
      }
      name = bundle.replaces;
    }
    yield* entered.values();
    for (const skip of skipped) {
      const bundle = this.#known.get(skip);
      if (bundle !== undefined && !entered.has(skip))
        yield { ...servedBundle(bundle, packageName, channel.name), replaces: "", skips: [] };
    }
  }
}

function servedBundle(bundle: ManifestBundle, packageName: string, channel: string): ServedBundle {
  const { stated, ...facts } = bundle;
  const api = ({ group, version, kind }: ApiRef): TypedText => ({
    type: "olm.gvk",
    value: goJson({ group, kind, version }),
  });
  return {
    ...facts,
    packageName,
    channel,
    image: "",
    properties: [...stated, ...bundle.provides.map(api)],
    dependencies: bundle.requires.map(api),
  };
}
