import type { ChannelGraph } from "../upgrade-graph/channel-graph.ts";
import type { Cell, Lane, Picture } from "./picture.ts";
import { versionLabel } from "./picture.ts";

/** A mark as one sentence: version, bundle, channel, its tags, and the number of upgrades to and from it. */
export function nodeSentence(picture: Picture, { channel }: Lane, { row, nodes, mark }: Cell): string {
  const bundles = picture.rows[row]?.bundles ?? [];
  const names = new Set(nodes.map(({ name }) => name));
  const own = bundles.filter(({ name }) => names.has(name));
  const [first] = own;
  const last = own.at(-1);
  if (first === undefined || last === undefined) return "";
  const subject =
    nodes.length > 1
      ? `${nodes.length} versions, ${versionLabel(last)} to ${versionLabel(first)}`
      : `${versionLabel(first)} (${first.name})`;
  const { into, out } = countsOf(channel);
  const sum = (counts: ReadonlyMap<string, number>): number =>
    nodes.reduce((total, { name }) => total + (counts.get(name) ?? 0), 0);
  const words = mark.tags.map(({ text }) => text);
  const message =
    nodes.length === 1 && first.deprecation !== undefined && first.deprecation !== ""
      ? [`deprecated: ${first.deprecation}`]
      : [];
  return [
    `${subject} in channel ${channel.name}`,
    ...words,
    ...message,
    `upgrades to it: ${sum(into)}`,
    `upgrades from it: ${sum(out)}`,
  ].join("; ");
}

interface Counts {
  readonly into: ReadonlyMap<string, number>;
  readonly out: ReadonlyMap<string, number>;
}

const counted = new WeakMap<ChannelGraph, Counts>();

/** How many upgrades lead to and from each bundle of a channel; counted once per channel, for all its marks. */
function countsOf(channel: ChannelGraph): Counts {
  const known = counted.get(channel);
  if (known !== undefined) return known;
  const into = new Map<string, number>();
  const out = new Map<string, number>();
  for (const { to, from } of channel.links) {
    into.set(to, (into.get(to) ?? 0) + from.length);
    for (const name of from) out.set(name, (out.get(name) ?? 0) + 1);
  }
  counted.set(channel, { into, out });
  return { into, out };
}
