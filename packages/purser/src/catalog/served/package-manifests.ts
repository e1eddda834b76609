import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goJson, readYaml } from "@purser/kubernetes/text/documents";
import type { ApiRef } from "../catalog-index.ts";
import type { CatalogProblem } from "../problem.ts";
import { fieldOf, itemsOf, kindOf, textOf } from "../schemas/go-shape.ts";
import { type ManifestBundle, PackageChannels } from "./package-channels.ts";
import type { ServedBundle, ServedPackage } from "./served-content.ts";

/** The keys of a ConfigMap that holds a catalog; each value is a YAML list. */
const keys = { crds: "customResourceDefinitions", csvs: "clusterServiceVersions", packages: "packages" } as const;
export const packageManifestKeys: readonly string[] = Object.values(keys);

export interface ServedCatalog {
  readonly packages: readonly ServedPackage[];
  /** One for each channel that a bundle is in. */
  readonly bundles: readonly ServedBundle[];
}

/**
 * Reads the package manifest format as `configmap-server` of OLM does (`ConfigMapLoader` of operator-registry) and returns
 * what it would serve. Any problem makes the catalog unusable, as that server then ends; all of them are returned.
 * @param data of the ConfigMap
 */
export function readPackageManifests(
  data: Readonly<Record<string, string>>,
): Result<ServedCatalog, readonly CatalogProblem[]> {
  const problems: CatalogProblem[] = [];
  const complain = (key: string, message: string, rest: Partial<CatalogProblem> = {}): void => {
    problems.push({ rule: "field-type", message, place: { file: key }, ...rest });
  };
  const listOf = (key: string): readonly JsonObject[] => {
    const items = readList(data, key);
    if (items.ok) return items.value;
    problems.push(items.problem);
    return [];
  };
  const crds = new Map<string, JsonObject>();
  for (const crd of listOf(keys.crds))
    for (const api of versionsOf(crd)) {
      if (!crds.has(keyOf(api))) crds.set(keyOf(api), crd);
      else complain(keys.crds, `can't add the same CRD twice in one configmap: ${keyOf(api)}`);
    }
  const bundles = new Map<string, ManifestBundle>();
  for (const csv of listOf(keys.csvs)) {
    const read = bundleOf(csv, crds);
    for (const message of read.problems) complain(keys.csvs, message, { bundle: read.bundle.name });
    if (bundles.has(read.bundle.name))
      complain(keys.csvs, `the ClusterServiceVersion ${read.bundle.name} is listed twice`, {
        bundle: read.bundle.name,
      });
    else bundles.set(read.bundle.name, read.bundle);
  }
  const packages = new Map<string, PackageChannels>();
  for (const manifest of listOf(keys.packages)) {
    // A later manifest of the same name replaces the former.
    const read = new PackageChannels(manifest, bundles);
    packages.delete(read.served.name);
    packages.set(read.served.name, read);
    for (const message of read.problems)
      complain(keys.packages, `error loading package ${read.served.name}: ${message}`, {
        packageName: read.served.name,
      });
  }
  if (problems.length > 0) return failed(problems);
  return done({
    packages: [...packages.values()].map(({ served }) => served),
    bundles: [...packages.values()].flatMap((read) => read.bundles),
  });
}

function readList(data: Readonly<Record<string, string>>, key: string): Result<readonly JsonObject[], CatalogProblem> {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  const place = { file: key };
  if (text === undefined)
    return failed({ rule: "unreadable", message: `couldn't find expected key ${key} in configmap`, place });
  const read = readYaml(text, key);
  if (!read.ok) return failed({ rule: "syntax", message: read.problem.message, place: read.problem.place });
  const value = read.value ?? [];
  if (!Array.isArray(value))
    return failed({ rule: "field-type", message: `must be a list, but is of type ${kindOf(value)}`, place });
  for (const [index, item] of (value as readonly JsonValue[]).entries())
    if (!isJsonObject(item))
      return failed({
        rule: "field-type",
        message: `item ${index} must be an object, but is of type ${kindOf(item)}`,
        place,
      });
  return done(value as readonly JsonObject[]);
}

interface NamedApi extends ApiRef {
  readonly plural: string;
}

const keyOf = ({ group, version, kind, plural }: NamedApi): string => `${group}/${version}/${kind} (${plural})`;

/** The APIs of a CustomResourceDefinition of v1, or of v1beta1 with its one `version`. */
function versionsOf(crd: JsonObject): readonly NamedApi[] {
  const spec = objectOf(crd, "spec");
  const names = objectOf(spec, "names");
  const listed = itemsOf(spec, "versions").flatMap((item) => (isJsonObject(item) ? [textOf(item, "name")] : []));
  const versions = listed.length === 0 && textOf(spec, "version") !== "" ? [textOf(spec, "version")] : listed;
  return versions.map((version) => ({
    group: textOf(spec, "group"),
    version,
    kind: textOf(names, "kind"),
    plural: textOf(names, "plural"),
  }));
}

