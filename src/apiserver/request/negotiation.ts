import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { Refused } from "./refusal.ts";
import { notAcceptable } from "./refusal.ts";
import type { ApiStatus } from "../../apis/object-write.ts";

export type Encoding = "json" | "yaml";

/** What a `meta.k8s.io` Accept parameter asks an object to be turned into. */
export type Shape = "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

export interface Representation {
  readonly encoding: Encoding;
  readonly shape: Shape;
  /** `v1` or `v1beta1` of `meta.k8s.io`. */
  readonly shapeVersion: string;
}

export const plainJson: Representation = { encoding: "json", shape: "object", shapeVersion: "v1" };

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const cache = new Map<string, readonly MediaType[]>();

/** The clauses of an Accept header, best quality first. */
export function parseAccept(header: string): readonly MediaType[] {
  const known = cache.get(header);
  if (known !== undefined) return known;
  const clauses = header
    .split(",")
    .slice(0, 32)
    .map((clause) => {
      const [type = "", ...rest] = clause.split(";").map((part) => part.trim());
      const parameters = new Map(
        rest.map((part) => {
          const equals = part.indexOf("=");
          return equals < 0
            ? ([part, ""] as const)
            : ([part.slice(0, equals).trim(), part.slice(equals + 1).trim()] as const);
        }),
      );
      return { type: type.toLowerCase(), parameters };
    })
    .filter(({ type }) => type !== "");
  const quality = ({ parameters }: MediaType): number => Number(parameters.get("q") ?? "1") || 0;
  const sorted = clauses.toSorted((a, b) => quality(b) - quality(a));
  if (cache.size > 200) cache.clear();
  cache.set(header, sorted);
  return sorted;
}

const shapes: ReadonlySet<string> = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

const available = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

function shapeOf(parameters: ReadonlyMap<string, string>): { shape: Shape; shapeVersion: string } | undefined {
  const as = parameters.get("as");
  if (as === undefined) return { shape: "object", shapeVersion: "v1" };
  const version = parameters.get("v") ?? "";
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1") || !shapes.has(as))
    return undefined;
  return { shape: as as Shape, shapeVersion: version };
}

/** Chooses how an object or a list is answered. */
export function negotiate(accept: string | undefined): Result<Representation, ApiStatus> {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json")
    return done(plainJson);
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding =
      type === "application/json" || type === "*/*" ? "json" : type === "application/yaml" ? "yaml" : undefined;
    if (encoding === undefined) continue;
    const shape = shapeOf(parameters);
    if (shape !== undefined) return done({ encoding, ...shape });
  }
  return nothingAcceptable(accept);
}

function nothingAcceptable(accept: string): Refused {
  return parseAccept(accept).some(({ parameters }) => parameters.has("as"))
    ? notAcceptable(`only the following media types are accepted: ${available}`)
    : notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available}`);
}

/** Watches stream JSON only. */
export function negotiateWatch(accept: string | undefined): Result<Representation, ApiStatus> {
  const chosen = negotiate(accept);
  if (chosen.ok && chosen.value.encoding === "json") return chosen;
  if (accept !== undefined) {
    for (const { type, parameters } of parseAccept(accept)) {
      const shape = shapeOf(parameters);
      if ((type === "application/json" || type === "*/*") && shape !== undefined)
        return done({ encoding: "json", ...shape });
    }
  }
  return notAcceptable(
    "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
  );
}

/** Whether a refusal should be written in YAML. */
export function refusalEncoding(accept: string | undefined): Encoding {
  return accept !== undefined && parseAccept(accept)[0]?.type === "application/yaml" ? "yaml" : "json";
}

/** The first of the aggregated discovery forms that is acceptable, `legacy` when plain JSON comes first. */
export function negotiateDiscovery(accept: string | undefined): Result<"aggregated" | "legacy", ApiStatus> {
  if (accept === undefined) return done("legacy");
  for (const { type, parameters } of parseAccept(accept)) {
    const as = parameters.get("as");
    if (as === undefined) {
      if (type === "application/json" || type === "*/*" || type === "application/yaml") return done("legacy");
    } else if (
      type === "application/json" &&
      as === "APIGroupDiscoveryList" &&
      parameters.get("g") === "apidiscovery.k8s.io" &&
      parameters.get("v") === "v2"
    )
      return done("aggregated");
  }
  return nothingAcceptable(accept);
}
