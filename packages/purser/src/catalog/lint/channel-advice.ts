import { formatVersion } from "@purser/kubernetes/version";
import { skipRangeOf } from "../../upgrade-graph/successors.ts";
import {
  type BundleView,
  type ChannelView,
  documentOf,
  type EntryView,
  type PackageView,
  placeIn,
  compareBundles,
} from "../catalog-view.ts";
import { journeysOf } from "../journey.ts";
import type { Finding } from "./finding.ts";
import { listed, quoted } from "./finding-words.ts";

/** A list of skips with more names than this is reported. */
const longSkips = 100;

/** Edges, order, names and heads of channels. */
export function channelAdvice(one: PackageView): readonly Finding[] {
  return one.channels.flatMap((channel) =>
    [
      ...headAdvice(one, channel),
      ...namingAdvice(channel),
      ...channel.entries.flatMap((entry) => [
        ...orderAdvice(one, channel, entry),
        ...rangeAdvice(channel, entry),
        ...reachAdvice(channel, entry),
        ...skipsAdvice(channel, entry),
      ]),
    ].map((finding) => ({ ...finding, channel: channel.name })),
  );
}

function headAdvice(one: PackageView, channel: ChannelView): readonly Finding[] {
  const { head } = journeysOf(one, channel);
  if (head === undefined) return [];
  const { deprecations } = one;
  const findings: Finding[] = [];
  const place = placeIn(channel.blob, `${head.pointer}/name`);
  const isKnown = deprecations.package !== undefined || deprecations.channels.has(channel.name);
  if (deprecations.bundles.has(head.name) && !isKnown)
    findings.push({
      rule: "PCH108",
      message: `the head ${head.name} of channel ${quoted(channel.name)} is deprecated, the channel is not`,
      place,
      bundle: head.name,
    });
  if (isKnown) return findings;
  // A channel that ends with a minor version keeps its head when the next one skips it: only patches count.
  const movers = one.channels.flatMap((other) =>
    other === channel
      ? []
      : other.entries
          .filter((entry) => entry.skips.includes(head.name) && isSameMinor(entry.bundle, head.bundle))
          .filter((entry) => !channel.entries.some(({ name }) => name === entry.name))
          .map((entry) => ({ entry, other })),
  );
  const [mover] = movers;
  if (mover !== undefined)
    findings.push({
      rule: "PCH104",
      message: `the head ${head.name} of channel ${quoted(channel.name)} is skipped in channel ${quoted(mover.other.name)}`,
      why: `${mover.entry.name} skips it there`,
      remedy: `add ${mover.entry.name} to channel ${quoted(channel.name)}`,
      place,
      bundle: head.name,
    });
  return findings;
}

function isSameMinor(left: BundleView | undefined, right: BundleView | undefined): boolean {
  const [a, b] = [left?.version, right?.version];
  return a !== undefined && b !== undefined && a.major === b.major && a.minor === b.minor;
}

const usualName = /^(?:candidate|fast|stable)(?:-v?\d+(?:\.\d+)?)?$/;

function namingAdvice(channel: ChannelView): readonly Finding[] {
  if (usualName.test(channel.name)) return [];
  return [
    {
      rule: "PCH110",
      message: `channel ${quoted(channel.name)} has a name of its own kind`,
      place: placeIn(channel.blob, "/name"),
    },
  ];
}

