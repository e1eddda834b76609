import type { Refused } from "./refusal.ts";
import { badRequest, unexplained } from "./refusal.ts";

/** The parts of a request path, whether they exist or not. */
export type RequestPath =
  | {
      readonly kind: "resource";
      readonly group: string;
      readonly version: string;
      readonly namespace?: string;
      readonly plural: string;
      readonly name?: string;
      readonly subresource?: string;
      /** The deprecated `/watch/` prefix. */
      readonly watchPrefix: boolean;
    }
  | { readonly kind: "nonResource"; readonly path: string }
  /** `watch` and `proxy` without a resource. */
  | { readonly kind: "undetermined" }
  /** Invalid percent-encoding. */
  | { readonly kind: "malformed" };

export type ResourcePath = Extract<RequestPath, { readonly kind: "resource" }>;

/** Whether every percent sign begins an encoded byte; invalid UTF-8 is accepted. */
export function isDecodable(path: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(path);
}

const decoder = new TextDecoder();

/** Decoded before it is split, as in Go's servers: an encoded slash separates. */
function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    const bytes = path.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  }
}

const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);
const specialVerbs: ReadonlySet<string> = new Set(["watch", "proxy"]);

/**
 * Parses a path like kube-apiserver's RequestInfo: `/api/V/...` and `/apis/G/V/...` are resources, `namespaces/NS/...`
 * is their scope, except for subresources of namespaces. An empty segment yields an empty resource, which does not
 * exist.
 */
export function parseRequestPath(path: string): RequestPath {
  if (!isDecodable(path)) return { kind: "malformed" };
  const whole = decoded(path);
  const segments = whole.replace(/^\/+|\/+$/g, "").split("/");
  const core = segments[0] === "api";
  const start = core ? 2 : 3;
  const isResource = (core || (segments[0] === "apis" && segments[1] !== "")) && segments.length > start;
  if (!isResource || whole.startsWith("//")) return { kind: "nonResource", path };
  const group = core ? "" : (segments[1] ?? "");
  const version = segments[start - 1] ?? "";
  let rest = segments.slice(start);
  if (rest.length === 1 && specialVerbs.has(rest[0] ?? "")) return { kind: "undetermined" };
  const watchPrefix = rest[0] === "watch" && rest.length > 1;
  if (watchPrefix) rest = rest.slice(1);
  let namespace: string | undefined;
  if (rest[0] === "namespaces" && rest.length > 2 && !(rest.length === 3 && namespaceSubresources.has(rest[2] ?? ""))) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [plural = "", name, ...subresource] = rest;
  return {
    kind: "resource",
    group,
    version,
    plural: name === "" ? "" : plural,
    watchPrefix,
    // An empty namespace means all namespaces.
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join("/") }),
  };
}

/** Why a name cannot be a segment of a storage key. */
function segmentProblem(name: string): string | undefined {
  if (name === "." || name === "..") return `may not be '${name}'`;
  return name.includes("%") ? "may not contain '%'" : undefined;
}

/** Refuses names and namespaces that no object can have; `keyPrefix` is the storage prefix of the kind. */
export function nameProblem(keyPrefix: string, { namespace, name }: ResourcePath): Refused | undefined {
  const why = name === undefined ? undefined : segmentProblem(name);
  if (why !== undefined) return badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
  if (namespace !== "." && namespace !== "..") return undefined;
  return unexplained(`invalid key: "${keyPrefix}/${namespace}${name === undefined ? "" : `/${name}`}"`);
}
