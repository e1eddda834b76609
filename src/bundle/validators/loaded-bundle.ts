import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import type { Place } from "../../place.ts";
import { done, failed, type Result } from "../../result.ts";
import { readTyped } from "../api-types/read-typed.ts";
import { scalarText, yamlTexts } from "../api-types/yaml-texts.ts";
import type { BundleDirectory, BundleFile } from "../bundle-files.ts";
import { directory } from "../bundle-paths.ts";
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
 * Loads a bundle directory. Every file of the folder with the CSV must be a Kubernetes object; the first document of
 * each counts.
 * @param root path of the directory, for upstream's texts
 */
export function loadBundle(files: BundleDirectory, root: string): Result<LoadedBundle, LoadProblem> {
  const folder = folderOfCsv(files);
  if (folder === undefined) return failed({ message: `unable to find a csv in bundle directory ${root}` });
  const objects = loadObjects(files, folder, root);
  if (!objects.ok) return objects;
  const { value } = objects;
  const problems = [...value.problems];
  const fatal = value.csv === undefined || value.fatal !== undefined;
  if (value.fatal !== undefined) problems.splice(0, Infinity, value.fatal);
  const loading = problems.map(({ message }) => message);
  const joined = loading.length > 1 ? `[${loading.join(", ")}]` : (loading[0] ?? "");
  const messages = [
    ...(loading.length === 0 ? [] : [`error loading objs in directory: ${joined}`]),
    ...(fatal ? ["no bundle csv found", `unable to load bundle from directory ${root}`] : []),
  ];
  if (value.csv === undefined || messages.length > 0) {
    const place = problems[0]?.place;
    const message = messages.length > 1 ? `[${messages.join(", ")}]` : (messages[0] ?? "");
    return failed({ message, ...(place === undefined ? {} : { place }) });
  }
  const annotations = readAnnotations(files, root);
  if (!annotations.ok) return annotations;
  const { csv, manifest } = value.csv;
  return done({
    name: nameOf(csv),
    ...annotations.value,
    csv,
    csvManifest: manifest,
    crds: value.crds,
    objects: value.objects,
    files,
  });
}

/** The folder of the first file that holds a CSV. */
function folderOfCsv(files: BundleDirectory): string | undefined {
  const sorted = files.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const file of sorted) {
    if (file.path.split("/").some((part) => part.startsWith("."))) continue;
    const read = firstObject(file);
    if (read.ok && read.value !== undefined && textMember(read.value.object, "kind") === "ClusterServiceVersion")
      return file.path.slice(0, file.path.lastIndexOf("/") + 1);
  }
  return undefined;
}

interface LoadedObjects {
  readonly csv: { readonly csv: JsonObject; readonly manifest: FirstObject } | undefined;
  readonly crds: readonly LoadedCrd[];
  readonly objects: readonly FirstObject[];
  readonly problems: readonly LoadProblem[];
  /** Ends the loading, whatever else was wrong. */
  readonly fatal: LoadProblem | undefined;
}

function loadObjects(files: BundleDirectory, folder: string, root: string): Result<LoadedObjects, LoadProblem> {
  const problems: LoadProblem[] = [];
  const objects: FirstObject[] = [];
  const crds: LoadedCrd[] = [];
  let csv: LoadedObjects["csv"];
  const end = (message: string, place: Place): Result<LoadedObjects, LoadProblem> =>
    done({ csv, crds, objects, problems, fatal: { message, place } });
  for (const entry of entriesOf(files, folder)) {
    const place = { file: `${folder}${entry.name}` };
    if (entry.file === undefined) {
      problems.push({ message: `bundle manifests dir contains directory: ${root}/${folder}${entry.name}`, place });
      continue;
    }
    if (entry.name.startsWith(".")) {
      problems.push({ message: `bundle manifests dir has hidden file: ${root}/${folder}${entry.name}`, place });
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
    if (textMember(object, "kind") === "ClusterServiceVersion") {
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
  return done({ csv, crds, objects, problems, fatal: undefined });
}

/** Files and folders directly in a folder, by name. */
function entriesOf(
  files: BundleDirectory,
  folder: string,
): readonly { readonly name: string; readonly file?: BundleFile }[] {
  const inside = directory(files, folder);
  const folders = files.folders
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length))
    .filter((name) => name !== "" && !name.includes("/"));
  const names = [...new Set([...folders, ...inside.folders])].map((name) => ({ name }));
  return [...inside.files, ...names].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A CRD manifest in a version that is read; the problem is upstream's text. */
export function loadCrd(manifest: FirstObject, fileName: string): Result<LoadedCrd, LoadProblem> {
  const { object, place, locate } = manifest;
  const { group, version } = kindOf(object);
  if (group !== "apiextensions.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return failed({ message: `unsupported CRD version ${textMember(object, "apiVersion")} for ${fileName}`, place });
  if (version === "v1beta1") return done({ object, version, place, locate });
  const typed = readTyped("ext.CustomResourceDefinition", asRead("ext.CustomResourceDefinition", manifest), "folded");
  if (typed.ok) return done({ object: typed.value, version, place, locate });
  return failed({
    message: `unable to parse CRD ${fileName}: error unmarshaling JSON: while decoding JSON: ${typed.problem.message}`,
    place: locate(typed.problem.pointer),
  });
}

/** The manifest as Go hands it to a type: texts where YAML has numbers. */
function asRead(struct: string, { object, format }: FirstObject): JsonObject {
  const value = format === "yaml" ? yamlTexts(struct, object) : object;
  return isJsonObject(value) ? value : object;
}

type Annotations = Pick<LoadedBundle, "packageName" | "channels" | "defaultChannel">;

function readAnnotations(files: BundleDirectory, root: string): Result<Annotations, LoadProblem> {
  const file = files.files.find(({ path }) => path === "metadata/annotations.yaml");
  if (file === undefined) return done({ packageName: "", channels: [""], defaultChannel: "" });
  const refuse = (message: string, place: Place): Result<never, LoadProblem> =>
    failed({ message: `unable to load the annotations file ${root}/${file.path}: ${message}`, place });
  const document = firstDocument(file);
  if (!document.ok)
    return refuse(`error converting YAML to JSON: yaml: ${document.problem.message}`, document.problem.place);
  const value = document.value?.value ?? {};
  if (!isJsonObject(value)) return refuse("error unmarshaling JSON: it is no object", { file: file.path, line: 1 });
  const given: JsonValue = foldedMember(value, "annotations") ?? {};
  if (!isJsonObject(given)) return refuse("error unmarshaling JSON: annotations is no object", { file: file.path });
  const text = (name: string): string => {
    const held = scalarText(member(given, `operators.operatorframework.io.bundle.${name}.v1`) ?? "");
    return typeof held === "string" ? held : "";
  };
  const channels = text("channels");
  return done({
    packageName: text("package"),
    channels: channels.split(","),
    defaultChannel: text("channel.default"),
  });
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
