// Worlds that tests can change, to remove one reason of a refusal.
import { propertiesAnnotation } from "../../apis/v0/labels.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Cause } from "../v0/explain/cause.ts";
import type { Entry } from "../v0/entry.ts";
import { gvkOf } from "../v0/entry.ts";
import type { CatalogKey, NamespaceInput } from "../v0/input.ts";
import { formatPredicate } from "../v0/predicate.ts";
import { requirementOf } from "../v0/requirement.ts";
import { indexOfBlobs, shortBlobs } from "./short-catalog.ts";
import type { ShortNamespace } from "./short-world.ts";
import { shortNamespace } from "./short-world.ts";

interface Property {
  readonly type: string;
  readonly value: JsonValue;
}

export interface EditableCatalog {
  readonly key: CatalogKey;
  readonly priority: number;
  /** Undefined: it cannot be read. */
  readonly blobs: readonly JsonObject[] | undefined;
}

/** A world before its catalogs are indexed. */
export interface EditableWorld {
  readonly objects: Omit<NamespaceInput, "catalogs">;
  readonly catalogs: readonly EditableCatalog[];
}

export function editableWorld(short: ShortNamespace): EditableWorld {
  const { catalogs, ...objects } = shortNamespace(short);
  const contents = Object.values(short.catalogs);
  return {
    objects,
    catalogs: catalogs.map(({ key, priority }, at) => {
      const content = contents[at];
      return {
        key,
        priority,
        blobs: content === undefined || typeof content === "string" ? undefined : shortBlobs(content),
      };
    }),
  };
}

export function inputOf({ objects, catalogs }: EditableWorld): NamespaceInput {
  return {
    ...objects,
    catalogs: catalogs.map(({ key, priority, blobs }) => ({
      key,
      priority,
      content:
        blobs === undefined
          ? { kind: "unavailable", cause: "cannot be read" }
          : { kind: "present", index: indexOfBlobs(blobs) },
    })),
  };
}

const sameKey = (left: CatalogKey, right: CatalogKey): boolean =>
  left.name === right.name && left.namespace === right.namespace;

function withBlobs(
  world: EditableWorld,
  key: CatalogKey,
  edit: (blobs: readonly JsonObject[]) => readonly JsonObject[],
): EditableWorld {
  const known = world.catalogs.some((catalog) => sameKey(catalog.key, key));
  const catalogs = known ? world.catalogs : [...world.catalogs, { key, priority: 0, blobs: [] }];
  return {
    ...world,
    catalogs: catalogs.map((catalog) =>
      sameKey(catalog.key, key) ? { ...catalog, blobs: edit(catalog.blobs ?? []) } : catalog,
    ),
  };
}

const isBundle = (blob: JsonObject, entry: Entry): boolean =>
  blob["schema"] === "olm.bundle" && blob["name"] === entry.name && blob["package"] === entry.packageName;

/** Changes a property; undefined removes it. */
type Change = (property: Property, entry: Entry) => Property | undefined;

/** The world with other properties of one bundle, of a catalog or installed. */
function withProperties(world: EditableWorld, entry: Entry, change: Change): EditableWorld {
  const kept = (properties: JsonValue | undefined): JsonValue =>
    (Array.isArray(properties) ? (properties as readonly unknown[]) : []).flatMap((property): JsonValue[] => {
      const changed = change(property as Property, entry);
      return changed === undefined ? [] : [{ ...changed }];
    });
  if (!entry.origin.installed)
    return withBlobs(world, entry.origin.key, (blobs) =>
      blobs.map((blob) => (isBundle(blob, entry) ? { ...blob, properties: kept(blob["properties"]) } : blob)),
    );
  const clusterServiceVersions = world.objects.clusterServiceVersions.map((csv) => {
    if (csv.metadata.name !== entry.name) return csv;
    const text = csv.metadata.annotations?.[propertiesAnnotation] ?? "{}";
    const { properties } = JSON.parse(text) as JsonObject;
    const annotations = {
      ...csv.metadata.annotations,
      [propertiesAnnotation]: JSON.stringify({ properties: kept(properties) }),
    };
    return { ...csv, metadata: { ...csv.metadata, annotations } };
  });
  return { ...world, objects: { ...world.objects, clusterServiceVersions } };
}

const sameBundle = (left: Entry, right: Entry): boolean =>
  left.name === right.name && left.origin === right.origin && left.packageName === right.packageName;

/** One world for each entry whose properties alone stay as they are, and one in which none do. */
function withOneHolder(world: EditableWorld, entries: readonly Entry[], change: Change): readonly EditableWorld[] {
  const changed = (losers: readonly Entry[]): EditableWorld =>
    losers.reduce((edited, entry) => withProperties(edited, entry, change), world);
  return [...entries.map((holder) => changed(entries.filter((entry) => !sameBundle(entry, holder)))), changed(entries)];
}

function withoutSubscription(world: EditableWorld, name: string | undefined): EditableWorld {
  const subscriptions = world.objects.subscriptions.filter(({ metadata }) => metadata.name !== name);
  return { ...world, objects: { ...world.objects, subscriptions } };
}

