import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { aggregate } from "../../go-aggregate.ts";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { asDecoder, readTyped } from "../api-types/read-typed.ts";
import { scalarText, yamlTexts } from "../api-types/yaml-texts.ts";
import type { BundleDirectory, BundleFile } from "../bundle-files.ts";
import { listDirectory, textOf } from "../bundle-paths.ts";
import { goKind } from "../directory/csv-raw.ts";
import {
  type FirstObject,
  firstDocument,
  firstObject,
  foldedMember,
  kindOf,
  listMember,
  nameOf,
  objectMember,
  textMember,
} from "../directory/first-object.ts";
import { typedCsv } from "../directory/typed-csv.ts";

export interface LoadedCrd {
  /** As its API type reads it for v1, as it was written for v1beta1. */
  readonly object: JsonObject;
  readonly version: "v1" | "v1beta1";
  readonly place: Place;
  readonly locate: (pointer: string) => Place;
}

/** A bundle directory as upstream's validator library loads it. */
export interface LoadedBundle {
  /** Of the CSV. */
  readonly name: string;
  readonly packageName: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  /** As its API type reads it. */
  readonly csv: JsonObject;
  /** As it was written. */
  readonly csvManifest: FirstObject;
  readonly crds: readonly LoadedCrd[];
  readonly objects: readonly FirstObject[];
  readonly files: BundleDirectory;
}

/** Why a directory cannot be validated at all: upstream's text, and the place of the first cause. */
export interface LoadProblem {
  readonly message: string;
  readonly place?: Place;
}

/**
 * Loads a bundle directory. Every file of the directory with the CSV must be a Kubernetes object; the first document of
 * each counts.
 * @param root path of the directory, for upstream's texts
 */
export function loadBundle(files: BundleDirectory, root: string): Result<LoadedBundle, LoadProblem> {
  const problems: LoadProblem[] = [];
  let annotations = noAnnotations;
  let directory: LoadedDirectory | undefined;
  let foundCsv = false;
  for (const file of inWalkOrder(files)) {
    if (file.path.slice(file.path.lastIndexOf("/") + 1).startsWith("annotations")) {
      const read = readAnnotations(file, root);
      if (!read.ok) {
        problems.push(read.problem);
        continue;
      }
      annotations = read.value;
    }
    const read = firstObject(file);
    if (!read.ok || read.value === undefined || !isCsv(read.value)) continue;
    foundCsv = true;
    const loaded = loadDirectory(files, file.path.slice(0, file.path.lastIndexOf("/") + 1), root);
    problems.push(...loaded.problems);
    directory = loaded.directory ?? directory;
  }
  if (!foundCsv) problems.push({ message: `unable to find a csv in bundle directory ${root}` });
  else if (directory === undefined) problems.push({ message: `unable to load bundle from directory ${root}` });
  if (directory === undefined || problems.length > 0) {
    const place = problems.find((problem) => problem.place !== undefined)?.place;
    const message = aggregate(problems.map((problem) => problem.message));
    return failed({ message, ...(place === undefined ? {} : { place }) });
  }
  return done({ name: nameOf(directory.csv), ...annotations, ...directory, files });
}

function isCsv({ object }: FirstObject): boolean {
  return textMember(object, "kind") === "ClusterServiceVersion";
}

/** Files as a walk through the directory meets them; hidden ones and those of hidden directories are passed over. */
function inWalkOrder({ files }: BundleDirectory): readonly BundleFile[] {
  const key = ({ path }: BundleFile): string => path.replaceAll("/", "\0");
  return files
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")))
    .toSorted((a, b) => compareBytes(key(a), key(b)));
}

type LoadedDirectory = Pick<LoadedBundle, "csv" | "csvManifest" | "crds" | "objects">;

/** The directory of a CSV: its other files must be objects of the bundle. */
function loadDirectory(
  files: BundleDirectory,
  directory: string,
  root: string,
): { readonly directory: LoadedDirectory | undefined; readonly problems: readonly LoadProblem[] } {
  const { csv, crds, objects, problems, fatal } = loadObjects(files, directory, root);
  const found = fatal === undefined ? problems : [fatal];
  const place = found[0]?.place;
  const loading = aggregate(found.map(({ message }) => message));
  const loadProblems: LoadProblem[] =
    loading === ""
      ? []
      : [{ message: `error loading objs in directory: ${loading}`, ...(place === undefined ? {} : { place }) }];
  if (csv === undefined || fatal !== undefined)
    return { directory: undefined, problems: [...loadProblems, { message: "no bundle csv found" }] };
  return { directory: { csv: csv.csv, csvManifest: csv.manifest, crds, objects }, problems: loadProblems };
}

interface LoadedObjects {
  readonly csv: { readonly csv: JsonObject; readonly manifest: FirstObject } | undefined;
  readonly crds: readonly LoadedCrd[];
  readonly objects: readonly FirstObject[];
  readonly problems: readonly LoadProblem[];
  /** Ends the loading, whatever else was wrong. */
  readonly fatal: LoadProblem | undefined;
}

