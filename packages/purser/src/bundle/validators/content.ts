import { type JsonObject, member } from "@purser/kubernetes/json";
import { aggregate } from "../../go-aggregate.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { Place } from "@purser/kubernetes/place";
import { asConverter, asDecoder, readTyped } from "../api-types/read-typed.ts";
import type { BundleDirectory, BundleFile } from "../bundle-files.ts";
import { listDirectory } from "../bundle-paths.ts";
import { goKind, RawCsv } from "../directory/csv-raw.ts";
import { decodeCrd, type DecodedCrd } from "../directory/decode-crd.ts";
import {
  firstObject,
  type FirstObject,
  foldedMember,
  kindOf,
  nameOf,
  objectMember,
  textMember,
} from "../directory/first-object.ts";
import { typedCsv } from "../directory/typed-csv.ts";
import { isSupportedKind } from "../supported-kinds.ts";
import { validateCrd } from "./crd.ts";
import { validateCsv } from "./csv.ts";
import type { FormatFault } from "./format.ts";
import { formatIssue } from "./issue.ts";
import { loadCrd } from "./loaded-bundle.ts";
import { mediaTypeOf } from "./media-type.ts";
import { goHead } from "./objects.ts";

/**
 * Checks `manifests/`: the kinds that a bundle may hold, whether CSV and CRDs are valid, and whether owned CRDs exist.
 * @param root path of the bundle directory, for upstream's texts
 */
export function contentFaults(files: BundleDirectory, root: string): readonly FormatFault[] {
  const faults: FormatFault[] = [];
  const add = (rule: string, message: string, place?: Place): void =>
    void faults.push({ rule, message, ...(place === undefined ? {} : { place }) });
  const directory = `${root}/manifests`;
  const mediaType = mediaTypeOf(files, directory);
  if (!mediaType.ok) add("bundle-media-type", mediaType.problem);
  else if (mediaType.value === "helm") return [];
  if (!files.directories.includes("manifests")) add("bundle-manifests", `open ${directory}: no such file or directory`);
  const objects: FirstObject[] = [];
  let csvName = "";
  for (const { name, file } of entries(files)) {
    const place = { file: `manifests/${name}` };
    if (file === undefined) {
      add("manifest-file", `Unable to read file ${directory}/${name} in supported types`, place);
      continue;
    }
    const read = firstObject(file);
    if (!read.ok) {
      add("manifest-object", read.problem.message, read.problem.place);
      continue;
    }
    const manifest = read.value ?? { object: {}, place, locate: () => place, format: "yaml" as const };
    objects.push(manifest);
    const { kind } = kindOf(manifest.object);
    if (mediaType.ok && mediaType.value === "registry+v1" && !isSupportedKind(kind)) {
      add("manifest-kind", `${kind} is not supported type for registryV1 bundle: ${directory}/${name}`, manifest.place);
    } else if (kind === "ClusterServiceVersion") {
      csvName = checkCsv(manifest, add) ?? csvName;
    } else if (kind === "CustomResourceDefinition") checkCrd(manifest, name, add);
    else checkOther(manifest, add);
  }
  if (objects.length > 0) registryFaults(objects, csvName, add);
  return faults;
}

type Add = (rule: string, message: string, place?: Place) => void;

