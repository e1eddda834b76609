import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { doubleJson, goJson, htmlSafeJson, looksLikeJson, readYaml } from "@purser/kubernetes/text/documents";
import { csvMetadataShape, packageShape } from "./schemas/blob-shapes.ts";
import type { ApiRef } from "./catalog-index.ts";
import { decodeBase64 } from "./loading/decode.ts";
import { encodeGo } from "./schemas/go-encode.ts";
import { fieldOf, type GoShape, itemsOf, list, struct, text, textOf } from "./schemas/go-shape.ts";
import type { BundleContent } from "./model.ts";
import { readProperties } from "./properties.ts";
import { apisOf } from "./package-record.ts";

/** A type and a JSON text, as the registry API shows properties and dependencies. */
export interface TypedText {
  readonly type: string;
  readonly value: string;
}

/** The fields of a bundle in the registry API that are the same in every channel, without its manifests. */
export interface RegistryFacts {
  readonly image: string;
  /** Text of the `olm.package` property. */
  readonly version: string;
  readonly properties: readonly TypedText[];
  readonly dependencies: readonly TypedText[];
  readonly provides: readonly ApiRef[];
  readonly requires: readonly ApiRef[];
}

/** A bundle's manifests as the registry API returns them. */
export interface RegistryManifests {
  /** JSON of the ClusterServiceVersion: embedded, made from the bundle's metadata, or "". */
  readonly csvJson: string;
  /** JSON of the manifests; the ClusterServiceVersion alone when the bundle embeds none. */
  readonly objects: readonly string[];
}

/**
 * A bundle as the registry API of OLM v0 shows it. Refusals are in upstream's words: a catalog may be valid and still
 * not be served.
 */
export function registryFacts(bundle: BundleContent): Result<RegistryFacts, string> {
  const { properties, versions, csvMetadata } = bundle;
  const [version] = versions;
  if (version === undefined || versions.length !== 1)
    return failed(`parse properties: expected exactly 1 property of type "olm.package", found ${versions.length}`);
  if (csvMetadata > 1)
    return failed(`parse properties: expected at most 1 property of type "olm.csv.metadata", found ${csvMetadata}`);
  return done({
    image: bundle.image,
    version: version.version,
    properties: properties.map(({ type, value }) => ({ type, value: doubleJson(value) })),
    dependencies: properties.flatMap(({ type, value }) => dependency(type, value)),
    provides: apisOf(properties, "olm.gvk"),
    requires: apisOf(properties, "olm.gvk.required"),
  });
}

/**
 * The manifests of an `olm.bundle` blob that {@link registryFacts} did not refuse; `pack` is the `olm.package` blob,
 * whose icon and description a ClusterServiceVersion made from metadata repeats.
 */
export function registryManifests(bundle: JsonObject, pack: JsonObject): RegistryManifests {
  const listed = itemsOf(bundle, "properties").map((item) => (isJsonObject(item) ? item : {}));
  const objects = embeddedObjects(listed);
  const embedded = objects.find(isCsv) ?? "";
  const metadata = listed.find((item) => textOf(item, "type") === "olm.csv.metadata");
  const csvJson =
    embedded === "" && metadata !== undefined ? csvOf(bundle, pack, metadata, versionOf(listed)) : embedded;
  return { csvJson, objects: objects.length === 0 && csvJson !== "" ? [csvJson] : objects };
}

function versionOf(properties: readonly JsonObject[]): string {
  return readProperties(properties).versions[0]?.version ?? "";
}

function dependency(type: string, value: JsonValue): readonly TypedText[] {
  if (type === "olm.gvk.required") return [{ type: "olm.gvk", value: doubleJson(value) }];
  if (type !== "olm.package.required" || !isJsonObject(value)) return [];
  const [name, range] = [textOf(value, "packageName"), textOf(value, "versionRange")];
  return [{ type: "olm.package", value: doubleJson({ packageName: name, version: range }) }];
}

/** JSON of the manifests in `olm.bundle.object` properties: what looks like JSON is passed on as it is. */
function embeddedObjects(properties: readonly JsonObject[]): readonly string[] {
  const objects: string[] = [];
  let data = "";
  for (const property of properties) {
    if (textOf(property, "type") !== "olm.bundle.object") continue;
    const value = fieldOf(property, "value");
    // Upstream decodes all of them into one variable: a value without data repeats the one before.
    const own = isJsonObject(value) ? fieldOf(value, "data") : undefined;
    if (own !== undefined) data = typeof own === "string" ? own : "";
    const manifest = decodeBase64(data);
    if (looksLikeJson(manifest)) objects.push(manifest);
    else {
      const read = readYaml(manifest);
      objects.push(goJson(read.ok ? read.value : null));
    }
  }
  return objects;
}

