import { type JsonObject, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goJson } from "@purser/kubernetes/text/documents";
import { readTyped } from "../api-types/read-typed.ts";
import type { BundleFiles } from "../bundle-files.ts";
import { listDirectory } from "../bundle-paths.ts";
import type { BundleManifest, BundleProblem } from "../registry-bundle.ts";
import { type ApiKey, distinctApis, formatApiKey, pluralAndGroup } from "./api-key.ts";
import { type Definition, type Definitions, RawCsv } from "./csv-raw.ts";
import { decodeCrd } from "./decode-crd.ts";
import { firstObject, kindOf, nameOf, objectMember, textMember } from "./first-object.ts";
import { annotatedProperties, type BundleAnnotations, type RawProperty, readMetadata } from "./metadata-files.ts";

/**
 * A bundle directory as catalog tools read it: the first document of every manifest file, the first CSV of all, files
 * that are no Kubernetes objects passed over. OLM v0 and v1 read bundles differently (`unpack-bundle.ts`,
 * `read-bundle.ts`).
 */
export interface ParsedBundle {
  /** Of the CSV. */
  readonly name: string;
  readonly annotations: BundleAnnotations;
  readonly csv: RawCsv;
  readonly version: string;
  readonly release: string;
  /** In file order, the CSV among them. */
  readonly objects: readonly BundleManifest[];
  readonly provided: readonly ApiKey[];
  readonly required: readonly ApiKey[];
  /** Of the metadata first, then of the CSV's annotation; `olm.package` and `olm.gvk` as derived. */
  readonly properties: readonly RawProperty[];
  readonly dependencies: readonly RawProperty[];
}

/** Reads a bundle directory; the first problem ends it, in upstream's words. */
export function parseBundleDirectory(files: BundleFiles): Result<ParsedBundle, BundleProblem> {
  const manifests = parseManifests(files);
  if (!manifests.ok) return manifests;
  const { objects, csv, provided, crds, services } = manifests.value;
  const refuse = (message: string): Result<never, BundleProblem> => failed({ kind: "unreadable", message });
  const { annotations, dependencies, properties } = readMetadata(files);
  if (annotations === undefined) return refuse("Could not find annotations file");
  const version = csv.version();
  if (!version.ok) return refuse(`failed to derive properties: ${version.problem}`);
  const release = csv.release();
  if (!release.ok) return refuse(`failed to derive properties: ${release.problem}`);
  const required = requiredApis(crds.required, services.required);
  if (!required.ok) return refuse(`get properties for bundle "${nameOf(csv.object)}": ${required.problem}`);
  const own =
    annotations.packageName === "" ? [] : [packageProperty(annotations.packageName, version.value, release.value)];
  return done({
    name: nameOf(csv.object),
    annotations,
    csv,
    version: version.value,
    release: release.value,
    objects,
    provided,
    required: required.value,
    properties: distinct([...properties, ...own, ...annotatedProperties(csv.object)]),
    dependencies,
  });
}

export function packageProperty(packageName: string, version: string, release: string): RawProperty {
  const value = { packageName, version, ...(release === "" ? {} : { release }) };
  const members = Object.entries(value).map(([key, text]) => `"${key}":${goJson(text)}`);
  return { type: "olm.package", value: `{${members.join(",")}}` };
}

function distinct(properties: readonly RawProperty[]): readonly RawProperty[] {
  return [...new Map(properties.map((each) => [JSON.stringify([each.type, each.value]), each])).values()];
}

export interface ParsedManifests {
  readonly objects: readonly BundleManifest[];
  readonly csv: RawCsv;
  readonly provided: readonly ApiKey[];
  /** APIs that the CSV owns and requires, by CRDs and by APIServices. */
  readonly crds: Definitions;
  readonly services: Definitions;
}