function orderAdvice(one: PackageView, channel: ChannelView, entry: EntryView): readonly Finding[] {
  const own = entry.bundle;
  const version = own?.version;
  if (own === undefined || version === undefined) return [];
  const edges = [
    ...(entry.replaces === "" ? [] : [{ word: "replaces", target: entry.replaces, pointer: "/replaces" }]),
    ...entry.skips.map((target, index) => ({ word: "skips", target, pointer: `/skips/${index}` })),
  ];
  return edges.flatMap(({ word, target, pointer }): Finding[] => {
    const older = one.bundles.get(target);
    if (older?.version === undefined || compareBundles(older, own) < 0) return [];
    const [from, to] = [formatVersion(older.version), formatVersion(version)];
    return [
      {
        rule: "PCH106",
        message: `${entry.name} ${word} ${target} in channel ${quoted(channel.name)}, which is not an upgrade`,
        why: from === to ? `both have the version ${to}` : `${to} is lower than ${from}`,
        place: placeIn(channel.blob, `${entry.pointer}${pointer}`),
        bundle: entry.name,
      },
    ];
  });
}

/** Skip ranges that contain versions above their entry: such an installation may be downgraded. */
function reachAdvice(channel: ChannelView, entry: EntryView): readonly Finding[] {
  const own = entry.bundle;
  const range = skipRangeOf(entry.skipRange);
  if (own?.version === undefined || range === undefined) return [];
  const higher = channel.entries.filter(
    ({ bundle }) => bundle?.version !== undefined && range.includes(bundle.version) && compareBundles(bundle, own) > 0,
  );
  if (higher.length === 0) return [];
  return [
    {
      rule: "PCH106",
      message: `the skipRange ${quoted(entry.skipRange)} of ${entry.name} in channel ${quoted(channel.name)} holds higher versions: ${listed(higher.map(({ name }) => name))}`,
      remedy: "end the range below the version of the entry",
      place: placeIn(channel.blob, `${entry.pointer}/skipRange`),
      bundle: entry.name,
    },
  ];
}

function rangeAdvice(channel: ChannelView, entry: EntryView): readonly Finding[] {
  const version = entry.bundle?.version;
  if (version === undefined || skipRangeOf(entry.skipRange)?.includes(version) !== true) return [];
  const text = formatVersion(version);
  const trimmed = entry.skipRange.endsWith(`<=${text}`)
    ? `${entry.skipRange.slice(0, -text.length - 2)}<${text}`
    : undefined;
  return [
    {
      rule: "PCH105",
      message: `the skipRange ${quoted(entry.skipRange)} of ${entry.name} in channel ${quoted(channel.name)} holds its own version`,
      ...(trimmed === undefined
        ? {}
        : {
            remedy: `write skipRange: ${quoted(trimmed)}`,
            fix: [
              {
                kind: "setMember",
                ...documentOf(channel.blob),
                pointer: entry.pointer,
                key: "skipRange",
                value: trimmed,
                after: "name",
              },
            ],
          }),
      place: placeIn(channel.blob, `${entry.pointer}/skipRange`),
      bundle: entry.name,
    },
  ];
}

function skipsAdvice(channel: ChannelView, entry: EntryView): readonly Finding[] {
  const findings: Finding[] = [];
  const at = (index: number) => `${entry.pointer}/skips/${index}`;
  const seen = new Set<string>();
  for (const [index, skip] of entry.skips.entries()) {
    if (seen.has(skip) && skip !== "")
      findings.push({
        rule: "PCH111",
        message: `${entry.name} skips ${skip} twice in channel ${quoted(channel.name)}`,
        place: placeIn(channel.blob, at(index)),
        bundle: entry.name,
        fix: [{ kind: "removeItem", ...documentOf(channel.blob), pointer: at(index) }],
      });
    seen.add(skip);
  }
  if (entry.skips.length > longSkips) {
    const names = new Set(channel.entries.map(({ name }) => name));
    const absent = entry.skips.filter((name) => !names.has(name));
    findings.push({
      rule: "PCH109",
      message: `${entry.name} skips ${entry.skips.length} names in channel ${quoted(channel.name)}`,
      ...(absent.length === 0 ? {} : { why: `${absent.length} of them are not in the channel: ${listed(absent, 3)}` }),
      place: placeIn(channel.blob, `${entry.pointer}/skips`),
      bundle: entry.name,
    });
  }
  return findings;
}