function bundleOf(
  csv: JsonObject,
  crds: ReadonlyMap<string, JsonObject>,
): { readonly bundle: ManifestBundle; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const metadata = objectOf(csv, "metadata");
  const annotations = objectOf(metadata, "annotations");
  const spec = objectOf(csv, "spec");
  const name = textOf(metadata, "name");
  if (name === "" || textOf(csv, "kind") !== "ClusterServiceVersion")
    problems.push(`error adding operator bundle ${name}: csv name not found`);
  if (textOf(annotations, "olm.substitutesFor") !== "")
    problems.push(`error adding operator bundle ${name}: olm.substitutesFor is not supported in a ConfigMap`);
  const text = (field: string): string => {
    const value = fieldOf(spec, field) ?? "";
    if (typeof value === "string") return value;
    problems.push(
      `error adding operator bundle ${name}: spec.${field} must be a string, but is of type ${kindOf(value)}`,
    );
    return "";
  };
  const named = (definitions: JsonObject, field: string): readonly NamedApi[] =>
    itemsOf(definitions, field).flatMap((item) => {
      const api = isJsonObject(item) ? apiOfCrd(item) : undefined;
      if (api === undefined)
        problems.push(`error parsing ${field} name: ${isJsonObject(item) ? textOf(item, "name") : kindOf(item)}`);
      return api ?? [];
    });
  const definitions = objectOf(spec, "customresourcedefinitions");
  const services = objectOf(spec, "apiservicedefinitions");
  const owned = new Set<JsonObject>();
  for (const api of named(definitions, "owned")) {
    const crd = crds.get(keyOf(api));
    if (crd === undefined) problems.push(`couldn't find owned CRD in crd list ${keyOf(api)}`);
    else owned.add(crd);
  }
  const properties = statedProperties(textOf(annotations, "olm.properties"));
  if (!properties.ok) problems.push(`error adding operator bundle ${name}: ${properties.problem}`);
  const csvJson = goJson({
    apiVersion: textOf(csv, "apiVersion"),
    kind: textOf(csv, "kind"),
    metadata,
    spec,
  });
  const bundle: ManifestBundle = {
    name,
    version: text("version"),
    replaces: text("replaces"),
    skips: itemsOf(spec, "skips").flatMap((skip) => (typeof skip === "string" ? [skip] : [])),
    skipRange: textOf(annotations, "olm.skipRange"),
    csvJson,
    objects: [csvJson, ...[...owned].map(crdJson)],
    provides: [...[...owned].flatMap(versionsOf), ...servicesIn(services, "owned")],
    requires: [...named(definitions, "required"), ...servicesIn(services, "required")],
    stated: properties.ok ? properties.value : [],
  };
  return { bundle, problems };
}

/** A CRD is named `plural.group` in a ClusterServiceVersion. */
function apiOfCrd(definition: JsonObject): NamedApi | undefined {
  const name = textOf(definition, "name");
  const dot = name.indexOf(".");
  if (dot < 0) return undefined;
  return {
    group: name.slice(dot + 1),
    version: textOf(definition, "version"),
    kind: textOf(definition, "kind"),
    plural: name.slice(0, dot),
  };
}

function servicesIn(definitions: JsonObject, field: string): readonly ApiRef[] {
  return itemsOf(definitions, field).flatMap((item) =>
    isJsonObject(item)
      ? [{ group: textOf(item, "group"), version: textOf(item, "version"), kind: textOf(item, "kind") }]
      : [],
  );
}

function crdJson(crd: JsonObject): string {
  const { status: _status, ...rest } = crd;
  const spec = objectOf(crd, "spec");
  const version = textOf(spec, "version");
  // The loader writes the one version of an old CRD into the list that replaced it.
  if (version === "" || itemsOf(spec, "versions").length > 0) return goJson(rest);
  return goJson({ ...rest, spec: { ...spec, versions: [{ name: version, served: true, storage: true }] } });
}

/** Properties that the annotation `olm.properties` adds. */
function statedProperties(text: string): Result<ManifestBundle["stated"], string> {
  if (text === "") return done([]);
  const read = readYaml(text);
  const value = read.ok ? (read.value ?? []) : undefined;
  if (!Array.isArray(value)) return failed("the annotation olm.properties is not a JSON list");
  return done(
    (value as readonly JsonValue[]).flatMap((item) =>
      isJsonObject(item) ? [{ type: textOf(item, "type"), value: goJson(fieldOf(item, "value") ?? null) }] : [],
    ),
  );
}

function objectOf(parent: JsonObject, name: string): JsonObject {
  const value = fieldOf(parent, name);
  return isJsonObject(value) ? value : {};
}
