import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { TypedText } from "../../../src/catalog/registry-bundle.ts";
import type { ServedBundle, ServedPackage } from "../../../src/catalog/served/served-content.ts";

/** What a registry serves, without what differs from run to run (orders) and what OLM's resolver adds by itself. */
export function servedAnswers(packages: readonly ServedPackage[], bundles: readonly ServedBundle[]): JsonObject {
  return {
    packages: packages.toSorted(by(({ name }) => name)).map((each) => ({
      name: each.name,
      defaultChannel: each.defaultChannel,
      channels: each.channels.map(({ name }) => name).toSorted(compareBytes),
    })),
    bundles: bundles
      .toSorted(by(({ channel, packageName, name }) => [channel, packageName, name].join(" ")))
      .map(shown),
  };
}

function by<Item>(key: (item: Item) => string): (one: Item, other: Item) => number {
  return (one, other) => compareBytes(key(one), key(other));
}

function shown(bundle: ServedBundle): JsonObject {
  const { packageName, version } = bundle;
  const ensured = JSON.stringify({ packageName, version });
  // `EnsurePackageProperty` of OLM, and requirements that OLM makes from the dependencies.
  const properties = bundle.properties.filter(({ type }) => type !== "olm.gvk.required");
  const isStated = properties.some(({ type }) => type === "olm.package");
  return {
    name: bundle.name,
    package: packageName,
    channel: bundle.channel,
    version,
    image: bundle.image,
    replaces: bundle.replaces,
    skips: bundle.skips.toSorted(compareBytes),
    skipRange: bundle.skipRange,
    csv: pruned(parsed(bundle.csvJson)),
    objects: bundle.objects.map((object) => pruned(parsed(object))).toSorted(by((object) => JSON.stringify(object))),
    properties: typed(isStated ? properties : [...properties, { type: "olm.package", value: ensured }]),
    dependencies: typed(bundle.dependencies),
    provides: bundle.provides.map(({ group, version: of, kind }) => `${group}/${of}/${kind}`).toSorted(compareBytes),
    requires: bundle.requires.map(({ group, version: of, kind }) => `${group}/${of}/${kind}`).toSorted(compareBytes),
  };
}

function typed(items: readonly TypedText[]): readonly JsonValue[] {
  return items
    .map(({ type, value }) => ({ type, value: parsed(value) }))
    .toSorted(by(({ type, value }) => `${type} ${JSON.stringify(sorted(value))}`));
}

function parsed(text: string): JsonValue {
  return text === "" ? null : (JSON.parse(text) as JsonValue);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, sorted(member ?? null)] as const)
      .toSorted(by(([key]) => key)),
  );
}

/** A manifest without the empty members that Go's types add: `status`, nulls, and what becomes empty without them. */
function pruned(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { status: _status, ...rest } = value;
  return withoutNulls(rest);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member ?? null)] as const)
      .toSorted(by(([key]) => key)),
  );
}
