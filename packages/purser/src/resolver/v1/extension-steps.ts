import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { formatVersion } from "@purser/kubernetes/version";
import type { VersionRange } from "../../version-range.ts";
import { parseMastermindsRange } from "../../version-range.ts";
import { formatRelease, installedVersion, metadataOf } from "./bundle-version.ts";
import {
  explainAmbiguity,
  explainBadVersion,
  explainDependency,
  explainInstalledVersion,
  explainRange,
  explainSelector,
  explainUnavailable,
} from "./explain-refusal.ts";
import { explainNothingFound } from "./explain-nothing.ts";
import { Pace } from "../pace.ts";
import type { FilterKind, FilterRules } from "./filters.ts";
import { activeFilters, byPreference, filteredSteps } from "./filters.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import type { ExtensionOutcome, MissingCatalog } from "./outcome.ts";
import type { Candidate, PackageContent } from "./package-content.ts";
import { packageContent } from "./package-content.ts";
import { catalogSelection, selectsCatalogs } from "./selected-catalogs.ts";

export const catalogName = ({ metadata }: ClusterCatalog): string => metadata.name ?? "";

/** What one catalog has to offer. */
export interface Offer {
  readonly catalog: ExtensionCatalog;
  readonly content: PackageContent;
}

interface Found extends Offer {
  readonly candidate: Candidate;
}

/** What an extension can be decided from. */
export interface ExtensionWorld {
  readonly kind: "world";
  readonly rules: FilterRules;
  readonly active: readonly FilterKind[];
  /** Catalogs that the selector takes, and those of them that are switched on; by name. */
  readonly selected: readonly ExtensionCatalog[];
  readonly enabled: readonly ExtensionCatalog[];
  /** Catalogs that have the package, by name. */
  readonly offers: readonly Offer[];
  /** Switched on and left out, because they cannot be read; with OLM's text. By name. */
  readonly missing: readonly { readonly catalog: ExtensionCatalog; readonly upstream: string }[];
}

type Refusal = Extract<ExtensionOutcome, { readonly kind: "failed" }>;

const giveUp = (upstream: string, explanation: Explanation): Refusal => ({
  kind: "failed",
  isError: true,
  upstream,
  explanation,
});
const refuse = (upstream: string, explanation: Explanation): Refusal => ({
  kind: "failed",
  isError: false,
  upstream,
  explanation,
});

function isServing({ status }: ClusterCatalog): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === "Serving" && value === "True") === true;
}

/** OLM's text for a catalog without content. */
function contentProblem({ catalog, content }: ExtensionCatalog): string | undefined {
  if (content.kind === "present") return undefined;
  if (content.upstream !== undefined) return content.upstream;
  const name = goQuote(catalogName(catalog));
  return isServing(catalog) ? `cache for catalog ${name} not found` : `catalog ${name} is not being served`;
}

/** Go's file systems take no empty, `.` or `..` parts; package names are directory names in upstream's cache. */
const isPath = (name: string): boolean =>
  name === "." || name.split("/").every((part) => part !== "" && part !== "." && part !== "..");

const requirementTypes = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

/** Part of the text of a refusal that says what was asked for. */
export function askedText({ filter, installed }: ExtensionInput, candidates: readonly string[]): string {
  const parts: string[] = [];
  if (installed !== undefined)
    parts.push(`error upgrading from currently installed version ${goQuote(installed.version)}:`);
  parts.push(
    `${candidates.length > 1 ? "found bundles" : "no bundles found"} for package ${goQuote(filter.packageName)}`,
  );
  if (filter.version !== undefined && filter.version !== "") parts.push(`matching version ${goQuote(filter.version)}`);
  const channels = filter.channels ?? [];
  if (channels.length > 0) parts.push(`in channels [${channels.join(" ")}]`);
  if (candidates.length > 1)
    parts.push(`in multiple catalogs with the same priority [${candidates.toSorted().join(" ")}]`);
  return parts.join(" ");
}

const byName = (left: ExtensionCatalog, right: ExtensionCatalog): number =>
  catalogName(left.catalog) < catalogName(right.catalog) ? -1 : 1;

/** Reads the catalogs that an extension may use; the problem is why they cannot be read. */
export function* extensionWorld(input: ExtensionInput): Generator<undefined, ExtensionWorld | Refusal> {
  const { filter, installed } = input;
  const releaseSupport = input.gates?.bundleReleaseSupport === true;
  const selector = catalogSelection(filter);
  if (!selector.ok) {
    const upstream = `desired catalog selector is invalid: ${selector.problem.message}`;
    return giveUp(upstream, explainSelector(input, upstream));
  }
  let range: VersionRange | undefined;
  if (filter.version !== undefined && filter.version !== "") {
    const parsed = parseMastermindsRange(filter.version);
    if (!parsed.ok) {
      const upstream = `desired version range ${goQuote(filter.version)} is invalid: ${parsed.problem.message}`;
      return giveUp(upstream, explainRange(input, upstream));
    }
    range = parsed.value;
  }
  const selected = input.catalogs.filter(({ catalog }) => selector.value(catalog)).toSorted(byName);
  const enabled = selected.filter(({ catalog }) => catalog.spec.availabilityMode !== "Unavailable");

  const rulesBesides = { channels: filter.channels ?? [], range, holds: input.holds ?? [] };
  const guarded = installed !== undefined && filter.upgradeConstraintPolicy !== "SelfCertified" ? installed : undefined;
  const version = guarded === undefined ? undefined : installedVersion(guarded);
  const rules: FilterRules = {
    ...rulesBesides,
    installed: guarded === undefined || version?.ok !== true ? undefined : { bundle: guarded, version: version.value },
  };
  const skips = input.missingCatalogs === "skip" && !selectsCatalogs(filter);
  const offers: Offer[] = [];
  const missing: ExtensionWorld["missing"][number][] = [];
  for (const catalog of enabled) {
    yield;
    const unreadable = contentProblem(catalog);
    const problem =
      unreadable ??
      (isPath(filter.packageName)
        ? undefined
        : `error getting package ${goQuote(filter.packageName)}: sub ${filter.packageName}: invalid argument`);
    if (problem !== undefined) {
      const upstream = `error walking catalogs: error getting package ${goQuote(filter.packageName)} from catalog ${goQuote(catalogName(catalog.catalog))}: ${problem}`;
      if (unreadable !== undefined && skips) {
        missing.push({ catalog, upstream });
        continue;
      }
      return giveUp(upstream, explainUnavailable(input, catalog, upstream));
    }
    const content =
      catalog.content.kind === "present"
        ? yield* packageContent(catalog.content.index, filter.packageName, releaseSupport)
        : undefined;
    if (content === undefined) continue;
    if (version?.ok === false) {
      const upstream = `error walking catalogs: error finding upgrade edges: ${version.problem}`;
      return giveUp(upstream, explainInstalledVersion(input, upstream));
    }
    offers.push({ catalog, content });
  }
  return { kind: "world", rules, active: activeFilters(filter, rules), selected, enabled, offers, missing };
}