function loadObjects(files: BundleDirectory, directory: string, root: string): LoadedObjects {
  const problems: LoadProblem[] = [];
  const objects: FirstObject[] = [];
  const crds: LoadedCrd[] = [];
  let csv: LoadedObjects["csv"];
  const end = (message: string, place: Place): LoadedObjects => ({
    csv,
    crds,
    objects,
    problems,
    fatal: { message, place },
  });
  for (const entry of entriesOf(files, directory)) {
    const place = { file: `${directory}${entry.name}` };
    if (entry.file === undefined) {
      problems.push({ message: `bundle manifests dir contains directory: ${root}/${directory}${entry.name}`, place });
      continue;
    }
    if (entry.name.startsWith(".")) {
      problems.push({ message: `bundle manifests dir has hidden file: ${root}/${directory}${entry.name}`, place });
      continue;
    }
    const read = firstObject(entry.file);
    if (!read.ok) {
      problems.push({ message: `unable to decode object: ${read.problem.message}`, place: read.problem.place });
      continue;
    }
    if (read.value === undefined) continue;
    objects.push(read.value);
    const { object } = read.value;
    if (isCsv(read.value)) {
      if (csv !== undefined) return end("invalid bundle: contains multiple CSVs", read.value.place);
      const typed = typedCsv(asRead("csv.ClusterServiceVersion", read.value));
      if (!typed.ok)
        return end(
          `unable to parse CSV ${entry.name}: error unmarshaling JSON: while decoding JSON: ${typed.problem.message}`,
          read.value.locate(typed.problem.pointer),
        );
      csv = { csv: typed.value, manifest: read.value };
    }
    if (textMember(object, "kind") !== "CustomResourceDefinition") continue;
    const crd = loadCrd(read.value, entry.name);
    if (!crd.ok) return end(crd.problem.message, crd.problem.place ?? place);
    crds.push(crd.value);
  }
  return { csv, crds, objects, problems, fatal: undefined };
}

/** Files and directories directly in a directory, by name. */
function entriesOf(
  files: BundleDirectory,
  directory: string,
): readonly { readonly name: string; readonly file?: BundleFile }[] {
  const inside = listDirectory(files, directory);
  const directories = files.directories
    .filter((path) => path.startsWith(directory))
    .map((path) => path.slice(directory.length))
    .filter((name) => name !== "" && !name.includes("/"));
  const names = [...new Set([...directories, ...inside.directories])].map((name) => ({ name }));
  return [...inside.files, ...names].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A CRD manifest in a version that is read; the problem is upstream's text. */
export function loadCrd(manifest: FirstObject, fileName: string): Result<LoadedCrd, LoadProblem> {
  const { object, place, locate } = manifest;
  const { group, version } = kindOf(object);
  if (group !== "apiextensions.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return failed({ message: `unsupported CRD version ${textMember(object, "apiVersion")} for ${fileName}`, place });
  if (version === "v1beta1") return done({ object, version, place, locate });
  const typed = readTyped("ext.CustomResourceDefinition", asRead("ext.CustomResourceDefinition", manifest), asDecoder);
  if (typed.ok) return done({ object: typed.value, version, place, locate });
  return failed({
    message: `unable to parse CRD ${fileName}: error unmarshaling JSON: while decoding JSON: ${typed.problem.message}`,
    place: locate(typed.problem.pointer),
  });
}

/** The manifest as Go hands it to a type: texts where it has numbers. Upstream reads JSON as YAML here. */
function asRead(struct: string, { object }: FirstObject): JsonObject {
  const value = yamlTexts(struct, object);
  return isJsonObject(value) ? value : object;
}

type Annotations = Pick<LoadedBundle, "packageName" | "channels" | "defaultChannel">;

const noAnnotations: Annotations = { packageName: "", channels: [""], defaultChannel: "" };

function readAnnotations(file: BundleFile, root: string): Result<Annotations, LoadProblem> {
  const refuse = (message: string, place: Place): Result<never, LoadProblem> =>
    failed({ message: `unable to load the annotations file ${root}/${file.path}: ${message}`, place });
  // An empty file has no document for the stream reader and no annotations.
  if (textOf(file) === "") return done(noAnnotations);
  const document = firstDocument(file);
  if (!document.ok) {
    const { message, goText, place } = document.problem;
    return refuse(goText ?? `error converting YAML to JSON: yaml: ${message}`, place);
  }
  const unfit = (what: string): Result<never, LoadProblem> =>
    refuse(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what}`, {
      file: file.path,
      line: 1,
    });
  const value = document.value?.value ?? {};
  if (!isJsonObject(value)) return unfit(`${goKind(value)} into Go value of type manifests.AnnotationsFile`);
  const given: JsonValue = foldedMember(value, "annotations") ?? {};
  if (!isJsonObject(given))
    return unfit(`${goKind(given)} into Go struct field AnnotationsFile.annotations of type manifests.Annotations`);
  const texts: string[] = [];
  for (const name of ["package", "channels", "channel.default"]) {
    const key = `operators.operatorframework.io.bundle.${name}.v1`;
    const held = scalarText(foldedMember(given, key) ?? "");
    if (typeof held !== "string")
      return unfit(`${goKind(held)} into Go struct field Annotations.annotations.${key} of type string`);
    texts.push(held);
  }
  const [packageName = "", channels = "", defaultChannel = ""] = texts;
  return done({ packageName, channels: channels.split(","), defaultChannel });
}

/** The parts of a typed CSV's spec that several validators look at. */
export function deploymentsOf(csv: JsonObject): readonly JsonObject[] {
  const strategy = objectMember(objectMember(objectMember(csv, "spec"), "install"), "spec");
  return listMember(strategy, "deployments").filter((item) => isJsonObject(item));
}

export function annotationsOf(csv: JsonObject): JsonObject {
  return objectMember(objectMember(csv, "metadata"), "annotations");
}

/** `group/version, Kind=Kind`, as Go prints it. */
export function formatKind(group: string, version: string, kind: string): string {
  return `${group}/${version}, Kind=${kind}`;
}
