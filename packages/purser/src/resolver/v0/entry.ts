import type { Subscription } from "../../apis/v0/subscription.ts";
import type { BundleSummary, Property } from "../../catalog/catalog-index.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { ChannelEntry } from "../../upgrade-graph/channel-entry.ts";
import type { Version } from "@purser/kubernetes/version";
import { parseTolerantVersion, parseVersion } from "@purser/kubernetes/version";
import type { CatalogKey } from "./input.ts";
import { translatedDependencies } from "./properties.ts";

/** Where entries come from: a catalog, or the CSVs that exist in the namespace. */
export interface Origin {
  readonly key: CatalogKey;
  readonly installed: boolean;
  readonly priority: number;
}

/** What a bundle's properties say of the bundle itself, read once. */
export interface BundleFacts {
  readonly apis: readonly GroupVersionKind[];
  /** Package names that it states as properties. */
  readonly packages: readonly string[];
  /** It carries `olm.deprecated` and is never chosen. */
  readonly withdrawn: boolean;
}

/** One bundle in one channel, or one installed CSV: the unit that resolution chooses among. */
export interface Entry extends ChannelEntry {
  readonly origin: Origin;
  /** Package by which the catalog lists it; "" for a CSV whose package is not known. */
  readonly packageName: string;
  /** "" for installed CSVs. */
  readonly channel: string;
  readonly inDefaultChannel: boolean;
  /** The bundle's own; see {@link effectiveProperties}. */
  readonly properties: readonly Property[];
  readonly facts: BundleFacts;
  /** Catalog entries only. */
  readonly summary: BundleSummary | undefined;
  /** Subscription that installed this CSV; without one the CSV must stay. */
  readonly subscription: Subscription | undefined;
}

/** `<catalog>/<namespace>/<channel>/<csv>`, as OLM prints bundles in its texts. */
export function entryId(entry: Entry): string {
  const { key, installed } = entry.origin;
  return installed
    ? `@existing/${key.namespace}//${entry.name}`
    : `${key.name}/${key.namespace}/${entry.channel}/${entry.name}`;
}

function textMember(value: JsonValue, name: string): string | undefined {
  const found = isJsonObject(value) ? member(value, name) : undefined;
  return typeof found === "string" ? found : undefined;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Value of an `olm.gvk` or `olm.gvk.required` property; absent texts are empty, as Go reads them. */
export function gvkOf(value: JsonValue): GroupVersionKind | undefined {
  if (!isJsonObject(value)) return undefined;
  // No prototype has members of these names.
  const { group, version, kind } = value;
  if (typeof group === "string" && typeof version === "string" && typeof kind === "string")
    return { group, version, kind };
  const text = (member: JsonValue | undefined): string | undefined =>
    typeof member === "string" ? member : (member ?? null) === null ? "" : undefined;
  const [g, v, k] = [text(group), text(version), text(kind)];
  return g === undefined || v === undefined || k === undefined ? undefined : { group: g, version: v, kind: k };
}

/** `Kind (group/version)`. */
export function formatGvk({ group, version, kind }: GroupVersionKind): string {
  return `${kind} (${group}/${version})`;
}

export function factsOf(properties: readonly Property[]): BundleFacts {
  const apis: GroupVersionKind[] = [];
  const packages: string[] = [];
  let withdrawn = false;
  for (const { type, value } of properties)
    if (type === "olm.gvk") {
      const api = gvkOf(value);
      if (api !== undefined) apis.push(api);
    } else if (type === "olm.package") {
      if (isJsonObject(value)) packages.push(textMember(value, "packageName") ?? "");
    } else if (type === "olm.deprecated") withdrawn = true;
  return { apis, packages, withdrawn };
}

export function isOfPackage(entry: Entry, name: string): boolean {
  return entry.packageName === name || entry.facts.packages.includes(name);
}

/** What a registry appends to the properties of a catalog bundle; nothing for an installed CSV. */
export function appendedProperties(entry: Entry): readonly Property[] {
  return entry.origin.installed ? [] : translatedDependencies(entry.properties);
}

/** Properties as OLM hands them on and shows them to CEL rules: a registry states requirements of catalog bundles twice. */
export function effectiveProperties(entry: Entry): readonly Property[] {
  return [...entry.properties, ...appendedProperties(entry)];
}

const versions = new WeakMap<Entry, { readonly own: Version | undefined; readonly stated: readonly Version[] }>();

/** Version of the entry, and those of its `olm.package` properties; unparsable ones are left out. */
export function versionsOf(entry: Entry): { readonly own: Version | undefined; readonly stated: readonly Version[] } {
  const known = versions.get(entry);
  if (known !== undefined) return known;
  const own = entry.version === "" ? undefined : parseTolerantVersion(entry.version);
  const stated = entry.properties.flatMap(({ type, value }) => {
    if (type !== "olm.package") return [];
    const parsed = parseVersion(textMember(value, "version") ?? "");
    return parsed.ok ? [parsed.value] : [];
  });
  const found = { own: own?.ok === true ? own.value : undefined, stated };
  versions.set(entry, found);
  return found;
}
