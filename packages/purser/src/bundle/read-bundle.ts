import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { documentsOf, goJson, parseJson, readYaml } from "@purser/kubernetes/text/documents";
import { TextError } from "@purser/kubernetes/text/problem";
import { decoderKind } from "./api-types/decoder-words.ts";
import { readTyped } from "./api-types/read-typed.ts";
import type { BundleFile, BundleFiles } from "./bundle-files.ts";
import { listDirectory, textOf } from "./bundle-paths.ts";
import type { BundleManifest, BundleProblem, BundleProperty, RegistryBundle } from "./registry-bundle.ts";
import { escapeHtml } from "./escape-html.ts";
import { asUnstructured } from "./unstructured.ts";

const packageAnnotation = "operators.operatorframework.io.bundle.package.v1";
const propertiesAnnotation = "olm.properties";

/**
 * Reads a bundle as OLM v1 does: every document of every manifest counts, and any that cannot be read is a problem.
 * Problems come in the order in which upstream would meet them.
 */
export function readBundle(files: BundleFiles): Result<RegistryBundle, readonly BundleProblem[]> {
  const problems: BundleProblem[] = [];
  const report = (message: string, place?: Place) => {
    problems.push({ kind: "unreadable", message, ...(place === undefined ? {} : { place }) });
  };
  const metadata = listDirectory(files, "metadata/");
  const named = (name: string) => metadata.files.find((entry) => entry.name === name)?.file;
  const annotations = readAnnotations(named("annotations.yaml"), report);
  const manifests = readManifests(files, report);
  if (manifests === undefined) return failed(problems);
  const { csv: given, crds, others } = manifests;
  if (given === undefined) {
    if (problems.length === 0) report('no ClusterServiceVersion found in "manifests"');
    return failed(problems);
  }
  const properties = readProperties(given.object, named("properties.yaml"), report);
  const dependencies = readDependencies(named("dependencies.yaml"));
  if (problems.length > 0) return failed(problems);
  return done({
    digest: files.digest,
    packageName: annotations[packageAnnotation] ?? "",
    annotations,
    // Upstream rewrites the annotation only when there is something to add.
    csv: named("properties.yaml") === undefined ? given.object : withProperties(given.object, properties),
    crds,
    others,
    properties: properties ?? [],
    dependencies,
  });
}

type Report = (message: string, place?: Place) => void;

function readAnnotations(file: BundleFile | undefined, report: Report): Readonly<Record<string, string>> {
  if (file === undefined) {
    report("open metadata/annotations.yaml: file does not exist", { file: "metadata/annotations.yaml" });
    return {};
  }
  const read = readYaml(textOf(file), file.path);
  if (!read.ok) {
    report(`error converting YAML to JSON: yaml: ${read.problem.message}`, read.problem.place);
    return {};
  }
  const given = isJsonObject(read.value) ? member(read.value, "annotations") : undefined;
  if (!isJsonObject(given)) return {};
  const texts = Object.keys(given).flatMap((key): [string, string][] => {
    const value = member(given, key);
    return typeof value === "string" ? [[key, value]] : [];
  });
  return Object.fromEntries(texts);
}

interface Manifests {
  readonly csv: BundleManifest | undefined;
  readonly crds: readonly BundleManifest[];
  readonly others: readonly BundleManifest[];
}

/** @returns undefined when the directory itself is unusable */
function readManifests(files: BundleFiles, report: Report): Manifests | undefined {
  const manifests = listDirectory(files, "manifests/");
  if (!manifests.exists) {
    report("open manifests: file does not exist", { file: "manifests" });
    return undefined;
  }
  for (const directory of manifests.directories) {
    report(
      `subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/${directory}"`,
      { file: `manifests/${directory}` },
    );
  }
  let csv: BundleManifest | undefined;
  const crds: BundleManifest[] = [];
  const others: BundleManifest[] = [];
  for (const { file } of manifests.files) {
    for (const manifest of objectsOf(file, report)) {
      const kind = manifest.object["kind"];
      const type = kind === "ClusterServiceVersion" ? "csv.ClusterServiceVersion" : "ext.CustomResourceDefinition";
      if (kind !== "ClusterServiceVersion" && kind !== "CustomResourceDefinition") {
        others.push(manifest);
        continue;
      }
      const typed = readTyped(type, manifest.object);
      if (!typed.ok) {
        report(`error parsing objects in "${file.path}": ${typed.problem.message}`, {
          ...manifest.place,
          pointer: typed.problem.pointer,
        });
      } else if (kind === "ClusterServiceVersion") {
        csv = { ...manifest, object: typed.value };
      } else {
        crds.push({ ...manifest, object: typed.value });
      }
    }
  }
  return { csv, crds, others };
}