/** The best candidate of each catalog; deprecated ones only when all are deprecated. */
function* competing({ offers, rules, active }: ExtensionWorld): Generator<undefined, readonly Found[]> {
  const pace = new Pace();
  let found: Found[] = [];
  for (const { catalog, content } of offers) {
    let candidate: Candidate | undefined;
    for (const passed of yield* filteredSteps(content, rules, active, pace)) {
      if (pace.spend(0.25)) yield;
      if (candidate === undefined || byPreference(passed, candidate) < 0) candidate = passed;
    }
    if (candidate === undefined) continue;
    const last = found.at(-1);
    if (last !== undefined && candidate.deprecated && !last.candidate.deprecated) continue;
    if (last !== undefined && !candidate.deprecated && last.candidate.deprecated) found = [];
    found.push({ catalog, content, candidate });
  }
  return found;
}

/** Resolution of one extension, step by step; see docs/solver.md. */
export function* extensionSteps(input: ExtensionInput): Generator<undefined, ExtensionOutcome> {
  const world = yield* extensionWorld(input);
  return world.kind === "world" ? yield* decidedExtension(input, world) : world;
}

/** Chooses among what the catalogs offer. */
export function* decidedExtension(
  input: ExtensionInput,
  world: ExtensionWorld,
): Generator<undefined, ExtensionOutcome> {
  const { gates } = input;
  const { rules, active, selected, enabled, offers, missing } = world;
  const found = yield* competing(world);
  // Return the deprecation blob of the last competing catalog, whichever wins, because OLM derives its conditions from it.
  const deprecation = found.at(-1)?.content.deprecation;
  const priority = ({ catalog }: Found): number => catalog.catalog.spec.priority ?? 0;
  const ranked = found.toSorted((left, right) => priority(right) - priority(left));
  const [best, second] = ranked;
  if (best === undefined) {
    // What was left out may have the package.
    const [first] = missing;
    if (first !== undefined) return giveUp(first.upstream, explainUnavailable(input, first.catalog, first.upstream));
    const upstream = askedText(input, []);
    const explanation = yield* explainNothingFound({ input, upstream, offers, rules, active, selected, enabled });
    return refuse(upstream, explanation);
  }
  if (second !== undefined && priority(best) === priority(second)) {
    const upstream = askedText(
      input,
      ranked.map(({ catalog }) => catalogName(catalog.catalog)),
    );
    const tied = ranked.filter((other) => priority(other) === priority(best));
    return refuse(upstream, explainAmbiguity(input, tied, upstream));
  }
  const { candidate, catalog } = best;
  if (!candidate.version.ok) {
    const upstream = `error getting resolved bundle version for bundle ${goQuote(candidate.name)}: ${candidate.version.problem}`;
    return giveUp(upstream, explainBadVersion(input, candidate, catalogName(catalog.catalog), upstream));
  }
  const requires = candidate.properties.filter(({ type }) => requirementTypes.includes(type));
  const [requirement] = requires;
  if (requirement !== undefined && input.judgesDependencies !== true) {
    const upstream = `validating bundle ${goQuote(candidate.name)}: bundle ${goQuote(candidate.name)} has a dependency declared via property ${goQuote(requirement.type)} which is currently not supported`;
    return refuse(upstream, explainDependency(input, candidate, upstream));
  }
  const channels = new Set(rules.channels);
  const bundle =
    candidate.entries.find((entry) => channels.size === 0 || channels.has(entry.channel)) ?? candidate.entries[0];
  if (bundle === undefined) throw new Error(`candidate ${candidate.name} has no entry`);
  const { release, version: chosen } = candidate.version.value;
  return {
    kind: "resolved",
    bundle,
    catalog: catalogName(catalog.catalog),
    version: formatVersion(chosen),
    ...(release === undefined ? {} : { release: formatRelease(release) }),
    metadata: metadataOf(candidate.name, candidate.version.value, gates?.bundleReleaseSupport === true),
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(requires.length === 0 ? {} : { requires }),
    ...(missing.length === 0 ? {} : { missing: missing.map(({ catalog: left }) => missingCatalog(left)) }),
  };
}

function missingCatalog({ catalog, content }: ExtensionCatalog): MissingCatalog {
  return { name: catalogName(catalog), cause: content.kind === "unavailable" ? content.cause : "" };
}
