import type { Cell, Lane, Picture } from "./picture.ts";
import { versionLabel } from "./picture.ts";

/** What a mark stands for, in words: version, bundle, channel, what holds of it, and how many upgrades lead to and from it. */
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
  const into = channel.links.filter(({ to }) => names.has(to)).reduce((sum, { from }) => sum + from.length, 0);
  const out = channel.links.filter(({ from }) => from.some((name) => names.has(name))).length;
  const words = mark.tags.map(({ text }) => text);
  const message =
    nodes.length === 1 && first.deprecation !== undefined && first.deprecation !== ""
      ? [`deprecated: ${first.deprecation}`]
      : [];
  return [
    `${subject} in channel ${channel.name}`,
    ...words,
    ...message,
    `upgrades to it: ${into}`,
    `upgrades from it: ${out}`,
  ].join("; ");
}
