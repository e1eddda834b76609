import type { Subscription } from "../../apis/v0/subscription.ts";
import type { BundleSummary, Property } from "../../catalog/catalog-index.ts";
import type { JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import type { ChannelEntry } from "../../upgrade-graph/channel-entry.ts";
import type { Version } from "../../version.ts";
import { parseTolerantVersion, parseVersion } from "../../version.ts";
import type { CatalogKey } from "./input.ts";
import { withTranslatedDependencies } from "./properties.ts";

/** Where entries come from: a catalog, or the CSVs that exist in the namespace. */
export interface Origin {
  readonly key: CatalogKey;
  readonly installed: boolean;
  readonly priority: number;
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
  const group = member(value, "group") ?? "";
  const version = member(value, "version") ?? "";
  const kind = member(value, "kind") ?? "";
  if (typeof group !== "string" || typeof version !== "string" || typeof kind !== "string") return undefined;
  return { group, version, kind };
}

/** `Kind (group/version)`. */
export function formatGvk({ group, version, kind }: GroupVersionKind): string {
  return `${kind} (${group}/${version})`;
}

export function providedApis(entry: Entry): readonly GroupVersionKind[] {
  const apis: GroupVersionKind[] = [];
  for (const { type, value } of entry.properties) {
    const api = type === "olm.gvk" ? gvkOf(value) : undefined;
    if (api !== undefined) apis.push(api);
  }
  return apis;
}

/** Package names that the entry states as properties. */
export function statedPackages(entry: Entry): readonly string[] {
  const names: string[] = [];
  for (const { type, value } of entry.properties)
    if (type === "olm.package" && isJsonObject(value)) names.push(textMember(value, "packageName") ?? "");
  return names;
}

export function isOfPackage(entry: Entry, name: string): boolean {
  return entry.packageName === name || statedPackages(entry).includes(name);
}

/** Properties as OLM hands them on and shows them to CEL rules: a registry states requirements of catalog bundles twice. */
export function effectiveProperties(entry: Entry): readonly Property[] {
  return entry.origin.installed ? entry.properties : withTranslatedDependencies(entry.properties);
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
