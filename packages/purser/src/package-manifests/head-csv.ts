import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { setMember } from "@purser/kubernetes/text/documents";
import { formatVersion, parseTolerantVersion } from "@purser/kubernetes/version";
import type { AppLink, CSVDescription } from "../apis/v0/package-manifest.ts";
import { csvShape, installModes, link, maintainers, nativeApis } from "../catalog/schemas/blob-shapes.ts";
import { buildGo, type GoWriter } from "../catalog/schemas/go-encode.ts";
import { fieldOf, itemsOf, list, map, misfit, struct, text, textOf } from "../catalog/schemas/go-shape.ts";

/** What a PackageManifest shows of the ClusterServiceVersion at the head of a channel. */
export interface HeadCsv {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly provider: AppLink;
  readonly spec: JsonObject;
}

/**
 * Reads the JSON of a ClusterServiceVersion as OLM's package server decodes it; undefined when it does not: there is
 * none, it is no JSON, a field has another type, or `spec.version` is no version.
 */
export function readHeadCsv(csvJson: string): HeadCsv | undefined {
  const csv = parsed(csvJson);
  if (csv === undefined || misfit(csv, csvShape) !== undefined) return undefined;
  const spec = objectIn(csv, "spec");
  if (versionIn(spec) === undefined) return undefined;
  const metadata = objectIn(csv, "metadata");
  const textsIn = (name: string): Readonly<Record<string, string>> =>
    buildGo(objectIn(metadata, name), map(text), asValue) as Readonly<Record<string, string>>;
  return {
    name: textOf(metadata, "name"),
    labels: textsIn("labels"),
    annotations: textsIn("annotations"),
    provider: buildGo(fieldOf(spec, "provider"), link, asValue) as AppLink,
    spec,
  };
}

/** The description of a channel's head, its icon included. */
export function describe({ annotations, spec }: HeadCsv): CSVDescription {
  const described = {
    ...spec,
    version: versionIn(spec) ?? "",
    annotations,
    nativeApis: fieldOf(spec, "nativeAPIs") ?? null,
    relatedImages: relatedImages(spec),
  };
  return buildGo(described, descriptionShape, asValue) as unknown as CSVDescription;
}

function parsed(csvJson: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(csvJson);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = fieldOf(object, name);
  return isJsonObject(value) ? value : {};
}

/** The version in full: `v1.2` is `1.2.0`, a missing one `0.0.0`; undefined for other text. */
function versionIn(spec: JsonObject): string | undefined {
  const given = fieldOf(spec, "version");
  if (given === undefined || given === null) return "0.0.0";
  const version = typeof given === "string" ? parseTolerantVersion(given) : undefined;
  return version?.ok === true ? formatVersion(version.value) : undefined;
}

function relatedImages(spec: JsonObject): readonly string[] {
  const objects = (parent: JsonObject, name: string): readonly JsonObject[] =>
    itemsOf(parent, name).filter(isJsonObject);
  const deployments = objects(objectIn(objectIn(spec, "install"), "spec"), "deployments");
  const containers = deployments.flatMap((deployment) =>
    objects(objectIn(objectIn(objectIn(deployment, "spec"), "template"), "spec"), "containers"),
  );
  return [...new Set([...containers, ...objects(spec, "relatedImages")].map((named) => textOf(named, "image")))];
}

/** Builds values instead of text. */
const asValue: GoWriter<JsonValue> = {
  raw: (value) => value,
  written: (json) => JSON.parse(json) as JsonValue,
  list: (items) => items,
  object(members) {
    const object: Record<string, JsonValue> = {};
    for (const [name, value] of members) setMember(object, name, value);
    return object;
  },
};

const named = { name: text, version: text, kind: text, displayName: text, description: text };
const crds = list(struct("v1alpha1.CRDDescription", named, ["name", "version", "kind"]));
const apis = list(
  struct("v1alpha1.APIServiceDescription", { ...named, group: text }, ["name", "group", "version", "kind"]),
);

const descriptionShape = struct(
  "v1.CSVDescription",
  {
    displayName: text,
    icon: list(struct("v1.Icon", { base64data: text, mediatype: text })),
    version: text,
    provider: link,
    annotations: map(text),
    keywords: list(text),
    links: list(link),
    maintainers,
    maturity: text,
    description: text,
    installModes,
    customresourcedefinitions: struct("v1.CustomResourceDefinitions", { owned: crds, required: crds }),
    apiservicedefinitions: struct("v1.APIServiceDefinitions", { owned: apis, required: apis }),
    nativeApis,
    minKubeVersion: text,
    relatedImages: list(text),
  },
  ["version"],
);