/** The objects of all documents of one file; the items of lists stand for their list. */
function objectsOf(file: BundleFile, report: Report): readonly BundleManifest[] {
  const refuse = (message: string, place: Place) =>
    report(`error parsing objects in "${file.path}": ${message}`, place);
  const objects: BundleManifest[] = [];
  const text = textOf(file);
  for (const document of documentsOf(text, { file: file.path })) {
    if (!document.ok) {
      const { message, place } = document.problem;
      refuse(`error parsing ${file.path}: error converting YAML to JSON: yaml: ${message}`, place);
      break;
    }
    const { value, place } = document.value;
    if (value === null) continue;
    const fault = faultOf(value, text);
    if (fault !== undefined) refuse(`unable to decode "${file.path}": ${fault}`, place);
    else if (isJsonObject(value)) objects.push(...flatten(asUnstructured(value), place));
  }
  return objects;
}

/** The error of Kubernetes' decoder of untyped objects about a document; undefined when it decodes. */
function faultOf(value: JsonValue, text: string): string | undefined {
  if (!isJsonObject(value))
    return `json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value of type map[string]interface {}`;
  const kind = member(value, "kind");
  if (typeof kind !== "string" || kind === "")
    return `Object 'Kind' is missing in '${text.trimStart().startsWith("{") ? text.trim() : goJson(value)}'`;
  const metadata = readTyped("ObjectMeta", member(value, "metadata") ?? {});
  if (metadata.ok) return undefined;
  return `metadata${metadata.problem.pointer.replaceAll("/", ".")}: ${metadata.problem.message}`;
}

function flatten(object: JsonObject, place: Place): readonly BundleManifest[] {
  const items = member(object, "items");
  const isList = typeof object["kind"] === "string" && object["kind"].endsWith("List") && Array.isArray(items);
  if (!isList) return [{ object, place }];
  return items.flatMap((item: JsonValue, i) =>
    isJsonObject(item) ? flatten(item, { ...place, pointer: `/items/${i}` }) : [],
  );
}

function asProperties(value: JsonValue | undefined): readonly BundleProperty[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const properties = value.map((item: JsonValue) => {
    const type = isJsonObject(item) ? member(item, "type") : undefined;
    return {
      type: typeof type === "string" ? type : "",
      value: isJsonObject(item) ? (member(item, "value") ?? null) : null,
    };
  });
  return properties;
}

/** @returns undefined when the bundle has none and the annotation stays as it is */
function readProperties(
  csv: JsonObject,
  file: BundleFile | undefined,
  report: Report,
): readonly BundleProperty[] | undefined {
  const text = annotationsOf(csv)[propertiesAnnotation];
  let held: readonly BundleProperty[] | undefined;
  if (text !== undefined) {
    const annotated = parseProperties(text);
    if (annotated.ok) {
      held = annotated.value;
    } else {
      report(`failed to unmarshal csv.metadata.annotations['olm.properties']: ${annotated.problem}`, {
        pointer: "/metadata/annotations/olm.properties",
      });
    }
  }
  if (file === undefined) return held;
  const read = readYaml(textOf(file), file.path);
  const value = read.ok ? read.value : undefined;
  const added = isJsonObject(value) ? asProperties(member(value, "properties")) : value === null ? [] : undefined;
  if (added === undefined) {
    const what = read.ok ? "no object with a list `properties`" : read.problem.message;
    report(`failed to unmarshal metadata/properties.yaml: error unmarshaling JSON: ${what}`, { file: file.path });
    return held;
  }
  return [...(held ?? []), ...added.map(({ type, value: given }) => ({ type, value: sortedMembers(given) }))];
}

function sortedMembers(value: JsonValue): JsonValue {
  return JSON.parse(goJson(value)) as JsonValue;
}

/** The properties that an annotation lists, or why Go's decoder refuses its text. */
function parseProperties(text: string): Result<readonly BundleProperty[], string> {
  try {
    const value = parseJson(text, false);
    const properties = asProperties(value);
    return properties === undefined
      ? failed(`json: cannot unmarshal ${decoderKind(value)} into Go value of type []property.Property`)
      : done(properties);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return failed(error.message);
  }
}

function readDependencies(file: BundleFile | undefined): readonly BundleProperty[] {
  if (file === undefined) return [];
  const read = readYaml(textOf(file), file.path);
  const value = read.ok && isJsonObject(read.value) ? member(read.value, "dependencies") : undefined;
  return asProperties(value) ?? [];
}

function annotationsOf(csv: JsonObject): Readonly<Record<string, string>> {
  const metadata = member(csv, "metadata");
  const annotations = isJsonObject(metadata) ? member(metadata, "annotations") : undefined;
  return isJsonObject(annotations) ? (annotations as Readonly<Record<string, string>>) : {};
}

function withProperties(csv: JsonObject, properties: readonly BundleProperty[] | undefined): JsonObject {
  if (properties === undefined || properties.length === 0) return csv;
  // Members keep their order here, unlike in anything that went through YAML.
  const list = properties.map(
    ({ type, value }) => `{"type":${goJson(type)},"value":${escapeHtml(JSON.stringify(value))}}`,
  );
  const metadata = member(csv, "metadata");
  const annotations = { ...annotationsOf(csv), [propertiesAnnotation]: `[${list.join(",")}]` };
  return { ...csv, metadata: { ...(isJsonObject(metadata) ? metadata : {}), annotations } };
}
