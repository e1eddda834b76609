import { formatVersion } from "@purser/kubernetes/version";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { fieldOf, itemsOf, textOf } from "../schemas/go-shape.ts";
import { isBulkProperty } from "../properties.ts";
import type { BundleView, ChannelView, EntryView, PackageView } from "../catalog-view.ts";
import type { Rules } from "../../upgrade-graph/rules.ts";
import { journeysOf } from "../journey.ts";
import { lostPaths } from "./lost-paths.ts";

/** One difference between two catalogs in what a package offers. */
export type PackageChange =
  | {
      readonly kind: "versionAdded";
      readonly channel: string;
      readonly bundle: string;
      readonly version: string;
      readonly isHead: boolean;
    }
  | { readonly kind: "versionRemoved"; readonly channel: string; readonly bundle: string; readonly version: string }
  | { readonly kind: "headChanged"; readonly channel: string; readonly from: string; readonly to: string }
  | {
      readonly kind: "edgesChanged";
      readonly channel: string;
      readonly bundle: string;
      readonly version: string;
      readonly edges: readonly string[];
    }
  | { readonly kind: "channelAdded"; readonly channel: string; readonly versions: number }
  | { readonly kind: "channelRemoved"; readonly channel: string }
  | { readonly kind: "bundleRemoved"; readonly bundle: string; readonly version: string }
  | {
      readonly kind: "bundleChanged";
      readonly bundle: string;
      readonly version: string;
      readonly parts: readonly BundlePart[];
    }
  | { readonly kind: "deprecationAdded"; readonly subject: string; readonly message: string }
  | { readonly kind: "deprecationRemoved"; readonly subject: string }
  | { readonly kind: "deprecationReworded"; readonly subject: string; readonly message: string }
  | { readonly kind: "defaultChannel"; readonly from: string; readonly to: string }
  | { readonly kind: "description" }
  | {
      readonly kind: "pathLost";
      readonly channel: string;
      readonly bundle: string;
      readonly version: string;
      readonly rules: readonly Rules[];
      readonly end: string;
      /** `2.0` when all of its versions in the channel lost their path. */
      readonly minor?: string;
    };

export type BundlePart = "image" | "properties" | "relatedImages";

const versionOf = (bundle: BundleView | undefined, name: string): string =>
  bundle?.version === undefined ? name : formatVersion(bundle.version);

/** What changed in a package that both catalogs have, breaking changes first. */
export function packageChanges(old: PackageView, next: PackageView): readonly PackageChange[] {
  const lost = lostPaths(old, next).map(({ channel, entry, rules, end, minor }): PackageChange => ({
    kind: "pathLost",
    channel,
    bundle: entry.name,
    version: versionOf(entry.bundle, entry.name),
    rules,
    end,
    ...(minor === undefined ? {} : { minor }),
  }));
  const gone = [...old.bundles.values()].flatMap(({ name, version }): PackageChange[] =>
    next.bundles.has(name)
      ? []
      : [{ kind: "bundleRemoved", bundle: name, version: version === undefined ? name : formatVersion(version) }],
  );
  const changed = [...old.bundles.values()].flatMap((bundle): PackageChange[] => {
    const now = next.bundles.get(bundle.name);
    const parts = now === undefined ? [] : changedParts(bundle, now);
    return parts.length === 0
      ? []
      : [{ kind: "bundleChanged", bundle: bundle.name, version: versionOf(now, bundle.name), parts }];
  });
  const removed = old.channels.flatMap(({ name }): PackageChange[] =>
    next.channels.some((channel) => channel.name === name) ? [] : [{ kind: "channelRemoved", channel: name }],
  );
  return [
    ...lost,
    ...removed,
    ...gone,
    ...changed,
    ...next.channels.flatMap((channel) => channelChanges(old, next, channel)),
    ...(old.defaultChannel === next.defaultChannel
      ? []
      : [{ kind: "defaultChannel", from: old.defaultChannel, to: next.defaultChannel } as const]),
    ...deprecationChanges(old, next),
    ...(descriptionOf(old) === descriptionOf(next) ? [] : [{ kind: "description" } as const]),
  ];
}

/** Whether the change breaks installations, pins or mirrors of the older catalog. */
export function isBreaking({ kind }: PackageChange): boolean {
  return kind === "pathLost" || kind === "channelRemoved" || kind === "bundleRemoved" || kind === "bundleChanged";
}

