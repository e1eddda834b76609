import { bundleDetails, versionsOf } from "../../discovery/package-details.ts";
import { packageLifecycle } from "../../discovery/package-lifecycle.ts";
import { type FoundPackage, isNamed, type Offer, offeredPackages } from "../../discovery/offers.ts";
import { mainChannel } from "../../discovery/package-facts.ts";
import type { BundleSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type UpgradeGraph, upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { selectBundles } from "../../upgrade-graph/version-selection.ts";
import { channelsNamed, noVersion } from "../catalog/graph/graph-request.ts";
import { parsePackageArgument } from "../cluster/package-request.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { findOptions, type FoundSources, sourceLabel } from "./package-sources.ts";
import type { InstalledHere } from "./installed-next.ts";
import { packageDocument } from "./package-document.ts";
import { packageText, type ShownPackage, views } from "./package-text.ts";
import { withSources } from "./with-sources.ts";

export const showCommand: CommandSpec = {
  arguments: [{ name: "package", summary: "PACKAGE for the latest version, or PACKAGE@VERSION", required: true }],
  options: [
    ...views.map(({ flag, summary }) => ({ flags: `--${flag}`, summary })),
    { flags: "--channel CHANNEL", summary: "show the head of this channel" },
    { flags: "--from-source NAME", summary: "only this catalog: NAME, NAMESPACE/NAME or cc/NAME" },
    ...findOptions,
  ],
  examples: [
    ["purser show cloudnative-pg", "one page, with its installations and the next command"],
    ["purser show cloudnative-pg@1.25.0 --permissions", "the permissions of a version"],
    ["purser show cloudnative-pg --examples", "custom resources to begin with, to pipe into kubectl apply -f -"],
    ["purser show etcd --graph --catalog community=./catalog", "its upgrade graph, without a cluster"],
  ],
  run: (invocation) =>
    withSources(invocation, (found, installed) => {
      const shownPackage = packageNamed(invocation, found, installed);
      return shownPackage.ok ? printed(invocation, shownPackage.value) : { explanation: shownPackage.problem };
    }),
};

function printed(invocation: Invocation, one: ShownPackage): Outcome {
  if (textOption(invocation, "output") === "name") return { exitCode: exitCodes.done, human: shown(one.summary.name) };
  const chosen = views.map(({ flag }) => flag).filter((flag) => flagOption(invocation, flag));
  return {
    exitCode: exitCodes.done,
    data: packageDocument(one),
    human: packageText(one, chosen, invocation.terminal, textOption(invocation, "output") === "wide"),
  };
}

/** The package, source and bundle that the arguments name. @throws UsageError for an empty version */
function packageNamed(
  invocation: Invocation,
  { sources }: FoundSources,
  installed: readonly InstalledHere[],
): Result<ShownPackage, Explanation> {
  const packages = offeredPackages(sources, installed);
  const [argument = ""] = invocation.arguments;
  const { packageName, version } = parsePackageArgument(argument);
  if (packageName === "" || version === "")
    throw new UsageError(`"${argument}" is not the name of a package`, "write PACKAGE or PACKAGE@VERSION");
  const found = packages.find(({ name }) => name === packageName);
  if (found === undefined) return failed(noPackage(packageName, packages));
  const label = ({ source }: Offer): string => sourceLabel(source, sources);
  const offer = offerNamed(found, textOption(invocation, "from-source"), argument, label);
  if (!offer.ok) return offer;
  const { source } = offer.value;
  const summary = source.index.package(packageName);
  if (summary === undefined) throw new Error(`the index of ${source.name} lost the package ${packageName}`);
  const graph = upgradeGraph(versionsOf(summary));
  const bundle = bundleNamed(summary, graph, textOption(invocation, "channel"), version);
  if (!bundle.ok) return bundle;
  const details =
    bundle.value === undefined ? undefined : bundleDetails(summary, bundle.value, (id) => source.index.blob(id));
  const channel = bundle.value?.channel ?? mainChannel(summary)?.name ?? "";
  return done({
    summary,
    facts: offer.value.facts,
    source,
    sourceLabel: label(offer.value),
    graph,
    channel,
    lifecycle: packageLifecycle(summary, (id) => source.index.blob(id)),
    ...(details === undefined ? {} : { details }),
    installed: installed.filter((one) => one.packageName === packageName),
  });
}

function noPackage(wanted: string, packages: readonly FoundPackage[]): Explanation {
  const nearest = nearestNames(
    wanted,
    packages.map(({ name }) => name),
  );
  return {
    code: "PackageNotFound",
    summary: summaryOf(`No catalog has a package "${wanted}"`),
    facts: { wanted, nearest, packages: packages.length },
    derivation: [{ relation: "fact", subject: wanted, text: `searched ${packages.length} packages` }],
    remedies:
      nearest.length === 0
        ? [{ summary: "searches all texts of the packages", command: `purser search ${shellWord(wanted)}` }]
        : nearest.map((name) => ({ summary: "did you mean this?", command: `purser show ${shellWord(name)}` })),
  };
}

/** The offer of the named source, else that of the highest priority; refused when several have it. */
function offerNamed(
  { name, offers }: FoundPackage,
  wanted: string | undefined,
  argument: string,
  label: (offer: Offer) => string,
): Result<Offer, Explanation> {
  const named = wanted === undefined ? offers : offers.filter(({ source }) => isNamed(source, wanted));
  const [first, second] = named;
  const commands = offers.map((offer) => ({
    summary: `from ${label(offer)}`,
    command: `purser show ${shellWord(argument)} --from-source ${shellWord(label(offer))}`,
  }));
  const labels = offers.map(label);
  if (first === undefined)
    return failed({
      code: "CatalogNotFound",
      summary: summaryOf(`No catalog "${wanted ?? ""}" has the package "${name}"`),
      facts: { wanted: wanted ?? "", catalogs: labels },
      derivation: [
        {
          relation: "provided",
          subject: name,
          text: `${listOf(labels, 6)} ${labels.length === 1 ? "has" : "have"} it`,
        },
      ],
      remedies: commands,
    });
  if (second === undefined || first.source.priority > second.source.priority) return done(first);
  return failed({
    code: "AmbiguousCatalog",
    summary: summaryOf(`${named.length} catalogs offer "${name}", and none has a higher priority`),
    facts: { wanted: name, catalogs: labels },
    derivation: offers.map((offer) => ({ relation: "provided", subject: name, text: `${label(offer)} has it` })),
    remedies: commands,
  });
}

/** The bundle of the version, in the channel when one is named; without a version the head of the channel. */
function bundleNamed(
  summary: PackageSummary,
  graph: UpgradeGraph,
  channel: string | undefined,
  version: string | undefined,
): Result<BundleSummary | undefined, Explanation> {
  const named = channelsNamed(graph, channel === undefined ? [] : [channel]);
  if (!named.ok) return named;
  const main = summary.channels.find(({ name }) => name === channel) ?? mainChannel(summary);
  const order = main === undefined ? [] : [main, ...(channel === undefined ? summary.channels : [])];
  if (version === undefined) return done(main?.bundles.find(({ isChannelHead }) => isChannelHead));
  for (const { name } of selectBundles(graph, version))
    for (const { bundles } of order) {
      const bundle = bundles.find((one) => one.name === name);
      if (bundle !== undefined) return done(bundle);
    }
  return failed(noVersion(graph, version));
}
