import { holdsUnder } from "../upgrade-graph/rules.ts";
import type { Picture } from "./picture.ts";
import { versionLabel } from "./picture.ts";
import { markOf } from "./marks.ts";

/** One bundle in one channel as texts, for the table; nothing is folded. */
export interface TableRow {
  readonly channel: string;
  readonly version: string;
  readonly bundle: string;
  readonly marks: readonly string[];
  /** What it can be upgraded from, and how. */
  readonly from: readonly string[];
  /** What it can be upgraded to, and how. */
  readonly to: readonly string[];
}

/** More targets than this are counted. */
const mostListed = 12;

/** All bundles of the channels shown, by channel, newest first. */
export function tableOf({ graph, labels, lanes, rules, path }: Picture): readonly TableRow[] {
  const bundles = new Map(graph.bundles.map((bundle, index) => [bundle.name, { bundle, index }]));
  return lanes.flatMap(({ channel }) => {
    const links = channel.links.filter((link) => rules === "both" || holdsUnder(link.rules, rules));
    const words = (kind: string, under: string): string =>
      rules === "both" && under !== "both" ? `${kind}, ${under}` : kind;
    const shown = (name: string): string => {
      return labels.get(name) ?? name;
    };
    const to = new Map<string, { readonly shown: string[]; count: number }>();
    for (const link of links) {
      const target = `${shown(link.to)} (${words(link.kind, link.rules)})`;
      for (const name of link.from) {
        const known = to.get(name) ?? { shown: [], count: 0 };
        if (known.count++ < mostListed) known.shown.push(target);
        to.set(name, known);
      }
    }
    const from = Map.groupBy(links, (link) => link.to);
    return channel.nodes
      .flatMap((node) => {
        const found = bundles.get(node.name);
        return found === undefined ? [] : [{ node, ...found }];
      })
      .toSorted((left, right) => left.index - right.index)
      .map(({ node, bundle }): TableRow => {
        const hop = path?.hops.findIndex((each) => each.channel === channel.name && each.to === node.name) ?? -1;
        const { tags } = markOf({
          node,
          bundle,
          rules,
          installed: [],
          isStart: false,
          isTarget: false,
          hop: hop < 0 ? undefined : hop + 1,
        });
        const message = bundle.deprecation === undefined || bundle.deprecation === "" ? [] : [bundle.deprecation];
        return {
          channel: channel.name,
          version: versionLabel(bundle),
          bundle: node.name,
          marks: [...tags.map(({ text }) => text), ...message],
          from: (from.get(node.name) ?? []).map(({ kind, range, from: names, rules: under }) =>
            kind === "skipRange"
              ? `${range ?? ""} (${words(kind, under)})`
              : `${names.map(shown).join(", ")} (${words(kind, under)})`,
          ),
          to: listed(to.get(node.name)),
        };
      });
  });
}

function listed(targets: { readonly shown: readonly string[]; readonly count: number } | undefined): readonly string[] {
  if (targets === undefined) return [];
  const more = targets.count - targets.shown.length;
  return more === 0 ? targets.shown : [...targets.shown, `${more} more`];
}
