import type { Explanation } from "../../../explanation/explanation.ts";
import { nearestNames } from "../../../explanation/nearest-name.ts";
import type { Result } from "@purser/kubernetes/result";
import { all, done, failed } from "@purser/kubernetes/result";
import { parseVersion } from "@purser/kubernetes/version";
import type { Rules } from "../../../upgrade-graph/rules.ts";
import type { PathStart } from "../../../upgrade-graph/scope.ts";
import type { UpgradeGraph } from "../../../upgrade-graph/upgrade-graph.ts";
import { upgradeGraph } from "../../../upgrade-graph/upgrade-graph.ts";
import { selectBundles } from "../../../upgrade-graph/version-selection.ts";
import type { ArgumentSpec, Invocation, OptionSpec } from "../../command.ts";
import { textOption } from "../../command.ts";
import type { LocalContent } from "../../image/local-content.ts";
import { problemWords, readPackageVersions } from "../package-versions.ts";

export const catalogArgument: ArgumentSpec = {
  name: "REF",
  summary: "directory, file or image of a file-based catalog",
  required: true,
};

export const graphOptions = {
  package: { flags: "--package NAME", summary: "package; not needed when the catalog holds only one" },
  from: {
    flags: "--from VERSION",
    summary: "where the path begins: a version, a beginning such as 1.2, a range or a bundle",
  },
  to: { flags: "--to VERSION", summary: "where it should end (default: the head)" },
  rules: {
    flags: "--rules RULES",
    summary: "whose rules read the edges (default both)",
    choices: ["v0", "v1", "both"],
  },
} as const satisfies Record<string, OptionSpec>;

export function rulesOption(invocation: Invocation): Rules | "both" {
  const text = textOption(invocation, "rules");
  return text === "v0" || text === "v1" ? text : "both";
}

/** The upgrade graph of the requested package; problems elsewhere in the catalog are printed and ignored. */
export function readGraph(invocation: Invocation, catalog: LocalContent): Result<UpgradeGraph, Explanation> {
  const { terminal } = invocation;
  const { reference } = catalog;
  const read = readPackageVersions(catalog, textOption(invocation, "package"));
  if (!read.ok) return read;
  const { problems, content } = read.value;
  for (const problem of problems.slice(0, 3))
    terminal.err(`${terminal.paint("attention", terminal.symbol("attention"))} left out: ${problemWords(problem)}`);
  if (problems.length > 3) terminal.err(`  and ${problems.length - 3} more: purser catalog validate ${reference}`);
  return done(upgradeGraph(content));
}

/** `names` when the graph has all these channels, otherwise the refusal for those it does not have. */
export function channelsNamed(graph: UpgradeGraph, names: readonly string[]): Result<readonly string[], Explanation> {
  return all(
    names.map((name) =>
      graph.channels.some((channel) => channel.name === name) ? done(name) : failed(noChannel(graph, name)),
    ),
  );
}

/**
 * The bundles that `text` selects, newest first. A version that the catalog does not contain is accepted too, because
 * it may be installed on a cluster.
 */
export function startsNamed(graph: UpgradeGraph, text: string): Result<readonly PathStart[], Explanation> {
  const found = selectBundles(graph, text);
  if (found.length > 0) return done(found.map(({ name, version }) => ({ name, version })));
  const version = text.trim().replace(/^v/, "");
  if (parseVersion(version).ok) return done([{ name: `${graph.packageName}.v${version}`, version }]);
  return failed(noVersion(graph, text));
}

/** The name of the target bundle; undefined for the channel head. */
export function targetNamed(graph: UpgradeGraph, text: string | undefined): Result<string | undefined, Explanation> {
  if (text === undefined || text === "head" || text === "latest") return done(undefined);
  const found = selectBundles(graph, text);
  const target = found.find(({ kind }) => kind === "bundle") ?? found[0];
  return target === undefined ? failed(noVersion(graph, text)) : done(target.name);
}

function noChannel(graph: UpgradeGraph, wanted: string): Explanation {
  const names = graph.channels.map(({ name }) => name);
  const nearest = nearestNames(wanted, names);
  return {
    code: "ChannelNotFound",
    summary: `Package ${graph.packageName} has no channel ${wanted}`,
    facts: { wanted, channels: names, nearest, default: graph.defaultChannel },
    derivation: [
      {
        relation: "fact",
        subject: graph.packageName,
        text: names.length === 0 ? "It has no channel" : `It has ${listed(names)}`,
      },
    ],
    remedies: nearest.map((name) => ({ summary: `Did you mean --channel ${name}?` })),
  };
}

/** The refusal for a version that the package does not have. */
export function noVersion(graph: UpgradeGraph, wanted: string): Explanation {
  const versions = graph.bundles.flatMap(({ kind, version }) =>
    kind === "bundle" && version !== undefined ? [version] : [],
  );
  const nearest = nearestNames(wanted, versions);
  return {
    code: "VersionNotFound",
    summary: `Package ${graph.packageName} has no version ${wanted}`,
    facts: { wanted, versions, nearest },
    derivation: [
      {
        relation: "fact",
        subject: graph.packageName,
        text: versions.length === 0 ? "It holds no version" : `It has ${listed(versions)}`,
      },
    ],
    remedies: nearest.map((version) => ({ summary: `Did you mean ${version}?` })),
  };
}

function listed(names: readonly string[], most = 8): string {
  return names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ");
}
