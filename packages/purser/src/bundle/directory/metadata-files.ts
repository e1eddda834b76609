import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import type { BundleFile, BundleFiles } from "../bundle-files.ts";
import { listDirectory } from "../bundle-paths.ts";
import { scalarText } from "../api-types/yaml-texts.ts";
import { firstDocument, foldedMember } from "./first-object.ts";

/** A property or dependency; the value is JSON text as Go keeps it, undefined when there is none. */
export interface RawProperty {
  readonly type: string;
  readonly value: string | undefined;
}

/** The annotations that say where a bundle belongs. */
export interface BundleAnnotations {
  readonly packageName: string;
  /** Comma-separated. */
  readonly channels: string;
  readonly defaultChannel: string;
}

export interface Metadata {
  readonly annotations?: BundleAnnotations;
  readonly dependencies: readonly RawProperty[];
  readonly properties: readonly RawProperty[];
}

/** What the files of `metadata/` say. The first file that holds something counts, whatever its name is. */
export function readMetadata(files: BundleFiles): Metadata {
  let annotations: BundleAnnotations | undefined;
  let dependencies: readonly RawProperty[] = [];
  let properties: readonly RawProperty[] = [];
  for (const { file } of listDirectory(files, "metadata/").files) {
    const read = readFile(file);
    if (read === undefined) continue;
    annotations ??= annotationsIn(read);
    if (dependencies.length === 0) dependencies = listIn(read, "dependencies");
    if (properties.length === 0) properties = listIn(read, "properties");
  }
  return { ...(annotations === undefined ? {} : { annotations }), dependencies, properties };
}

interface ReadFile {
  readonly object: JsonObject;
  readonly format: "json" | "yaml";
}

function readFile(file: BundleFile): ReadFile | undefined {
  const document = firstDocument(file);
  if (!document.ok || document.value === undefined || !isJsonObject(document.value.value)) return undefined;
  return { object: document.value.value, format: document.value.format };
}

const annotationNames = {
  packageName: "operators.operatorframework.io.bundle.package.v1",
  channels: "operators.operatorframework.io.bundle.channels.v1",
  defaultChannel: "operators.operatorframework.io.bundle.channel.default.v1",
} as const;

/**
 * Undefined when there are none, or when one of them is no text. A number stands for a text in JSON as well: upstream
 * reads JSON that does not fit as YAML.
 */
function annotationsIn({ object }: ReadFile): BundleAnnotations | undefined {
  const given = foldedMember(object, "annotations") ?? null;
  if (!isJsonObject(given)) return undefined;
  const read = { packageName: "", channels: "", defaultChannel: "" };
  for (const key of ["packageName", "channels", "defaultChannel"] as const) {
    const value = scalarText(foldedMember(given, annotationNames[key]) ?? "");
    if (typeof value !== "string") return undefined;
    read[key] = value;
  }
  return read.packageName + read.channels + read.defaultChannel === "" ? undefined : read;
}

/** Empty when the member is no list of properties: upstream passes over such a file. */
function listIn({ object, format }: ReadFile, name: string): readonly RawProperty[] {
  const given = foldedMember(object, name);
  if (!Array.isArray(given)) return [];
  return rawProperties(given, format === "json" ? (value) => JSON.stringify(value) : goJson) ?? [];
}

/** Properties of a JSON list; undefined when one is no object or its type no text. */
function rawProperties(
  items: readonly JsonValue[],
  write: (value: JsonValue) => string,
): readonly RawProperty[] | undefined {
  const read: RawProperty[] = [];
  for (const item of items) {
    if (item !== null && !isJsonObject(item)) return undefined;
    const given = item ?? {};
    const type = foldedMember(given, "type") ?? "";
    if (typeof type !== "string") return undefined;
    const value = foldedMember(given, "value");
    read.push({ type, value: value === undefined ? undefined : write(value) });
  }
  return read;
}

/** Properties of the CSV's annotation `olm.properties`; a text that cannot be read is passed over, as upstream does. */
export function annotatedProperties(csv: JsonObject): readonly RawProperty[] {
  const metadata = member(csv, "metadata");
  const annotations = isJsonObject(metadata) ? member(metadata, "annotations") : undefined;
  const text = isJsonObject(annotations) ? member(annotations, "olm.properties") : undefined;
  if (typeof text !== "string") return [];
  try {
    const value = JSON.parse(text) as JsonValue;
    return Array.isArray(value) ? (rawProperties(value, (item) => JSON.stringify(item)) ?? []) : [];
  } catch {
    return [];
  }
}
