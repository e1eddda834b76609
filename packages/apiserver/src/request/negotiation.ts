import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Refused } from "./refusal.ts";
import { notAcceptable, notProduced } from "./refusal.ts";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";

export type Encoding = "json" | "yaml";

/** The conversion that a `meta.k8s.io` Accept parameter requests. */
export type Shape = "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

export interface Representation {
  readonly encoding: Encoding;
  readonly shape: Shape;
  /** `v1` or `v1beta1` of `meta.k8s.io`. */
  readonly shapeVersion: string;
}

const plainJson: Representation = { encoding: "json", shape: "object", shapeVersion: "v1" };

/** The representations that one path and method support. */
export interface Endpoint {
  /** Paths of built-in kinds check media types before anything else; for custom resources their handler does. */
  readonly routed: boolean;
  /** Its path also answers watches. */
  readonly streams?: boolean;
  /** Table is supported for kinds with columns, PartialObjectMetadata for all objects, neither for documents. */
  readonly shapes: "tables" | "metadata" | "none";
}

const anyObject: Endpoint = { routed: true, shapes: "tables" };

/** One clause of an Accept header. */
interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const cache = new Map<string, readonly MediaType[]>();
const clausesRead = 32;

function parseClause(clause: string): MediaType | undefined {
  const [range = "", ...rest] = clause.trim().split(";");
  const [type = "", subtype, more] = range.split("/").map((part) => part.trim());
  if (more !== undefined || (subtype === undefined && type !== "*")) return undefined;
  let quality = 1;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [name = "", value = "", excess] = part.split("=").map((text) => text.trim());
    if (value === "" || excess !== undefined) continue;
    if (name === "q") quality = Number(value) || 0;
    else parameters.set(name, value);
  }
  return { type, subtype: subtype ?? "*", quality, parameters };
}

function precedes(a: MediaType, b: MediaType): boolean {
  return a.quality > b.quality || (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}

/** The clauses of an Accept header in kube-apiserver's order: an insertion sort with its comparison. */
function parseAccept(header: string): readonly MediaType[] {
  const known = cache.get(header);
  if (known !== undefined) return known;
  const clauses: MediaType[] = [];
  for (const text of header.split(",").slice(0, clausesRead)) {
    const clause = parseClause(text);
    if (clause === undefined) continue;
    let at = clauses.length;
    for (let before = clauses[at - 1]; before !== undefined && precedes(clause, before); before = clauses[at - 1]) at--;
    clauses.splice(at, 0, clause);
  }
  if (cache.size > 200) cache.clear();
  cache.set(header, clauses);
  return clauses;
}

/** The conversion requested by the parameters `as`, `g` and `v`. */
interface Conversion {
  readonly as: string;
  readonly group: string;
  readonly version: string;
}

function conversionOf(parameters: ReadonlyMap<string, string>): Conversion | undefined {
  const [as, group, version] = [parameters.get("as"), parameters.get("g"), parameters.get("v")];
  if (as === undefined && group === undefined && version === undefined) return undefined;
  return { as: as ?? "", group: group ?? "", version: version ?? "" };
}

interface Chosen {
  readonly encoding: Encoding;
  readonly conversion: Conversion | undefined;
}

const encodings: readonly Encoding[] = ["json", "yaml"];

/** The first supported clause. Protobuf is never supported: the next clause is used instead. */
function choose(
  accept: string | undefined,
  allows: (conversion: Conversion | undefined) => boolean,
): Chosen | undefined {
  if (accept === undefined || accept === "") return { encoding: "json", conversion: undefined };
  for (const { type, subtype, parameters } of parseAccept(accept))
    for (const encoding of encodings) {
      const offered =
        type === "*" ? subtype === "*" : type === "application" && (subtype === "*" || subtype === encoding);
      if (!offered || !streamsAs(parameters.get("stream"), encoding)) continue;
      const conversion = conversionOf(parameters);
      if (allows(conversion)) return { encoding, conversion };
    }
  return undefined;
}

function streamsAs(stream: string | undefined, encoding: Encoding): boolean {
  return stream === undefined || (stream === "watch" && encoding === "json");
}

const shapes: ReadonlySet<string> = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

function isShape(name: string): name is Exclude<Shape, "object"> {
  return shapes.has(name);
}

function shapeIn(endpoint: Endpoint, { as, group, version }: Conversion): Shape | undefined {
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1") || !isShape(as)) return undefined;
  if (endpoint.shapes === "none" || (as === "Table" && endpoint.shapes !== "tables")) return undefined;
  return as;
}

const offered = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const streamed = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** Whether a route produces a requested media type; parameters are ignored. */
function isProduced(accept: string | undefined, produced: readonly string[]): boolean {
  if (accept === undefined || accept === "") return true;
  return accept.split(",").some((clause) => {
    const type = (clause.split(";")[0] ?? "").trim();
    return type === "*/*" || produced.includes(type);
  });
}

function onlyOffered(types: readonly string[]): Refused {
  return notAcceptable(`only the following media types are accepted: ${types.join(", ")}`);
}

/** Chooses the representation of an object or a list. */
export function negotiate(
  accept: string | undefined,
  endpoint: Endpoint = anyObject,
): Result<Representation, ApiStatus> {
  if (accept === "application/json") return done(plainJson);
  const produced = endpoint.streams === true ? [...offered, ...streamed] : offered;
  if (endpoint.routed && !isProduced(accept, produced)) return notProduced(produced);
  const chosen = choose(
    accept,
    (conversion) => conversion === undefined || shapeIn(endpoint, conversion) !== undefined,
  );
  if (chosen === undefined) return onlyOffered(offered);
  const { encoding, conversion } = chosen;
  if (conversion === undefined) return done({ ...plainJson, encoding });
  return done({ encoding, shape: shapeIn(endpoint, conversion) ?? "object", shapeVersion: conversion.version });
}

/** Watches stream JSON only. */
export function negotiateWatch(accept: string | undefined, endpoint: Endpoint): Result<Representation, ApiStatus> {
  const chosen = negotiate(accept, endpoint);
  return chosen.ok && chosen.value.encoding !== "json" ? onlyOffered(streamed) : chosen;
}

/**
 * Negotiation for a document with a single representation.
 * @returns a refusal when it is not acceptable
 */
export function negotiateOnly(accept: string | undefined, type: string): Refused | undefined {
  return isProduced(accept, [type]) ? undefined : notProduced([type]);
}

/** Encoding of a refusal, whatever the representation of the response would be. */
export function refusalEncoding(accept: string | undefined): Encoding {
  return choose(accept, (conversion) => conversion === undefined)?.encoding ?? "json";
}

/** Whether JSON is acceptable, in any shape. */
export function acceptsJson(accept: string | undefined): boolean {
  return choose(accept, () => true)?.encoding === "json";
}

/** The aggregated representation of a discovery document; undefined for the ordinary ones. */
export function negotiateDiscovery(accept: string | undefined): Encoding | undefined {
  if (accept === undefined || accept === "") return undefined;
  return choose(
    accept,
    (conversion) =>
      conversion?.as === "APIGroupDiscoveryList" &&
      conversion.group === "apidiscovery.k8s.io" &&
      conversion.version === "v2",
  )?.encoding;
}
