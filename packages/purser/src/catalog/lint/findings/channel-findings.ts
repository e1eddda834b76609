import { nearestNames } from "../../../explanation/nearest-name.ts";
import { parseBlangRange } from "../../../version-range.ts";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { channelShape } from "../../schemas/blob-shapes.ts";
import type { ChannelEntryContent } from "../../model.ts";
import { type ChannelView, documentOf, type EntryView, type PackageView, placeIn } from "../../catalog-view.ts";
import { channelGraphFindings } from "./channel-graph-findings.ts";
import type { Finding } from "../finding.ts";
import { quoted } from "../finding-words.ts";
import { misspelledKey } from "../misspelled-key.ts";
import type { Checked } from "./checked.ts";

/** Names, entries and graphs of channels. */
export function channelFindings({ view, isPartial }: Checked): readonly Finding[] {
  return [...view.packages.values()].flatMap((one) => {
    const seen = new Set<string>();
    return one.channels.flatMap((channel) => {
      const findings = [...nameFindings(one, channel, seen), ...entryFindings(one, channel, isPartial(one.name))];
      seen.add(channel.name);
      return findings.map((finding) => ({ ...finding, packageName: one.name, channel: channel.name }));
    });
  });
}

function nameFindings(
  one: PackageView,
  { name, blob, entries }: ChannelView,
  seen: ReadonlySet<string>,
): readonly Finding[] {
  const findings: Finding[] = [];
  const place = placeIn(blob, "/name");
  if (name === "")
    findings.push({
      rule: "PCH001",
      message: `a channel of package ${quoted(one.name)} has no name`,
      place: placeIn(blob),
    });
  else if (seen.has(name))
    findings.push({
      rule: "PCH002",
      message: `channel ${quoted(name)} of package ${quoted(one.name)} occurs more than once`,
      place,
    });
  if (entries.length === 0)
    findings.push({
      rule: "PCH003",
      message: `channel ${quoted(name)} has no entries`,
      ...misspelledKey(blob.json, channelShape, "entries"),
      place: placeIn(blob, "/entries"),
    });
  return findings;
}

function entryFindings(one: PackageView, channel: ChannelView, partial: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  const first = new Map<string, EntryView>();
  // When only the channel names the package, the name is reported as wrong instead.
  const isMisplaced = one.blob === undefined && one.bundles.size === 0;
  for (const entry of channel.entries) {
    const place = placeIn(channel.blob, entry.pointer);
    if (entry.name === "")
      findings.push({ rule: "PCH010", message: `an entry of channel ${quoted(channel.name)} has no name`, place });
    const before = first.get(entry.name);
    if (before === undefined) first.set(entry.name, entry);
    else findings.push(repeated(channel, entry, before));
    if (entry.bundle === undefined && entry.name !== "" && before === undefined && !partial && !isMisplaced)
      findings.push(withoutBundle(one, channel, entry));
    findings.push(...skipFindings(channel, entry));
  }
  if (channel.entries.length > 0) findings.push(...channelGraphFindings(channel, [...first.values()]));
  return findings;
}

const edgesText = ({ replaces, skips, skipRange }: ChannelEntryContent): string =>
  canonicalJson({ replaces, skips, skipRange });

function repeated(channel: ChannelView, entry: EntryView, before: EntryView): Finding {
  const isSame = edgesText(entry) === edgesText(before);
  return {
    rule: "PCH008",
    message: `entry ${quoted(entry.name)} is listed twice in channel ${quoted(channel.name)}`,
    ...(isSame
      ? {
          remedy: "remove one of them",
          fix: [{ kind: "removeItem", ...documentOf(channel.blob), pointer: entry.pointer }],
        }
      : { why: "the two have different edges" }),
    place: placeIn(channel.blob, `${entry.pointer}/name`),
    bundle: entry.name,
  };
}

function withoutBundle(one: PackageView, channel: ChannelView, entry: EntryView): Finding {
  const free = [...one.bundles.keys()].filter((name) => !channel.entries.some((other) => other.name === name));
  const [near] = nearestNames(entry.name, free, 1);
  return {
    rule: "PCH009",
    message: `entry ${quoted(entry.name)} of channel ${quoted(channel.name)} has no bundle`,
    ...(near === undefined ? {} : { remedy: `correct it to ${near}, or add the olm.bundle blob` }),
    place: placeIn(channel.blob, `${entry.pointer}/name`),
    bundle: entry.name,
  };
}

function skipFindings(channel: ChannelView, entry: EntryView): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, skip] of entry.skips.entries()) {
    if (skip !== "") continue;
    const pointer = `${entry.pointer}/skips/${index}`;
    findings.push({
      rule: "PCH011",
      message: `skips[${index}] of entry ${quoted(entry.name)} in channel ${quoted(channel.name)} is empty`,
      place: placeIn(channel.blob, pointer),
      bundle: entry.name,
      fix: [{ kind: "removeItem", ...documentOf(channel.blob), pointer }],
    });
  }
  if (entry.skipRange !== "") {
    const range = parseBlangRange(entry.skipRange);
    if (!range.ok)
      findings.push({
        rule: "PCH012",
        message: `invalid skipRange ${quoted(entry.skipRange)} of entry ${quoted(entry.name)} in channel ${quoted(channel.name)}`,
        why: range.problem.message,
        place: placeIn(channel.blob, `${entry.pointer}/skipRange`),
        bundle: entry.name,
      });
  }
  return findings;
}
