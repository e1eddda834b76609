import type { BundleSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import { versionsOf } from "../../discovery/package-details.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../explanation/summary.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { causeWords, wayOutWords } from "../../upgrade-graph/path-words.ts";
import type { Rules } from "../../upgrade-graph/rules.ts";
import { upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { findPath } from "../../upgrade-graph/upgrade-path.ts";
import { channelsNamed, startsNamed, targetNamed } from "../catalog/graph/graph-request.ts";

export interface PathQuestion {
  readonly rules: Rules;
  readonly from: string;
  /** Undefined: the head. */
  readonly to: string | undefined;
  readonly channel: string | undefined;
}

/** The bundles from the newest one that `from` names to `to`, by upgrades of the catalog; `from` comes first. */
export function packagePath(
  summary: PackageSummary,
  { rules, from, to, channel }: PathQuestion,
): Result<readonly BundleSummary[], Explanation> {
  const graph = upgradeGraph(versionsOf(summary));
  const channels = channelsNamed(graph, channel === undefined ? [] : [channel]);
  if (!channels.ok) return channels;
  const starts = startsNamed(graph, from);
  if (!starts.ok) return starts;
  const target = targetNamed(graph, to);
  if (!target.ok) return target;
  const [start] = starts.value;
  if (start === undefined) return done([]);
  const request = { rules, channel, from: start, to: target.value };
  const answer = findPath(graph, request);
  if (answer.kind === "noPath")
    return failed({
      code: "NoUpgradePath",
      summary: summaryOf(`${summary.name} ${from} has no upgrade to ${to ?? "the head"}`),
      facts: { package: summary.name, from, to: to ?? null },
      derivation: [{ relation: "fact", subject: start.name, text: causeWords(graph, request, answer) }],
      remedies: [
        ...answer.waysOut.map((way) => ({ summary: wayOutWords(graph, way) })),
        { summary: "see the versions of the catalog", command: `purser show ${shellWord(summary.name)} --versions` },
      ],
    });
  const names = [start.name, ...answer.hops.map((hop) => hop.to)];
  const bundles: BundleSummary[] = [];
  for (const [index, name] of names.entries()) {
    const wanted = channel ?? answer.hops[index - 1]?.channel;
    const found = summary.channels.flatMap((one) => one.bundles.filter((bundle) => bundle.name === name));
    const bundle = found.find((one) => one.channel === wanted) ?? found[0];
    if (bundle === undefined)
      return failed({
        code: "VersionNotFound",
        summary: summaryOf(`No catalog has the bundle ${name}, so its objects cannot be compared`),
        facts: { bundle: name },
        derivation: [{ relation: "fact", subject: name, text: "it is in no channel of the package" }],
        remedies: [
          { summary: "name a version of the catalog", command: `purser show ${shellWord(summary.name)} --versions` },
        ],
      });
    bundles.push(bundle);
  }
  return done(bundles);
}

/** The newest bundles that `from` and `to` name, whether the catalog upgrades from one to the other or not. */
export function bothBundles(
  summary: PackageSummary,
  { from, to }: PathQuestion,
): Result<readonly BundleSummary[], Explanation> {
  const graph = upgradeGraph(versionsOf(summary));
  const found: BundleSummary[] = [];
  for (const text of [from, to]) {
    const named = targetNamed(graph, text);
    if (!named.ok) return named;
    const name = named.value ?? summary.channels.find((one) => one.name === summary.defaultChannel)?.head;
    const bundle = summary.channels.flatMap(({ bundles }) => bundles).find((one) => one.name === name);
    if (bundle !== undefined) found.push(bundle);
  }
  return done(found);
}
