import type { JsonValue } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  deprecationOf,
  filterPackages,
  type FoundPackage,
  type InstalledPackage,
  isNamed,
  latestVersion,
  newerVersion,
  offeredPackages,
  type PackageFilter,
  type PackageSource,
} from "../../discovery/offers.ts";
import { searchPackages } from "../../discovery/search.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { counted, listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { withGivenFlags } from "../decision/given-flags.ts";
import { formatAge } from "../output/duration.ts";
import { type ListColumn, listingOptions, printListing, selectorOption } from "../output/listing.ts";
import type { Terminal } from "../output/terminal.ts";
import { foundCatalog } from "./found-catalog.ts";
import { listVersions } from "./listed-versions.ts";
import { findOptions, type FoundSources, sourceLabel } from "./package-sources.ts";
import { noSource } from "./unread-sources.ts";
import { withSources } from "./with-sources.ts";

export const searchCommand: CommandSpec = {
  description: [
    "Searches display name, name, keywords, provider, provided kinds and description, in that order of weight. Words may be",
    "prefixes, and may have one typing error in five letters. Without TEXT all packages are listed.",
  ].join("\n"),
  arguments: [{ name: "text", summary: "words that describe the package; all must match", variadic: true }],
  options: [
    { flags: "--kind KIND", summary: "only packages that provide this kind" },
    { flags: "--provider TEXT", summary: "only packages whose provider's name contains this text" },
    { flags: "--capability LEVEL", summary: "only this level, such as 'Deep Insights'" },
    { flags: "--source NAME", summary: "only this catalog: NAME, NAMESPACE/NAME or cc/NAME" },
    { ...selectorOption, summary: "only catalogs with these labels, such as tier=own,!beta" },
    { flags: "--package NAME", summary: "only the package with exactly this name" },
    { flags: "--deprecated", summary: "only deprecated packages" },
    { flags: "--installed", summary: "only packages that are installed" },
    { flags: "--list-versions", summary: "list all versions of the packages, newest first" },
    { flags: "--as-catalog", summary: "print the packages as a file-based catalog, as YAML or with -o json" },
    ...findOptions,
    ...listingOptions,
  ],
  examples: [
    ["purser search postgres backup", "packages that match both words"],
    ["purser search --kind PostgresCluster", "packages that provide a kind"],
    ["purser search --catalog community=./catalog -o json", "everything in a catalog on disk, without a cluster"],
    ["purser search --package kube-green --list-versions", "all versions of one package"],
    ["purser search --package kube-green --as-catalog", "its part of the catalog, as a file-based catalog"],
  ],
  run: (invocation) => withSources(invocation, (found, installed) => searched(invocation, found, installed)),
};

function searched(invocation: Invocation, found: FoundSources, installed: readonly InstalledPackage[]): Outcome {
  const { terminal } = invocation;
  const { sources } = found;
  const filter = filterOf(invocation);
  const unknown = filter.source === undefined ? undefined : unknownSource(filter.source, found);
  if (unknown !== undefined) return { explanation: unknown };
  const all = offeredPackages(sources, installed);
  const kept = filterPackages(all, filter);
  const asked = ["list-versions", "as-catalog"].filter((name) => flagOption(invocation, name));
  if (asked.length > 1) throw new UsageError("--list-versions and --as-catalog exclude each other", "leave one out");
  const query = invocation.arguments.join(" ");
  // Every source of a package may say something else: the best one decides.
  const offers = kept.flatMap((one) => one.offers.map(({ facts }) => ({ one, facts })));
  const ranked = searchPackages(query, offers, ({ facts }) => facts);
  const packages = [...new Set(ranked.map(({ item }) => item.one))];
  if (packages.length === 0) return { explanation: nothingFound(query, kept, all.length, sources) };
  if (flagOption(invocation, "as-catalog")) return foundCatalog(invocation, packages);
  if (flagOption(invocation, "list-versions")) return listVersions(invocation, packages, sources);
  return printListing(invocation, {
    kind: "PackageList",
    items: packages,
    columns: packageColumns(terminal, sources),
    nameOf: ({ name }) => name,
    document: documentOf,
    about: {
      total: all.length,
      sources: [
        ...sources.map(({ name, references, index }) => ({ name, references, packages: index.packages().length })),
        ...found.unread.map(({ name, cause }) => ({ name, unavailable: cause })),
      ],
    },
    footer: [footer(invocation, packages, all.length, sources)],
  });
}

function filterOf(invocation: Invocation): PackageFilter {
  const text = <Name extends "kind" | "provider" | "capability" | "source" | "package">(name: Name) => {
    const value = textOption(invocation, name);
    return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]?: string });
  };
  return {
    ...text("kind"),
    ...text("provider"),
    ...text("capability"),
    ...text("source"),
    ...text("package"),
    ...(flagOption(invocation, "deprecated") ? { isDeprecated: true } : {}),
    ...(flagOption(invocation, "installed") ? { isInstalled: true } : {}),
  };
}

