import { isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { readDocuments, readYaml } from "../text/documents.ts";
import type { BundleFiles } from "./bundle-files.ts";
import { directory, textOf } from "./bundle-paths.ts";
import { asUnstructured } from "./unstructured.ts";

/** A bundle as OLM v0 unpacks it: the first document of each manifest file that decodes to a Kubernetes object. */
export interface UnpackedBundle {
  /** The bundle annotations that upstream keeps on the ConfigMap it unpacks into. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys of that ConfigMap, in order. */
  readonly keys: readonly string[];
  /** All objects in key order, the CSV among them. */
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

/** Reads a bundle's files as upstream's extractor and loader do, without the ConfigMap between them. */
export function unpackBundle(files: BundleFiles): Result<UnpackedBundle, UnpackProblem> {
  const folders = ["manifests/", "metadata/"].map((folder) => ({ folder, ...directory(files, folder) }));
  let annotations: Readonly<Record<string, string>> = {};
  const texts = new Map<string, string>();
  for (const { folder, exists, files: inside } of folders) {
    if (!exists) return failed({ stage: "extract", message: `open ${folder}: no such file or directory` });
    for (const { name, file } of inside) {
      if (name === "annotations.yaml") {
        const read = readAnnotations(textOf(file), file.path);
        if (!read.ok) return failed({ stage: "extract", message: read.problem });
        annotations = read.value;
      } else {
        texts.set(name.replaceAll(/[^-._a-zA-Z0-9]/g, "~"), textOf(file));
      }
    }
  }
  const keys = [...texts.keys()].toSorted();
  const objects: JsonObject[] = [];
  for (const key of keys) {
    const read = firstObject(texts.get(key) ?? "");
    if (read === "comments") {
      return failed({ stage: "load", message: `could not infer GVK for object: ${key} holds only comments` });
    }
    if (read !== undefined) objects.push(read);
  }
  const csv = objects.findLast((object) => object["kind"] === "ClusterServiceVersion");
  return done({ annotations, keys, objects, ...(csv === undefined ? {} : { csv }) });
}

function readAnnotations(text: string, file: string): Result<Readonly<Record<string, string>>, string> {
  const read = readYaml(text, file);
  if (!read.ok) return failed(read.problem.message);
  const given: JsonValue | undefined = isJsonObject(read.value) ? member(read.value, "annotations") : undefined;
  const kept = annotationNames.map((name): [string, string] => {
    const value = isJsonObject(given) ? member(given, name) : undefined;
    return [name, typeof value === "string" ? value : ""];
  });
  return done({ ...Object.fromEntries(kept), "olm.contentEncoding": "gzip+base64" });
}

/** What upstream's decoder makes of one value of the ConfigMap: nothing when it is no Kubernetes object. */
function firstObject(text: string): JsonObject | "comments" | undefined {
  const read = readDocuments(text, {});
  const first = read.ok ? read.value[0]?.value : undefined;
  if (first === undefined || first === null) {
    return read.ok && /^\s*#/m.test(text) && /^(\s*(#.*)?\n?)*$/.test(text) ? "comments" : undefined;
  }
  if (!isJsonObject(first)) return undefined;
  const kind = first["kind"];
  return typeof kind === "string" && kind !== "" ? asUnstructured(first) : undefined;
}