/** The objects of `manifests/`; every CRD that the CSV owns must be among them. */
function parseManifests(files: BundleFiles): Result<ParsedManifests, BundleProblem> {
  const refuse = (message: string, manifest?: BundleManifest): Result<never, BundleProblem> =>
    failed({ kind: "unreadable", message, ...(manifest === undefined ? {} : { place: manifest.place }) });
  const objects = manifestObjects(files);
  if (objects.length === 0) return refuse("no bundle objects found");
  const found = objects.find(({ object }) => kindOf(object).kind === "ClusterServiceVersion");
  if (found === undefined) return refuse("no csv in bundle");
  const metadata = readTyped("ObjectMeta", member(found.object, "metadata") ?? {});
  if (!metadata.ok) return refuse(metadata.problem.message, found);
  const provided: ApiKey[] = [];
  for (const manifest of objects) {
    const crd = apisOfCrd(manifest.object);
    if (!crd.ok) return refuse(crd.problem, manifest);
    provided.push(...crd.value);
  }
  const csv = new RawCsv(found.object);
  const context = `error checking provided apis in bundle ${nameOf(found.object)}`;
  const services = csv.apiServiceDefinitions();
  if (!services.ok) return refuse(`${context}: error getting apiservice definitions: ${services.problem}`, found);
  for (const { group, version, kind, name } of services.value.owned)
    provided.push({ group, version, kind, plural: name });
  const apis = distinctApis(provided);
  const crds = csv.crdDefinitions();
  if (!crds.ok) return refuse(`${context}: ${crds.problem}`, found);
  const missing = missingApi(crds.value.owned, apis);
  if (missing !== undefined) return refuse(`${context}: ${missing}`, found);
  return done({ objects, csv, provided: apis, crds: crds.value, services: services.value });
}

function manifestObjects(files: BundleFiles): readonly BundleManifest[] {
  const objects: BundleManifest[] = [];
  let hasCsv = false;
  for (const { name, file } of listDirectory(files, "manifests/").files) {
    if (name.startsWith(".")) continue;
    const read = firstObject(file);
    if (!read.ok || read.value === undefined) continue;
    const isCsv = read.value.object["kind"] === "ClusterServiceVersion";
    if (isCsv && hasCsv) continue;
    hasCsv ||= isCsv;
    objects.push(read.value);
  }
  return objects;
}

/** The APIs of a CRD manifest; none for other objects and for unknown versions of the CRD API. */
function apisOfCrd(object: JsonObject): Result<readonly ApiKey[], string> {
  const decoded = decodeCrd(object);
  if (!decoded.ok) return decoded;
  if (decoded.value === undefined) return done([]);
  const { versions, oldVersion } = decoded.value;
  const spec = objectMember(object, "spec");
  const names = objectMember(spec, "names");
  const api = {
    group: textMember(spec, "group"),
    kind: textMember(names, "kind"),
    plural: textMember(names, "plural"),
  };
  return done([...versions, ...(oldVersion === "" ? [] : [oldVersion])].map((version) => ({ ...api, version })));
}

function missingApi(owned: readonly Definition[], provided: readonly ApiKey[]): string | undefined {
  const known = new Set(provided.map(formatApiKey));
  const wanted: ApiKey[] = [];
  for (const { name, version, kind } of owned) {
    const parts = pluralAndGroup(name);
    if (parts === undefined) return `couldn't parse plural.group from crd name: ${name}`;
    wanted.push({ group: parts[1], version, kind, plural: parts[0] });
  }
  const missing = wanted.find((key) => !known.has(formatApiKey(key)));
  if (missing === undefined) return undefined;
  const listed = provided.map((key) => `${formatApiKey(key)}:{}`).join(" ");
  return `couldn't find ${formatApiKey(missing)} in bundle. found: map[${listed}]`;
}

function requiredApis(crds: readonly Definition[], services: readonly Definition[]): Result<readonly ApiKey[], string> {
  const required: ApiKey[] = [];
  for (const { name, version, kind } of crds) {
    const parts = pluralAndGroup(name);
    if (parts === undefined) return failed(`get required apis: couldn't parse plural.group from crd name: ${name}`);
    required.push({ group: parts[1], version, kind, plural: parts[0] });
  }
  for (const { group, version, kind, name } of services) required.push({ group, version, kind, plural: name });
  return done(distinctApis(required));
}
