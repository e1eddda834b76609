import { digitsOf, isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { documentsOf, readYaml } from "@purser/kubernetes/text/documents";
import type { BundleFiles } from "./bundle-files.ts";
import { listDirectory, textOf } from "./bundle-paths.ts";
import { foldedMember } from "./directory/first-object.ts";
import { asUnstructured } from "./unstructured.ts";

/** A bundle as OLM v0 unpacks it: the first document of each manifest file that decodes to a Kubernetes object. */
export interface UnpackedBundle {
  /** The bundle annotations that upstream keeps on the ConfigMap it unpacks into. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys of that ConfigMap, in order. */
  readonly keys: readonly string[];
  /** All objects in key order, the CSV among them; `{}` where a file holds null or nothing but comments. */
  readonly objects: readonly JsonObject[];
  /** The last object of kind ClusterServiceVersion. */
  readonly csv?: JsonObject;
}

export interface UnpackProblem {
  readonly stage: "extract" | "load";
  /** Upstream's text. */
  readonly message: string;
}

const annotationNames = ["manifests", "mediatype", "metadata", "package", "channels", "channel.default"].map(
  (name) => `operators.operatorframework.io.bundle.${name}.v1`,
);

/** Upstream writes it in any case, also without `annotations.yaml`. */
export const encodingAnnotation = { "olm.contentEncoding": "gzip+base64" };

/** Reads a bundle's files as upstream's extractor and loader do, without the ConfigMap between them. */
export function unpackBundle(files: BundleFiles): Result<UnpackedBundle, UnpackProblem> {
  const directories = ["manifests/", "metadata/"].map((directory) => ({
    directory,
    ...listDirectory(files, directory),
  }));
  let annotations: Readonly<Record<string, string>> = encodingAnnotation;
  const texts = new Map<string, string>();
  for (const { directory, exists, files: inside, directories: subdirectories } of directories) {
    const [nested] = subdirectories;
    if (nested !== undefined)
      return failed({ stage: "extract", message: `read ${directory}${nested}: is a directory` });
    if (!exists) return failed({ stage: "extract", message: `open ${directory}: no such file or directory` });
    for (const { name, file } of inside) {
      if (name === "annotations.yaml") {
        const read = readAnnotations(textOf(file), file.path);
        if (!read.ok) return failed({ stage: "extract", message: read.problem });
        annotations = read.value;
      } else {
        // Files whose names become equal overwrite each other, as keys of the ConfigMap do.
        texts.set(name.replaceAll(/[^-._a-zA-Z0-9]/gu, "-"), textOf(file));
      }
    }
  }
  return done({ annotations, keys: [...texts.keys()].toSorted(), ...objectsOfTexts(texts) });
}

/**
 * The objects of manifests as upstream's loader reads them from its ConfigMap, in the order of their keys; the CSV is the
 * last object of its kind. Manifests that are no Kubernetes objects are left out.
 */
export function objectsOfTexts(texts: ReadonlyMap<string, string>): Pick<UnpackedBundle, "objects" | "csv"> {
  const objects = [...texts.keys()].toSorted().flatMap((key): readonly JsonObject[] => {
    const object = firstObject(texts.get(key) ?? "");
    return object === undefined ? [] : [object];
  });
  const csv = objects.findLast((object) => object["kind"] === "ClusterServiceVersion");
  return { objects, ...(csv === undefined ? {} : { csv }) };
}

/** As Go reads the file into a struct of strings: keys in any case, scalars as texts, anything else is refused. */
function readAnnotations(text: string, file: string): Result<Readonly<Record<string, string>>, string> {
  const read = readYaml(text, file);
  if (!read.ok) return failed(`error converting YAML to JSON: yaml: ${read.problem.message}`);
  const mismatch = (value: JsonValue, place: string) =>
    failed(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into ${place}`);
  if (read.value !== null && !isJsonObject(read.value)) return mismatch(read.value, "a map");
  const given = foldedMember(read.value ?? {}, "annotations") ?? null;
  if (given !== null && !isJsonObject(given)) return mismatch(given, "annotations");
  const kept: Record<string, string> = {};
  for (const name of annotationNames) {
    const value = foldedMember(given ?? {}, name) ?? null;
    const digits = digitsOf(value);
    if (digits !== undefined) kept[name] = digits;
    else if (value === null) kept[name] = "";
    else if (typeof value === "object") return mismatch(value, name);
    else kept[name] = String(value);
  }
  return done({ ...kept, ...encodingAnnotation });
}

function jsonKind(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * What upstream's decoder makes of one value of the ConfigMap: undefined when it is no Kubernetes object and skipped, an
 * empty object when the first document is null (comments only, blank lines), of which no step can be made.
 */
function firstObject(text: string): JsonObject | undefined {
  for (const document of documentsOf(text, { keepEmpty: true })) {
    if (!document.ok) return undefined;
    const { value } = document.value;
    if (value === null) return {};
    if (!isJsonObject(value)) return undefined;
    const { apiVersion, kind } = value;
    const isGroupVersion = typeof apiVersion !== "string" || apiVersion.split("/").length <= 2;
    return isGroupVersion && typeof kind === "string" && kind !== "" ? asUnstructured(value) : undefined;
  }
  return undefined;
}