function entries(files: BundleDirectory): readonly { readonly name: string; readonly file?: BundleFile }[] {
  const inside = listDirectory(files, "manifests/");
  const directories = files.directories
    .filter((path) => /^manifests\/[^/]+$/.test(path))
    .map((path) => ({ name: path.slice("manifests/".length) }));
  const known = new Set(directories.map(({ name }) => name));
  const others = inside.directories.filter((name) => !known.has(name)).map((name) => ({ name }));
  return [...inside.files, ...directories, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @returns the CSV's name; undefined when its type cannot hold it */
function checkCsv(manifest: FirstObject, add: Add): string | undefined {
  const typed = typedCsv(manifest.object, asConverter);
  if (!typed.ok) {
    add("csv-type", typed.problem.message, manifest.locate(typed.problem.pointer));
    return undefined;
  }
  for (const issue of validateCsv(typed.value, manifest.locate).issues)
    if (issue.level === "Error") add(issue.rule, formatIssue(issue), issue.place);
  return nameOf(typed.value);
}

function checkCrd(manifest: FirstObject, fileName: string, add: Add): void {
  const { group, version } = kindOf(manifest.object);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  if (apiVersion !== "apiextensions.k8s.io/v1" && apiVersion !== "apiextensions.k8s.io/v1beta1")
    return add("crd-api-version", `Unsupported api version of CRD: ${apiVersion}`, manifest.place);
  const crd = loadCrd(manifest, fileName);
  if (!crd.ok) return add("crd-type", crd.problem.message.replace(/^unable to parse CRD .*?: /, ""), crd.problem.place);
  for (const issue of validateCrd(crd.value).issues)
    if (issue.level === "Error") add(issue.rule, formatIssue(issue), issue.place);
}

/** Other objects must have metadata that Kubernetes reads, a name, and no namespace. */
function checkOther({ object, place, locate }: FirstObject, add: Add): void {
  for (const name of ["kind", "apiVersion"]) {
    const value = foldedMember(object, name) ?? "";
    if (typeof value === "string") continue;
    const message = `json: cannot unmarshal ${goKind(value)} into Go struct field Meta.TypeMeta.${name} of type string`;
    return add("object-metadata", message, locate(`/${name}`));
  }
  const metadata = readTyped("ObjectMeta", member(object, "metadata") ?? {}, { ...asDecoder, under: ["metadata"] });
  if (!metadata.ok) return add("object-metadata", metadata.problem.message, locate("/metadata"));
  const text = (name: string): string => textMember(metadata.value, name);
  const faults = [
    ...(text("name") === "" && text("generateName") === ""
      ? ["metadata.name: Required value: name or generateName is required"]
      : []),
    ...(text("namespace") === "" ? [] : ["metadata.namespace: Forbidden: not allowed on this type"]),
  ];
  if (faults.length === 0) return;
  const message = `error validating object metadata: ${aggregate(faults)}. &{${goHead(object)}}`;
  add("object-metadata", message, text("namespace") === "" ? place : locate("/metadata/namespace"));
}

/** The rules of the registry library, which looks at CSV and CRDs together. */
function registryFaults(objects: readonly FirstObject[], bundleName: string, add: Add): void {
  const found = objects.find(({ object }) => kindOf(object).kind === "ClusterServiceVersion");
  const error = (value: string, detail: string, pointer = "/spec", place = found?.locate(pointer)): void =>
    add("registry-bundle", `Error: Value ${value}: ${detail}`, place);
  const metadata = readTyped("ObjectMeta", (found === undefined ? undefined : member(found.object, "metadata")) ?? {});
  if (!metadata.ok) return error(metadata.problem.message, "error getting bundle CSV", "/metadata");
  const keys = new Set<string>();
  for (const { object, place } of objects) {
    const decoded = decodeCrd(object);
    if (!decoded.ok) return error(decoded.problem, "error getting bundle CSV", "", place);
    for (const key of decoded.value === undefined ? [] : keysOfCrd(object, decoded.value)) keys.add(key);
  }
  // Upstream crashes here.
  if (found === undefined) return add("csv-missing", "no ClusterServiceVersion found in manifests");
  const csv = new RawCsv(found.object);
  const definitions = csv.crdDefinitions();
  if (!definitions.ok) error(definitions.problem, "error getting CSV CRDs");
  else {
    for (const [index, { group, kind, name, version }] of definitions.value.owned.entries()) {
      // An API that the CSV owns twice has only one key.
      if (group === "" && keys.delete(`${kind}/${name}/${version}`)) continue;
      error(
        `{${group} ${kind} ${name} ${version}}`,
        `owned CRD ${name === "" ? `${group}/${version} ${kind}` : `${name}/${version}`} not found in bundle ${goQuote(bundleName)}`,
        `/spec/customresourcedefinitions/owned/${index}`,
      );
    }
  }
  const version = csv.version();
  if (!version.ok) return error(version.problem, "error getting bundle CSV version");
  const release = csv.release();
  if (!release.ok) return error(release.problem, "error getting bundle CSV release version");
  const substitutes = textMember(
    objectMember(objectMember(found.object, "metadata"), "annotations"),
    "olm.substitutesFor",
  );
  if (release.value !== "" && substitutes !== "")
    error(
      "{   }",
      `bundle ${goQuote(bundleName)} cannot have both a release version (${goQuote(release.value)}) and olm.substitutesFor annotation (${goQuote(substitutes)})`,
      "/spec/release",
    );
}

/** A v1beta1 CRD that names one version has that one only. */
function keysOfCrd(object: JsonObject, { versions, oldVersion }: DecodedCrd): readonly string[] {
  const kind = textMember(objectMember(objectMember(object, "spec"), "names"), "kind");
  const named = oldVersion === "" ? versions : [oldVersion];
  return named.map((version) => `${kind}/${nameOf(object)}/${version}`);
}
