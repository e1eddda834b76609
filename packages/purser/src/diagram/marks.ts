import type { ChannelNode } from "../upgrade-graph/channel-graph.ts";
import type { GraphBundle } from "../upgrade-graph/graph-bundle.ts";
import type { RuleSet, Rules } from "../upgrade-graph/rules.ts";
import { holdsUnder } from "../upgrade-graph/rules.ts";

/** What a bundle is drawn as. */
export type Shape =
  | "head"
  | "installed"
  | "version"
  | "skipped"
  | "deprecated"
  | "stranded"
  | "direct"
  | "missing"
  | "elsewhere";

/** A word beside a mark; every meaning has one, so that none depends on shape or colour alone. */
export interface Tag {
  readonly kind: Shape | "path";
  readonly text: string;
}

export interface MarkFacts {
  readonly node: ChannelNode;
  readonly bundle: GraphBundle;
  readonly rules: Rules | "both";
  /** Installations that have it. */
  readonly installed: readonly string[];
  readonly isStart: boolean;
  readonly isTarget: boolean;
  /** Number of the hop that arrives here. */
  readonly hop?: number | undefined;
}

export interface Mark {
  readonly shape: Shape;
  /** Drawn around the shape when the shape has another meaning. */
  readonly isDeprecated: boolean;
  readonly tags: readonly Tag[];
}

function underRules(set: RuleSet, rules: Rules | "both", words: string): string {
  return rules !== "both" || set === "both" ? words : `${set}: ${words}`;
}

/** The mark of a bundle in a channel: one shape, and a word for everything that holds. */
export function markOf({ node, bundle, rules, installed, isStart, isTarget, hop }: MarkFacts): Mark {
  const tags: Tag[] = [];
  const isDeprecated = bundle.deprecation !== undefined;
  const isStranded = holdsUnder(node.stranded, rules);
  const isDirect = holdsUnder(node.directOnly, rules);
  const isSkipped = node.skippedBy.length > 0;
  if (node.isHead) tags.push({ kind: "head", text: "head" });
  if (installed.length > 0) tags.push({ kind: "installed", text: installedWords(installed) });
  if (isStart) tags.push({ kind: "path", text: "from" });
  if (isTarget) tags.push({ kind: "path", text: "to" });
  if (hop !== undefined) tags.push({ kind: "path", text: `hop ${hop}` });
  if (node.kind === "missing") tags.push({ kind: "missing", text: "not in catalog" });
  if (node.kind === "elsewhere") tags.push({ kind: "elsewhere", text: "other channel" });
  if (isSkipped) tags.push({ kind: "skipped", text: "skipped" });
  if (isDeprecated) tags.push({ kind: "deprecated", text: "deprecated" });
  if (isStranded) tags.push({ kind: "stranded", text: underRules(node.stranded, rules, "no way forward") });
  if (isDirect) tags.push({ kind: "direct", text: underRules(node.directOnly, rules, "direct install only") });
  const shape: Shape =
    node.kind !== "entry"
      ? node.kind
      : installed.length > 0
        ? "installed"
        : node.isHead
          ? "head"
          : isStranded
            ? "stranded"
            : isDeprecated
              ? "deprecated"
              : isSkipped
                ? "skipped"
                : isDirect
                  ? "direct"
                  : "version";
  return { shape, isDeprecated, tags };
}

function installedWords([first = "", ...others]: readonly string[]): string {
  const where = first === "" ? "installed" : `installed in ${first}`;
  return others.length === 0 ? where : `${where} +${others.length}`;
}
