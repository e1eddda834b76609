import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { documentsOf, goJson, looksLikeJson, type PlacedDocument } from "@purser/kubernetes/text/documents";
import type { BundleFile } from "../bundle-files.ts";
import { textOf } from "../bundle-paths.ts";
import { asUnstructured } from "../unstructured.ts";

export interface FirstDocumentProblem {
  readonly message: string;
  /** All that Go's decoder says, where that is more. */
  readonly goText?: string;
  readonly place: Place;
}

/** The first document of a file, as Kubernetes' stream decoder hands it out; undefined when it has no content. */
export function firstDocument(file: BundleFile): Result<PlacedDocument | undefined, FirstDocumentProblem> {
  for (const read of documentsOf(textOf(file), { file: file.path, keepEmpty: true })) {
    if (!read.ok) {
      const { message, place, goText } = read.problem;
      return failed({ message, place, ...(goText === undefined ? {} : { goText }) });
    }
    return done(read.value.value === null ? undefined : read.value);
  }
  return failed({ message: "EOF", place: { file: file.path, line: 1 } });
}

export interface FirstObject {
  readonly object: JsonObject;
  readonly place: Place;
  readonly locate: (pointer: string) => Place;
  readonly format: "json" | "yaml";
}

/** The Kubernetes object of a file's first document; undefined for a document without content. */
export function firstObject(file: BundleFile): Result<FirstObject | undefined, FirstDocumentProblem> {
  const document = firstDocument(file);
  if (!document.ok) {
    const { message, goText, place } = document.problem;
    const isYaml = message !== "EOF" && !looksLikeJson(textOf(file));
    return failed({ message: goText ?? (isYaml ? `error converting YAML to JSON: yaml: ${message}` : message), place });
  }
  if (document.value === undefined) return done(undefined);
  const { value: found } = document;
  const { value, place } = found;
  const decoding = found.format === "json" ? "" : "error unmarshaling JSON: while decoding JSON: ";
  if (!isJsonObject(value))
    return failed({
      message: `${decoding}json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value of type struct`,
      place,
    });
  if (kindOf(value).kind === "") {
    const shown = found.format === "json" ? textOf(file).trim() : goJson(value);
    return failed({ message: `${decoding}Object 'Kind' is missing in '${shown}'`, place });
  }
  return done({
    object: asUnstructured(value),
    place,
    locate: (pointer) => found.locate(pointer),
    format: found.format,
  });
}

/** A member by name in any case of letters, as Go's own decoder finds it. The last of several in sorted order counts. */
export function foldedMember(object: JsonObject, name: string): JsonValue | undefined {
  const wanted = name.toLowerCase();
  const keys = Object.keys(object).filter((key) => key.toLowerCase() === wanted);
  if (keys.length < 2) return keys[0] === undefined ? undefined : member(object, keys[0]);
  const values = keys.toSorted().map((key) => member(object, key));
  return values.findLast((value) => value !== null) ?? null;
}

/** Group, version and kind of an object; kind is "" when its apiVersion is none, as upstream sees it then. */
export function kindOf(object: JsonObject): {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
} {
  const apiVersion = textMember(object, "apiVersion");
  const parts = apiVersion.split("/");
  const kind = textMember(object, "kind");
  if (parts.length > 2) return { group: "", version: "", kind: "" };
  const [first = "", second] = parts;
  return second === undefined ? { group: "", version: first, kind } : { group: first, version: second, kind };
}

export function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
}

export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

export function listMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}

export function nameOf(object: JsonObject): string {
  return textMember(objectMember(object, "metadata"), "name");
}
