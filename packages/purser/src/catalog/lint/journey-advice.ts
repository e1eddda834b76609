import { type ChannelView, type EntryView, type PackageView, placeIn } from "../catalog-view.ts";
import { edgeFrom } from "../../upgrade-graph/successors.ts";
import { installedAs, type Journeys, journeysOf } from "../journey.ts";
import type { Finding } from "./finding.ts";
import { count, listed, quoted } from "./finding-words.ts";

/** Where updates lead from every entry, under the rules of OLM v0 and v1. No findings for channels without a single head. */
export function journeyAdvice(one: PackageView): readonly Finding[] {
  return one.channels.flatMap((channel) => {
    const journeys = journeysOf(one, channel);
    const { head } = journeys;
    if (head === undefined) return [];
    const findings = [
      ...endings(channel, journeys, head),
      ...unreachable(channel, journeys, head),
      ...patches(channel, journeys),
    ];
    return findings.map((finding) => ({ ...finding, channel: channel.name }));
  });
}

/** Entries that do not end at the head: dead ends when OLM v0 and v1 end at the same entry; the others are reported together, as one difference per channel. */
function endings(channel: ChannelView, journeys: Journeys, head: EntryView): readonly Finding[] {
  const findings: Finding[] = [];
  const differing: { readonly entry: EntryView; readonly v0: string; readonly v1: string }[] = [];
  for (const entry of channel.entries) {
    if (entry === head || entry.bundle === undefined) continue;
    const from = installedAs(entry.bundle);
    const [v0, v1] = [journeys.way("v0", from).at(-1) ?? entry.name, journeys.way("v1", from).at(-1) ?? entry.name];
    if (v0 === head.name && v1 === head.name) continue;
    if (v0 !== v1) {
      differing.push({ entry, v0, v1 });
      continue;
    }
    findings.push({
      rule: "PCH101",
      message: `${entry.name} never reaches the head ${head.name} of channel ${quoted(channel.name)}`,
      why: v0 === entry.name ? "no update follows on it" : `its updates end at ${v0}`,
      remedy: `add to ${head.name}: skips: [${v0}], or a skipRange that holds it`,
      place: placeIn(channel.blob, `${entry.pointer}/name`),
      bundle: entry.name,
    });
  }
  const [first] = differing;
  if (first === undefined) return findings;
  const ends = differing.map(({ entry, v0, v1 }) => {
    const go = (end: string): string => (end === entry.name ? "stays" : `ends at ${end}`);
    return `from ${entry.name} v0 ${go(v0)} and v1 ${go(v1)}`;
  });
  const stuck = differing.filter(({ v0 }) => v0 !== head.name).map(({ entry }) => entry.name);
  return [
    ...findings,
    {
      rule: "PCH103",
      message: `v0 and v1 end differently from ${count(differing.length, "version")} of channel ${quoted(channel.name)}, whose head is ${head.name}`,
      why: `${ends.slice(0, 2).join("; ")}${ends.length > 2 ? `; and ${ends.length - 2} more` : ""}`,
      ...(stuck.length === 0
        ? {}
        : { remedy: `let ${head.name} skip ${listed(stuck)}, or give it a skipRange that holds them` }),
      place: placeIn(channel.blob, `${first.entry.pointer}/name`),
      bundle: first.entry.name,
    },
  ];
}

/** Entries that an edge leads to, but that no update of OLM v0 or v1 chooses, and that no entry skips. */
function unreachable(channel: ChannelView, journeys: Journeys, head: EntryView): readonly Finding[] {
  const skipped = new Set(channel.entries.flatMap(({ skips }) => skips));
  const arrived = new Set([head.name]);
  const possible = new Set<string>();
  for (const { bundle } of channel.entries) {
    if (bundle === undefined) continue;
    const from = installedAs(bundle);
    for (const rules of ["v0", "v1"] as const) {
      const next = journeys.next(rules, from);
      if (next !== undefined) arrived.add(next);
    }
    for (const to of channel.entries) {
      const target = { ...to, version: to.bundle?.content.versions[0]?.version ?? "" };
      if (to.name !== bundle.name && edgeFrom(target, from) !== undefined) possible.add(to.name);
    }
  }
  const left = channel.entries.filter(({ name }) => possible.has(name) && !arrived.has(name) && !skipped.has(name));
  const [first] = left;
  if (first === undefined) return [];
  return [
    {
      rule: "PCH102",
      message: `no update arrives at ${listed(left.map(({ name }) => name))} in channel ${quoted(channel.name)}`,
      why: "an entry nearer to the head takes over every update that could lead there",
      place: placeIn(channel.blob, `${first.pointer}/name`),
      bundle: first.name,
    },
  ];
}

/** The way from the oldest entry must not pass more than this number of patches of one minor version. */
const patchesOnTheWay = 2;

function patches(channel: ChannelView, journeys: Journeys): readonly Finding[] {
  const byName = new Map(channel.entries.map((entry) => [entry.name, entry]));
  let longest: readonly string[] = [];
  for (const { bundle } of channel.entries) {
    const way = bundle === undefined ? [] : journeys.way("v0", installedAs(bundle));
    if (way.length > longest.length) longest = way;
  }
  const byMinor = new Map<string, string[]>();
  for (const name of longest) {
    const version = byName.get(name)?.bundle?.version;
    if (version === undefined || version.prerelease.length > 0) continue;
    const minor = `${version.major}.${version.minor}`;
    byMinor.set(minor, [...(byMinor.get(minor) ?? []), name]);
  }
  const long = [...byMinor].filter(([, names]) => names.length > patchesOnTheWay);
  const [first] = long;
  if (first === undefined) return [];
  const last = byName.get(first[1].at(-1) ?? "");
  return [
    {
      rule: "PCH107",
      message: `updates in channel ${quoted(channel.name)} pass through ${long.map(([minor, names]) => `${count(names.length, "patch version")} of ${minor}`).join(", ")}`,
      remedy: `let ${first[1].at(-1) ?? ""} skip ${listed(first[1].slice(0, -1), 3)}`,
      place: placeIn(channel.blob, `${last?.pointer ?? ""}/name`),
    },
  ];
}
