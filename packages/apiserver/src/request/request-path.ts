import type { Refused } from "./refusal.ts";
import { badRequest, unexplained } from "./refusal.ts";

/** What a path names, before anyone asks whether it exists. */
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
  /** `watch` and `proxy` without what they are about. */
  | { readonly kind: "undetermined" }
  /** Percent-encoding that decodes to nothing. */
  | { readonly kind: "malformed" };

export type ResourcePath = Extract<RequestPath, { readonly kind: "resource" }>;

/** Whether every percent sign begins an encoded byte; bytes that are no UTF-8 are none the worse for it. */
export function isDecodable(path: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(path);
}

const decoder = new TextDecoder();

/** Decoded before it is split, as Go's servers do: an encoded slash separates. */
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
 * Splits a path as the real server's request-info does: `/api/V/...` and `/apis/G/V/...` are resources,
 * `namespaces/NS/...` scopes what follows, except for the namespace's own subresources. An empty segment within
 * leads nowhere: its resource is the empty one.
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
    // A namespace without a name is none: all of them.
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

/** Names and namespaces that no object can have; `keyPrefix` is where objects of the kind are kept. */
export function nameProblem(keyPrefix: string, { namespace, name }: ResourcePath): Refused | undefined {
  const why = name === undefined ? undefined : segmentProblem(name);
  if (why !== undefined) return badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
  if (namespace !== "." && namespace !== "..") return undefined;
  return unexplained(`invalid key: "${keyPrefix}/${namespace}${name === undefined ? "" : `/${name}`}"`);
}
