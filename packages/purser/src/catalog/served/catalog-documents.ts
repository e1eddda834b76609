import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { canonicalJson, compareBytes, readYaml } from "@purser/kubernetes/text/documents";
import { toBase64 } from "../../base64.ts";
import type { ApiRef, Property } from "../catalog-index.ts";
import { textOf } from "../schemas/go-shape.ts";
import type { TypedText } from "../registry-bundle.ts";
import type { ServedBundle, ServedPackage } from "./served-content.ts";

interface Channel {
  readonly entries: Map<string, JsonObject>;
}

/**
 * Turns what a registry serves into the documents of a file-based catalog, the way in which OLM's resolver reads it
 * (`newOperatorFromBundle` and `EnsurePackageProperty` of OLM). Bundles become documents as they come; packages,
 * channels and deprecations follow from all of them at the end.
 */
export class CatalogDocuments {
  readonly #channels = new Map<string, Map<string, Channel>>();
  readonly #bundles = new Map<string, Set<string>>();
  readonly #deprecations = new Map<string, Map<string, string>>();

  /** The document of a bundle when it comes for the first time; undefined in every further channel. */
  bundle(served: ServedBundle): JsonObject | undefined {
    const { packageName, name, channel, deprecation } = served;
    const { entries } = ownOf(
      ownOf(this.#channels, packageName, () => new Map<string, Channel>()),
      channel,
      () => ({
        entries: new Map<string, JsonObject>(),
      }),
    );
    entries.set(name, entryOf(served));
    if (deprecation !== undefined)
      ownOf(this.#deprecations, packageName, () => new Map<string, string>()).set(name, deprecation);
    const known = ownOf(this.#bundles, packageName, () => new Set<string>());
    if (known.has(name)) return undefined;
    known.add(name);
    return {
      schema: "olm.bundle",
      package: packageName,
      name,
      ...(served.image === "" ? {} : { image: served.image }),
      properties: [...propertiesOf(served), ...objectsOf(served)] as unknown as JsonValue,
    };
  }

  /** The documents of a package: none when it has no bundle, as OLM knows packages by their bundles. */
  *package({ name, defaultChannel, deprecation, channels }: ServedPackage): Generator<JsonObject, void, void> {
    const entered = this.#channels.get(name);
    if (entered === undefined) return;
    yield { schema: "olm.package", name, defaultChannel };
    for (const channel of [...entered.keys()].sort(compareBytes)) {
      const entries = [...(entered.get(channel)?.entries ?? [])].sort(([a], [b]) => compareBytes(a, b));
      yield { schema: "olm.channel", package: name, name: channel, entries: entries.map(([, entry]) => entry) };
    }
    const deprecated: JsonObject[] = [];
    const add = (reference: JsonObject, message: string | undefined): void => {
      // Without a message there is nothing to show, and a catalog may not say it.
      if (message !== undefined && message !== "") deprecated.push({ reference, message });
    };
    add({ schema: "olm.package" }, deprecation);
    for (const channel of channels)
      if (entered.has(channel.name)) add({ schema: "olm.channel", name: channel.name }, channel.deprecation);
    const bundles = [...(this.#deprecations.get(name) ?? [])].sort(([a], [b]) => compareBytes(a, b));
    for (const [bundle, message] of bundles) add({ schema: "olm.bundle", name: bundle }, message);
    if (deprecated.length > 0) yield { schema: "olm.deprecations", package: name, entries: deprecated };
  }
}

function ownOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function entryOf({ name, replaces, skips, skipRange }: ServedBundle): JsonObject {
  const named = skips.filter((skip) => skip !== "");
  return {
    name,
    ...(replaces === "" ? {} : { replaces }),
    ...(named.length === 0 ? {} : { skips: named }),
    ...(skipRange === "" ? {} : { skipRange }),
  };
}

/** Types that the documents state themselves: the version once, and manifests as they are listed. */
const replaced: ReadonlySet<string> = new Set(["olm.package", "olm.bundle.object"]);

function propertiesOf(served: ServedBundle): readonly Property[] {
  const { packageName, version } = served;
  const own = served.properties.flatMap(property);
  const listed = own.filter(({ type }) => !replaced.has(type));
  // A registry from before properties states APIs only by themselves.
  if (own.length === 0) listed.push(...served.provides.map((api) => apiProperty("olm.gvk", api)));
  if (served.dependencies.length > 0) listed.push(...served.dependencies.flatMap(property).flatMap(translated));
  else listed.push(...served.requires.map((api) => apiProperty("olm.gvk.required", api)));
  const packages = own.filter(({ type, value }) => type === "olm.package" && isOf(value, packageName));
  const stated = packages[0] ?? { type: "olm.package", value: { packageName, version } };
  const texts = new Set<string>();
  return [stated, ...listed].filter(({ type, value }) => {
    const text = `${type} ${canonicalJson(value)}`;
    if (texts.has(text)) return false;
    texts.add(text);
    return true;
  });
}

function isOf(value: JsonValue, packageName: string): boolean {
  return isJsonObject(value) && textOf(value, "packageName") === packageName;
}

function property({ type, value }: TypedText): readonly Property[] {
  const read = readYaml(value);
  return read.ok ? [{ type, value: read.value }] : [];
}

function apiProperty(type: string, { group, version, kind }: ApiRef): Property {
  return { type, value: { group, kind, version } };
}

/** `legacyDependenciesToProperties` of OLM; unknown types are dropped as there. */
function translated({ type, value }: Property): readonly Property[] {
  const text = (name: string): string => (isJsonObject(value) ? textOf(value, name) : "");
  switch (type) {
    case "olm.gvk":
      return [
        {
          type: "olm.gvk.required",
          value: { group: text("group"), kind: text("kind"), version: text("version") },
        },
      ];
    case "olm.package":
      return [
        { type: "olm.package.required", value: { packageName: text("packageName"), versionRange: text("version") } },
      ];
    case "olm.label":
      return [{ type: "olm.label.required", value }];
    case "olm.constraint":
      return [{ type, value }];
    default:
      return [];
  }
}

/**
 * The manifests of a bundle that is no image. Those of an image are read from the image: of the head of a channel there is
 * only what PackageManifests show.
 */
function objectsOf({ image, objects, csvJson, headCsv }: ServedBundle): readonly Property[] {
  if (image !== "") return headCsv === undefined ? [] : [objectProperty(headCsv)];
  const hasCsv = csvJson === "" || objects.includes(csvJson) || objects.some(isCsv);
  return (hasCsv ? objects : [csvJson, ...objects]).map(objectProperty);
}

function objectProperty(object: string): Property {
  return { type: "olm.bundle.object", value: { data: toBase64(object) } };
}

function isCsv(object: string): boolean {
  if (!object.includes("ClusterServiceVersion")) return false;
  const read = readYaml(`---\n${object}`);
  return read.ok && isJsonObject(read.value) && read.value["kind"] === "ClusterServiceVersion";
}
