import { compareBytes } from "@purser/kubernetes/text/documents";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import type { CatalogIndex } from "../catalog/catalog-index.ts";
import type { PackageFacts } from "../catalog/package-facts.ts";
import { factsOf } from "./package-facts.ts";

/** A catalog that packages are found in. The same content under the same name for both families is one source. */
export interface PackageSource {
  readonly name: string;
  /** `NAMESPACE/NAME` of a CatalogSource, `cc/NAME` of a ClusterCatalog; at least one. */
  readonly references: readonly string[];
  readonly priority: number;
  /** RFC 3339: when its content was last read, where an object says so. */
  readonly readAt?: string;
  readonly index: CatalogIndex;
}

/** A package in one source. */
export interface Offer {
  readonly source: PackageSource;
  readonly facts: PackageFacts;
}

/** An installation of a package, as far as lists of packages show it. */
export interface InstalledPackage {
  readonly reference: string;
  readonly packageName: string;
  /** Namespace of a Subscription; absent for a ClusterExtension. */
  readonly namespace?: string;
  readonly name: string;
  readonly version?: string;
  /** Channels that it follows; of a Subscription without one none, of a ClusterExtension without one all. */
  readonly channels: readonly string[];
  readonly api: "v0" | "v1";
}

/** A package of one or more sources. */
export interface FoundPackage {
  readonly name: string;
  /** Highest priority first, then by the source's name. */
  readonly offers: readonly [Offer, ...Offer[]];
  readonly installed: readonly InstalledPackage[];
}

/** Every package of the sources, by name, with where it is installed. */
export function offeredPackages(
  sources: readonly PackageSource[],
  installed: readonly InstalledPackage[],
): readonly FoundPackage[] {
  const preferred = sources.toSorted(
    (a, b) =>
      b.priority - a.priority ||
      compareBytes(a.name, b.name) ||
      compareBytes(a.references[0] ?? "", b.references[0] ?? ""),
  );
  const offers = new Map<string, [Offer, ...Offer[]]>();
  for (const source of preferred)
    for (const facts of factsOf(source.index)) {
      const known = offers.get(facts.name);
      if (known === undefined) offers.set(facts.name, [{ source, facts }]);
      else known.push({ source, facts });
    }
  const byPackage = Map.groupBy(installed, ({ packageName }) => packageName);
  return [...offers]
    .map(([name, own]): FoundPackage => ({ name, offers: own, installed: byPackage.get(name) ?? [] }))
    .toSorted((a, b) => compareBytes(a.name, b.name));
}

/** Version at the head of the default channel; "" when it has no single head. */
export function latestVersion({ channels, defaultChannel }: PackageFacts): string {
  return channels.find(({ name }) => name === defaultChannel)?.version ?? "";
}

/**
 * The newest version at the head of the channels that an installation follows, when it is above the installed one;
 * whether a path leads there is not looked at.
 */
export function newerVersion(
  { version = "", channels, api }: InstalledPackage,
  facts: PackageFacts,
): string | undefined {
  const followed = channels.length === 0 && api === "v0" ? [facts.defaultChannel as string] : channels;
  const installed = parseTolerantVersion(version);
  if (!installed.ok) return undefined;
  const newer = facts.channels
    .filter(({ name }) => followed.length === 0 || followed.includes(name))
    .flatMap((channel) => {
      const head = parseTolerantVersion(channel.version);
      return head.ok && compareVersions(head.value, installed.value) > 0
        ? [{ text: channel.version, head: head.value }]
        : [];
    });
  return newer.toSorted((a, b) => compareVersions(b.head, a.head))[0]?.text;
}

/** What a list of packages is narrowed to; absent members do not narrow it. */
export interface PackageFilter {
  /** A kind that the package provides. */
  readonly kind?: string;
  /** Part of the provider's name. */
  readonly provider?: string;
  readonly capability?: string;
  /** Name or reference of a source. */
  readonly source?: string;
  /** The whole name of the package, in its own case. */
  readonly package?: string;
  readonly isDeprecated?: true;
  readonly isInstalled?: true;
}

/** Whether a source goes by that name: its name, `NAMESPACE/NAME` or `cc/NAME`. */
export function isNamed({ name, references }: PackageSource, wanted: string): boolean {
  return name === wanted || references.includes(wanted);
}

/**
 * The packages that the filter keeps; upper and lower case are the same. Of several sources those that do not fit are
 * left out of the package.
 */
export function filterPackages(packages: readonly FoundPackage[], filter: PackageFilter): readonly FoundPackage[] {
  const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();
  const isKept = ({ source, facts }: Offer): boolean =>
    (filter.source === undefined || isNamed(source, filter.source)) &&
    (filter.kind === undefined || facts.kinds.some((kind) => same(kind, filter.kind ?? ""))) &&
    (filter.provider === undefined || facts.provider.toLowerCase().includes(filter.provider.toLowerCase())) &&
    (filter.capability === undefined || same(facts.capability, filter.capability)) &&
    (filter.isDeprecated === undefined || deprecationOf(facts) !== undefined);
  return packages.flatMap((one) => {
    const [first, ...others] = one.offers.filter(isKept);
    const isLeftOut =
      (filter.isInstalled === true && one.installed.length === 0) ||
      (filter.package !== undefined && filter.package !== one.name);
    return first === undefined || isLeftOut ? [] : [{ ...one, offers: [first, ...others] as const }];
  });
}

/** Why the package or its default channel should no longer be used; "" for a deprecation without a text. */
export function deprecationOf({ deprecation, channels, defaultChannel }: PackageFacts): string | undefined {
  return deprecation ?? channels.find(({ name }) => name === defaultChannel)?.deprecation;
}
