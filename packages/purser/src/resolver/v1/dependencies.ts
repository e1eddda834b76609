import type { BundleSummary, CatalogIndex, Property } from "../../catalog/catalog-index.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { compareVersions, parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import { parseMastermindsRange } from "../../version-range.ts";
import { formatPredicate, isShownBy, placesOf, type Predicate } from "../v0/predicate.ts";
import { requirementOf } from "../v0/requirement.ts";

export interface InstalledOperator {
  readonly name: string;
  readonly version: string;
  /** Of its bundle; absent: none is known. */
  readonly properties?: readonly Property[];
}

/** What the cluster has, whoever installed it. */
export interface ProvidedThings {
  /** Operators that are installed; `version` as it was recorded, `properties` as far as they are known. */
  readonly packages: readonly InstalledOperator[];
  readonly serves: (api: GroupVersionKind) => boolean;
}

/** A package that would meet a requirement. `version`: a range in the grammar of ClusterExtensions; absent: any. */
export interface Proposal {
  readonly packageName: string;
  readonly version?: string;
}

export interface UnmetRequirement {
  readonly property: Property;
  /** `package a >=1.0.0`, `API Kind (group/version)`, or OLM's words. */
  readonly text: string;
  /** A rule about the properties of a bundle. */
  readonly isRule?: true;
  /** Each of them alone would do; empty when no catalog has one, or when it cannot be known. */
  readonly proposals: readonly Proposal[];
}

/** The APIs that the requirements ask for, so that the caller can look whether they are served. */
export function requiredApis(requires: readonly Property[]): readonly GroupVersionKind[] {
  return requires.flatMap((property) => {
    const predicate = requirementOf(property);
    return predicate.ok && predicate.value !== undefined ? apisIn(predicate.value) : [];
  });
}

function apisIn(predicate: Predicate): readonly GroupVersionKind[] {
  switch (predicate.kind) {
    case "api":
      return [predicate.api];
    case "all":
    case "any":
    case "not":
      return predicate.of.flatMap(apisIn);
    case "package":
    case "label":
    case "cel":
      return [];
  }
}

/**
 * The requirements that the cluster does not meet, in the order of the bundle's properties. A rule in CEL or about a label asks
 * about the properties of one installed bundle. An unreadable requirement is not met.
 */
export function unmetRequirements(
  requires: readonly Property[],
  provided: ProvidedThings,
  /** Of the catalogs that the extension may use. */
  catalogs: readonly CatalogIndex[],
  /** The package that requires them, which is not proposed. */
  own?: string,
): readonly UnmetRequirement[] {
  const isNew = (name: string): boolean => name !== own && provided.packages.every((held) => held.name !== name);
  return requires.flatMap((property): readonly UnmetRequirement[] => {
    const read = requirementOf(property);
    if (!read.ok) return [{ property, text: read.problem.message, proposals: [] }];
    const predicate = read.value;
    if (predicate === undefined || isMet(predicate, provided)) return [];
    const proposals = proposalsOf(predicate, catalogs, isNew);
    return [{ property, text: words(predicate), ...(predicate.kind === "cel" ? { isRule: true } : {}), proposals }];
  });
}

function isMet(predicate: Predicate, provided: ProvidedThings): boolean {
  switch (predicate.kind) {
    case "api":
      return provided.serves(predicate.api);
    case "package":
      return provided.packages.some(({ name, version }) => {
        const parsed = parseTolerantVersion(version);
        return name === predicate.name && parsed.ok && predicate.range.includes(parsed.value);
      });
    case "label":
    case "cel":
      return provided.packages.some(({ properties = [] }) => isShownBy(predicate, properties));
    case "all":
      return predicate.of.every((part) => isMet(part, provided));
    case "any":
      return predicate.of.some((part) => isMet(part, provided));
    case "not":
      return !predicate.of.some((part) => isMet(part, provided));
  }
}

function words(predicate: Predicate): string {
  switch (predicate.kind) {
    case "api":
      return `API ${predicate.api.kind} (${predicate.api.group}/${predicate.api.version})`;
    case "package":
      return `package ${predicate.name} ${predicate.range.text}`.trim();
    case "cel":
      return goQuote(predicate.message === "" ? predicate.rule : predicate.message);
    case "label":
    case "all":
    case "any":
    case "not":
      return `a bundle ${formatPredicate(predicate)}`;
  }
}