function isCsv(object: string): boolean {
  // Parsing is expensive, and a manifest of the kind contains its name.
  if (!object.includes("ServiceVersion")) return false;
  const read = readYaml(`---\n${object}`);
  return read.ok && isJsonObject(read.value) && read.value["kind"] === "ClusterServiceVersion";
}

const metadataFields: Readonly<Record<string, GoShape>> =
  csvMetadataShape.kind === "struct" ? csvMetadataShape.fields : {};
const field = (name: string): GoShape => metadataFields[name] ?? text;

const image = struct("v1alpha1.RelatedImage", { name: text, image: text }, ["name", "image"]);
const icon = struct("v1alpha1.Icon", { base64data: text, mediatype: text }, ["base64data", "mediatype"]);
const deployments = struct("v1alpha1.StrategyDetailsDeployment", { deployments: list(text) }, ["deployments"]);
const install = struct("v1alpha1.NamedInstallStrategy", { strategy: text, spec: deployments }, ["strategy", "spec"]);
const enabled: GoShape = { kind: "bool", type: "bool" };

/** A ClusterServiceVersion as Go writes one that was filled from `olm.csv.metadata`. */
const csvShape = struct(
  "v1alpha1.ClusterServiceVersion",
  {
    kind: text,
    apiVersion: text,
    metadata: struct("v1.ObjectMeta", { name: text, labels: field("labels"), annotations: field("annotations") }),
    spec: struct(
      "v1alpha1.ClusterServiceVersionSpec",
      {
        install,
        version: text,
        maturity: text,
        customresourcedefinitions: field("crdDescriptions"),
        apiservicedefinitions: field("apiServiceDefinitions"),
        nativeAPIs: field("nativeAPIs"),
        minKubeVersion: text,
        displayName: text,
        description: text,
        keywords: field("keywords"),
        maintainers: field("maintainers"),
        provider: field("provider"),
        links: field("links"),
        icon: list(icon),
        installModes: field("installModes"),
        cleanup: struct("v1alpha1.CleanupSpec", { enabled }, ["enabled"]),
        relatedImages: list(image),
      },
      [
        "install",
        "version",
        "customresourcedefinitions",
        "apiservicedefinitions",
        "displayName",
        "provider",
        "cleanup",
      ],
    ),
    status: struct("v1alpha1.ClusterServiceVersionStatus", { cleanup: struct("v1alpha1.CleanupStatus", {}) }, [
      "cleanup",
    ]),
  },
  ["metadata", "spec", "status"],
);

function csvOf(bundle: JsonObject, pack: JsonObject, property: JsonObject, version: string): string {
  const found = fieldOf(property, "value");
  const metadata = isJsonObject(found) ? found : {};
  const of = (name: string): JsonValue => fieldOf(metadata, name) ?? null;
  const description = textOf(metadata, "description");
  const csv: JsonObject = {
    kind: "ClusterServiceVersion",
    apiVersion: "operators.coreos.com/v1alpha1",
    metadata: { name: textOf(bundle, "name"), labels: of("labels"), annotations: of("annotations") },
    spec: {
      install: { strategy: "deployment", spec: {} },
      version,
      maturity: of("maturity"),
      customresourcedefinitions: of("crdDescriptions"),
      apiservicedefinitions: of("apiServiceDefinitions"),
      nativeAPIs: of("nativeAPIs"),
      minKubeVersion: of("minKubeVersion"),
      displayName: of("displayName"),
      description: description === "" ? textOf(pack, "description") : description,
      keywords: of("keywords"),
      maintainers: of("maintainers"),
      provider: of("provider"),
      links: of("links"),
      icon: iconOf(pack),
      installModes: of("installModes"),
      relatedImages: itemsOf(bundle, "relatedImages"),
    },
  };
  return htmlSafeJson(encodeGo(csv, csvShape));
}

const iconShape = packageShape.kind === "struct" ? packageShape.fields["icon"] : undefined;

/** The package's icon as a list of at most one, its data decoded and encoded again. */
function iconOf(pack: JsonObject): readonly JsonValue[] {
  const given = fieldOf(pack, "icon");
  if (iconShape === undefined || given === undefined || given === null) return [];
  const { base64data, mediatype } = JSON.parse(encodeGo(given, iconShape)) as Readonly<Record<string, string | null>>;
  return [{ base64data: base64data ?? "", mediatype: mediatype ?? "" }];
}