function withoutCsv(world: EditableWorld, name: string): EditableWorld {
  const clusterServiceVersions = world.objects.clusterServiceVersions.filter(({ metadata }) => metadata.name !== name);
  const subscriptions = world.objects.subscriptions.map((subscription) => {
    if (subscription.status?.installedCSV !== name) return subscription;
    const { status: _, ...bare } = subscription;
    return bare;
  });
  return { ...world, objects: { ...world.objects, clusterServiceVersions, subscriptions } };
}

/** A bundle without wishes as the new head of a channel; it may be installed over anything. */
function withFreeBundle(
  world: EditableWorld,
  key: CatalogKey,
  packageName: string,
  channel: string | undefined,
  name?: string,
): EditableWorld {
  return withBlobs(world, key, (blobs) => {
    const known = blobs.find((blob) => blob["schema"] === "olm.package" && blob["name"] === packageName);
    const inChannel = channel ?? (typeof known?.["defaultChannel"] === "string" ? known["defaultChannel"] : "stable");
    const isChannel = (blob: JsonObject): boolean =>
      blob["schema"] === "olm.channel" && blob["package"] === packageName && blob["name"] === inChannel;
    const free = name ?? `${packageName}.free`;
    const entriesOf = (blob: JsonObject): readonly JsonObject[] => blob["entries"] as readonly JsonObject[];
    const replaced = new Set(
      blobs
        .filter(isChannel)
        .flatMap((blob) =>
          entriesOf(blob).flatMap((entry) => [entry["replaces"], ...((entry["skips"] ?? []) as readonly string[])]),
        ),
    );
    const head = blobs
      .filter(isChannel)
      .flatMap(entriesOf)
      .find((entry) => !replaced.has(entry["name"]))?.["name"];
    const entry: JsonObject = { name: free, ...(head === undefined ? {} : { replaces: head }), skipRange: ">=0.0.0-0" };
    const bundle: JsonObject = {
      schema: "olm.bundle",
      name: free,
      package: packageName,
      image: "r/free",
      properties: [{ type: "olm.package", value: { packageName, version: "99.0.0" } }],
    };
    const edited = blobs.map((blob) => (isChannel(blob) ? { ...blob, entries: [...entriesOf(blob), entry] } : blob));
    return [
      ...edited,
      ...(known === undefined ? [{ schema: "olm.package", name: packageName, defaultChannel: inChannel }] : []),
      ...(blobs.some(isChannel)
        ? []
        : [{ schema: "olm.channel", name: inChannel, package: packageName, entries: [entry] }]),
      bundle,
    ];
  });
}

/** Worlds in which the Subscription has more to choose from. */
function widened(
  world: EditableWorld,
  { subscription }: Extract<Cause, { readonly kind: "wants" | "missing" }>,
): readonly EditableWorld[] {
  const { spec, metadata } = subscription;
  const { startingCSV, ...request } = spec;
  const source = { namespace: spec.sourceNamespace, name: spec.source };
  const named = withFreeBundle(world, source, spec.name, spec.channel, startingCSV);
  const free = withFreeBundle(world, source, spec.name, spec.channel);
  const subscriptions = world.objects.subscriptions.map((other) =>
    other.metadata.name === metadata.name ? { ...other, spec: request } : other,
  );
  const inScope = {
    globalNamespace: spec.sourceNamespace,
    operatorGroups: world.objects.operatorGroups.map((group) => ({
      ...group,
      metadata: { ...group.metadata, annotations: {} },
    })),
  };
  return [
    named,
    { ...free, objects: { ...free.objects, subscriptions } },
    { ...named, objects: { ...named.objects, ...inScope } },
  ];
}

/** Worlds, any of which lacks what the constraint comes from and differs in nothing else. */
export function withoutCause(world: EditableWorld, cause: Cause): readonly EditableWorld[] {
  switch (cause.kind) {
    case "exists":
      return [withoutSubscription(world, cause.subscription.metadata.name)];
    case "unowned":
      return [withoutCsv(world, cause.entry.name)];
    case "replaces":
      return [withoutCsv(world, cause.current.name)];
    case "deprecated":
      return [
        withProperties(world, cause.entry, (property) => (property.type === "olm.deprecated" ? undefined : property)),
      ];
    case "held": {
      const holds = (world.objects.holds ?? []).filter(({ reason }) => reason !== cause.hold.reason);
      return [{ ...world, objects: { ...world.objects, holds } }];
    }
    case "requires": {
      const text = formatPredicate(cause.predicate);
      return [
        withProperties(world, cause.entry, (property) => {
          const read = requirementOf(property);
          return read.ok && read.value !== undefined && formatPredicate(read.value) === text ? undefined : property;
        }),
      ];
    }
    case "wants":
    case "missing":
      return widened(world, cause);
    case "oneProvider":
      return withOneHolder(world, cause.entries, (property) => {
        const api = property.type === "olm.gvk" ? gvkOf(property.value) : undefined;
        const { group, version, kind } = cause.api;
        const same = api !== undefined && api.group === group && api.version === version && api.kind === kind;
        return same ? undefined : property;
      });
    case "onePerPackage":
      return withOneHolder(world, cause.entries, ({ type, value }, entry) => {
        if (type !== "olm.package" || !isJsonObject(value)) return { type, value };
        // Its catalog still lists it under the package, so that requirements find it.
        return { type, value: { ...value, packageName: `package-of-${entry.name}` } };
      });
  }
}