/** Packages that have a bundle which satisfies the predicate, by name. */
function proposalsOf(
  predicate: Predicate,
  catalogs: readonly CatalogIndex[],
  isNew: (packageName: string) => boolean,
): readonly Proposal[] {
  if (predicate.kind === "cel") {
    const names = new Set(catalogs.flatMap((index) => packagesPassing(index, predicate)).filter(isNew));
    return [...names]
      .toSorted()
      .slice(0, mostProposals)
      .map((packageName) => ({ packageName }));
  }
  const places = placesOf(predicate);
  if (places.kind === "everywhere") return [];
  const found = new Map<string, Proposal>();
  for (const index of catalogs) {
    const names = [...places.packages, ...places.apis.flatMap((api) => index.packagesProviding(api))];
    for (const name of names) if (hasBundle(index, name, predicate)) found.set(name, proposalOf(name, predicate));
  }
  return [...found.values()].toSorted((a, b) => (a.packageName < b.packageName ? -1 : 1));
}

type RulePredicate = Extract<Predicate, { readonly kind: "cel" }>;

/** A rule that everything satisfies proposes nothing useful. */
const mostProposals = 10;
/** Of one bundle; a thousand of them take less than a second. A usual rule costs some tens. */
const proposalCost = 2_000;

/** By the rule, for each catalog: it is asked in each pass, and looks at every package. */
const passing = new WeakMap<CatalogIndex, Map<string, readonly string[]>>();

/** Packages whose highest version, which would be installed, passes the rule. */
function packagesPassing(index: CatalogIndex, predicate: RulePredicate): readonly string[] {
  const known = passing.get(index) ?? new Map<string, readonly string[]>();
  passing.set(index, known);
  let names = known.get(predicate.rule);
  if (names === undefined) {
    names = index.packages().filter((name) => {
      const highest = highestOf(index.package(name)?.channels.flatMap(({ bundles }) => bundles) ?? []);
      return highest !== undefined && isShownBy(predicate, highest.properties, proposalCost);
    });
    known.set(predicate.rule, names);
  }
  return names;
}

function highestOf(bundles: readonly BundleSummary[]): BundleSummary | undefined {
  let highest: { readonly bundle: BundleSummary; readonly version: Version } | undefined;
  for (const bundle of bundles) {
    const version = parseTolerantVersion(bundle.version);
    if (version.ok && (highest === undefined || compareVersions(version.value, highest.version) > 0))
      highest = { bundle, version: version.value };
  }
  return highest?.bundle;
}

function hasBundle(index: CatalogIndex, name: string, predicate: Predicate): boolean {
  const versions = (index.package(name)?.channels ?? []).flatMap(({ bundles }) =>
    bundles.map(({ version }) => version),
  );
  if (predicate.kind !== "package") return versions.length > 0;
  return isMet(predicate, { packages: versions.map((version) => ({ name, version })), serves: () => false });
}

/** With the range of the requirement where ClusterExtensions read it alike. */
function proposalOf(packageName: string, predicate: Predicate): Proposal {
  const range = predicate.kind === "package" && predicate.name === packageName ? predicate.range.text.trim() : "";
  const isRange = /^[\d.<>= ]+$/.test(range) && !/==/.test(range) && parseMastermindsRange(range).ok;
  return isRange ? { packageName, version: range } : { packageName };
}

/**
 * What an installed operator states: what its installation recorded, its package and version, and its bundle's properties in the
 * catalogs that have it.
 */
export function installedOperator(
  { packageName, version, bundle }: { readonly packageName: string; readonly version: string; readonly bundle: string },
  recorded: readonly Property[],
  catalogs: readonly CatalogIndex[],
): InstalledOperator {
  const own: Property = { type: "olm.package", value: { packageName, version } };
  const listed = catalogs.flatMap((index) => {
    const bundles = (index.package(packageName)?.channels ?? []).flatMap((channel) => channel.bundles);
    return bundles.find(({ name }) => name === bundle)?.properties ?? [];
  });
  const all = new Map([own, ...recorded, ...listed].map((property) => [JSON.stringify(property), property]));
  return { name: packageName, version, properties: [...all.values()] };
}