function packageColumns(terminal: Terminal, all: readonly PackageSource[]): readonly ListColumn<FoundPackage>[] {
  return [
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "LATEST", cell: ({ offers: [{ facts }] }) => latestVersion(facts) },
    { heading: "CHANNEL", rank: 2, cell: ({ offers: [{ facts }] }) => facts.defaultChannel },
    {
      heading: "SOURCE",
      rank: 3,
      cell: ({ offers: [first, ...others] }) =>
        others.length === 0 ? sourceLabel(first.source, all) : `${others.length + 1} sources`,
    },
    { heading: "PROVIDER", rank: 4, cell: ({ offers: [{ facts }] }) => facts.provider },
    { heading: "INSTALLED", rank: 1, cell: ({ installed }) => installedWords(installed) },
    { heading: "NOTES", isSentence: true, cell: (one) => notes(one, terminal) },
  ];
}

function installedWords([first, ...others]: readonly InstalledPackage[]): string {
  if (first === undefined) return "";
  const { namespace, name, version = "" } = first;
  const more = others.length === 0 ? "" : ` +${others.length}`;
  return `${namespace ?? `ext/${name}`} ${version}`.trim() + more;
}

function notes(one: FoundPackage, terminal: Terminal): string {
  const [{ facts }] = one.offers;
  const deprecation = deprecationOf(facts);
  return [
    ...(hasUpdate(one) ? [terminal.paint("link", `${terminal.symbol("update")} update`)] : []),
    ...(deprecation === undefined ? [] : [`deprecated${firstLine(deprecation)}`]),
  ].join(", ");
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line === "" ? "" : `: ${line}`;
}

const hasUpdate = ({ installed, offers: [{ facts }] }: FoundPackage): boolean =>
  installed.some((one) => newerVersion(one, facts) !== undefined);

function documentOf(one: FoundPackage): { readonly [field: string]: JsonValue } {
  const { offers, installed, name } = one;
  const [{ facts }] = offers;
  const deprecation = deprecationOf(facts);
  return {
    name,
    displayName: facts.displayName,
    provider: facts.provider,
    latest: latestVersion(facts),
    channel: facts.defaultChannel,
    channels: facts.channels.map((channel) => ({ ...channel })),
    sources: offers.map(({ source }) => source.references).flat(),
    capability: facts.capability,
    kinds: facts.kinds,
    keywords: facts.keywords,
    installed: installed.map((each) => {
      const newer = newerVersion(each, facts);
      return {
        reference: each.reference,
        ...(each.version === undefined ? {} : { version: each.version }),
        ...(newer === undefined ? {} : { newer }),
      };
    }),
    update: hasUpdate(one),
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

/** `3 of 1042 packages, 4 sources (oldest 2h). More: purser show NAME` */
function footer(
  invocation: Invocation,
  packages: readonly FoundPackage[],
  total: number,
  sources: readonly PackageSource[],
): string {
  const [oldest] = sources.flatMap(({ readAt }) => (readAt === undefined ? [] : [readAt])).toSorted();
  const age = oldest === undefined ? "" : ` (oldest ${formatAge(oldest, systemClock.now())})`;
  const counts = `${packages.length} of ${counted(total, "package")}`;
  const looked = `${counted(sources.length, "source")}${age}`;
  const more = withGivenFlags(`purser show ${shellWord(packages[0]?.name ?? "")}`, invocation);
  return `${counts}, ${looked}. More: ${more}`;
}

function unknownSource(wanted: string, { sources, unread }: FoundSources): Explanation | undefined {
  if (sources.some((source) => isNamed(source, wanted))) return undefined;
  const failing = unread.find(({ name }) => name === wanted || name.split("/").at(-1) === wanted);
  if (failing !== undefined) return noSource([failing]);
  const known = sources.flatMap(({ name, references }) => [name, ...references]);
  return {
    code: "CatalogNotFound",
    summary: summaryOf(`There is no catalog "${wanted}"`),
    facts: { wanted, known },
    derivation: [{ relation: "fact", subject: wanted, text: `the catalogs are ${listOf([...new Set(known)], 6)}` }],
    remedies: nearestNames(wanted, known, 1).map((name) => ({
      summary: "the nearest name",
      command: `purser search --source ${shellWord(name)}`,
    })),
  };
}

function nothingFound(
  query: string,
  kept: readonly FoundPackage[],
  total: number,
  sources: readonly PackageSource[],
): Explanation {
  const nearest = nearestNames(
    query,
    kept.map(({ name }) => name),
  );
  const what = query === "" ? "No package matches the flags" : `No package matches "${query}"`;
  const looked = `looked at ${kept.length} of ${total} packages in ${listOf(
    sources.map((source) => sourceLabel(source, sources)),
    6,
  )}`;
  return {
    code: "PackageNotFound",
    summary: summaryOf(what),
    facts: { wanted: query, nearest, packages: total },
    derivation: [{ relation: "fact", subject: query, text: looked }],
    remedies:
      nearest.length === 0
        ? [{ summary: "lists every package", command: "purser search" }]
        : nearest.map((name) => ({ summary: "did you mean this?", command: `purser search ${shellWord(name)}` })),
  };
}