function channelChanges(old: PackageView, next: PackageView, channel: ChannelView): readonly PackageChange[] {
  const { name, entries } = channel;
  const before = old.channels.find((one) => one.name === name);
  if (before === undefined) return [{ kind: "channelAdded", channel: name, versions: entries.length }];
  const [oldHead, newHead] = [journeysOf(old, before).head, journeysOf(next, channel).head];
  const known = new Map(before.entries.map((entry) => [entry.name, entry]));
  const now = new Set(entries.map((entry) => entry.name));
  const changes: PackageChange[] = [];
  for (const entry of entries) {
    const version = versionOf(entry.bundle, entry.name);
    const earlier = known.get(entry.name);
    const edges = earlier === undefined ? [] : edgeChanges(earlier, entry);
    if (earlier === undefined)
      changes.push({ kind: "versionAdded", channel: name, bundle: entry.name, version, isHead: entry === newHead });
    else if (edges.length > 0)
      changes.push({ kind: "edgesChanged", channel: name, bundle: entry.name, version, edges });
  }
  for (const entry of before.entries)
    if (!now.has(entry.name))
      changes.push({
        kind: "versionRemoved",
        channel: name,
        bundle: entry.name,
        version: versionOf(entry.bundle, entry.name),
      });
  // A head that is a new version is reported as an added version.
  if (oldHead !== undefined && newHead !== undefined && oldHead.name !== newHead.name && known.has(newHead.name))
    changes.push({
      kind: "headChanged",
      channel: name,
      from: versionOf(oldHead.bundle, oldHead.name),
      to: versionOf(newHead.bundle, newHead.name),
    });
  return changes;
}

/** Edges as words, with a sign before each. */
function edgeChanges(before: EntryView, after: EntryView): readonly string[] {
  const words = ({ replaces, skips, skipRange }: EntryView): readonly string[] => [
    ...(replaces === "" ? [] : [`replaces ${replaces}`]),
    ...skips.map((skip) => `skips ${skip}`),
    ...(skipRange === "" ? [] : [`skipRange ${skipRange}`]),
  ];
  const [old, now] = [new Set(words(before)), new Set(words(after))];
  return [
    ...[...now].filter((word) => !old.has(word)).map((word) => `+${word}`),
    ...[...old].filter((word) => !now.has(word)).map((word) => `-${word}`),
  ];
}

/**
 * Parts of a bundle that differ; the order of properties and of related images does not count, nor that the one
 * embeds its manifests and the other the metadata made from them.
 */
export function changedParts(before: BundleView, after: BundleView): readonly BundlePart[] {
  const differ = (part: (json: JsonObject) => string): boolean => part(before.blob.json) !== part(after.blob.json);
  const isMigrated = before.content.objects > 0 !== after.content.objects > 0;
  const sorted = (items: readonly JsonValue[]): string =>
    items
      .map((item) => canonicalJson(item))
      .sort()
      .join("\n");
  const properties = (json: JsonObject): readonly JsonValue[] =>
    itemsOf(json, "properties").filter(
      (item) => !isMigrated || !isJsonObject(item) || !isBulkProperty(textOf(item, "type")),
    );
  return [
    ...(differ((json) => textOf(json, "image")) ? (["image"] as const) : []),
    ...(differ((json) => sorted(properties(json))) ? (["properties"] as const) : []),
    ...(differ((json) => sorted(itemsOf(json, "relatedImages"))) ? (["relatedImages"] as const) : []),
  ];
}

function deprecationChanges(old: PackageView, next: PackageView): readonly PackageChange[] {
  const messages = ({ deprecations, bundles }: PackageView): ReadonlyMap<string, string> =>
    new Map([
      ...(deprecations.package === undefined ? [] : [["the package", deprecations.package] as const]),
      ...[...deprecations.channels].map(([name, message]) => [`channel ${name}`, message] as const),
      ...[...deprecations.bundles].map(([name, message]) => [versionOf(bundles.get(name), name), message] as const),
    ]);
  const [before, after] = [messages(old), messages(next)];
  return [
    ...[...after].flatMap(([subject, message]): PackageChange[] => {
      const earlier = before.get(subject);
      if (earlier === undefined) return [{ kind: "deprecationAdded", subject, message }];
      return earlier === message ? [] : [{ kind: "deprecationReworded", subject, message }];
    }),
    ...[...before.keys()].flatMap((subject): PackageChange[] =>
      after.has(subject) ? [] : [{ kind: "deprecationRemoved", subject }],
    ),
  ];
}

/** What people read about a package. */
function descriptionOf({ blob }: PackageView): string {
  if (blob === undefined) return "";
  const icon = fieldOf(blob.json, "icon");
  return `${textOf(blob.json, "description")}\n${isJsonObject(icon) ? canonicalJson(icon) : ""}`;
}
