import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { namePrinter } from "../printing/printer.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Endpoint, Representation } from "../request/negotiation.ts";
import type { Query } from "../request/query.ts";
import { badRequest, notAcceptable, unexplained } from "../request/refusal.ts";

/** What can be asked of the paths of a kind; `streams`: of the one that also answers watches. */
export function endpointOf(kind: ServedKind, streams = false): Endpoint {
  return { routed: kind.custom === undefined, streams, shapes: kind.stored ? "tables" : "metadata" };
}

type Include = "None" | "Metadata" | "Object";

/** How the objects of one answer are shown. */
export interface Shaping {
  readonly representation: Representation;
  readonly include: Include;
}

export function shaping(representation: Representation, query: Query): Result<Shaping, ApiStatus> {
  const include = query.get("includeObject") ?? "";
  if (representation.shape === "Table" && !["", "None", "Metadata", "Object"].includes(include))
    return badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  return done({ representation, include: include === "None" || include === "Object" ? include : "Metadata" });
}

function goType(kind: ServedKind): string {
  const group = kind.type.group === "" ? "core" : (kind.type.group.split(".")[0] ?? "");
  return kind.custom === undefined ? `*${group}.${kind.type.kind}` : "*unstructured.Unstructured";
}

function partialMetadata(object: KubeObject, version = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: asJson(object)["metadata"] ?? {},
  };
}

function tableHead(kind: ServedKind, version: string, metadata: JsonObject, columns: boolean): JsonObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columns ? (kind.printer.columns as unknown as JsonValue) : null,
  };
}

function tableRow(kind: ServedKind, object: KubeObject, { include, representation }: Shaping, now: number): JsonObject {
  const { cells, conditions } = kind.printer.row(object, now);
  const held =
    include === "None"
      ? null
      : include === "Object"
        ? asJson(object)
        : partialMetadata(object, representation.shapeVersion);
  return { cells, ...(conditions === undefined ? {} : { conditions }), object: held };
}

/** One object as GET and writes answer it. `columns`: with column definitions, in a Table. */
export function shapeObject(
  kind: ServedKind,
  object: KubeObject,
  shaping: Shaping,
  now: number,
  columns = true,
): Result<JsonObject, ApiStatus> {
  const { shape, shapeVersion } = shaping.representation;
  switch (shape) {
    case "object":
      return done(asJson(object));
    case "PartialObjectMetadata":
      return done(partialMetadata(object, shapeVersion));
    case "PartialObjectMetadataList":
      return kind.custom === undefined
        ? notAcceptable(
            `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(kind)})`,
          )
        : unexplained("content is not a list");
    case "Table": {
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      return done({
        ...tableHead(kind, shapeVersion, metadata, columns),
        rows: [tableRow(kind, object, shaping, now)],
      });
    }
  }
}

/** A list in another shape: its last member has as many items as the list, which are made one by one. */
export interface ShapedList {
  readonly head: JsonObject;
  /** Undefined: there are no items, and `head` is all. */
  readonly member: "items" | "rows" | undefined;
  readonly each: (object: KubeObject) => JsonObject;
}

/** How a list is shown in the shapes that differ from it; plain lists go out item by item. */
export function shapeList(
  kind: ServedKind,
  count: number,
  metadata: JsonObject,
  shaping: Shaping,
  now: number,
): Result<ShapedList | "plain", ApiStatus> {
  const { shape, shapeVersion } = shaping.representation;
  switch (shape) {
    case "object":
      return done("plain");
    case "PartialObjectMetadata":
      return notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (${goType(kind)}List)`,
      );
    case "PartialObjectMetadataList":
      return done({
        head: { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${shapeVersion}`, metadata },
        member: "items",
        each: (object) => partialMetadata(object, shapeVersion),
      });
    case "Table": {
      const head = tableHead(kind, shapeVersion, metadata, true);
      // Kinds without columns of their own have no list of rows until there is one.
      if (count === 0 && kind.printer === namePrinter)
        return done({ head: { ...head, rows: null }, member: undefined, each: asJson });
      return done({ head, member: "rows", each: (object) => tableRow(kind, object, shaping, now) });
    }
  }
}
