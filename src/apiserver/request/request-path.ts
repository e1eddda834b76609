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
  /** Percent-encoding that decodes to nothing. */
  | { readonly kind: "malformed" };

export type ResourcePath = Extract<RequestPath, { readonly kind: "resource" }>;

/**
 * Splits a path as the real server's request-info does: `/api/V/...` and `/apis/G/V/...` are resources,
 * `namespaces/NS/...` scopes what follows, except for the namespace's own subresources.
 */
export function parseRequestPath(path: string): RequestPath {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "") continue;
    try {
      segments.push(decodeURIComponent(segment));
    } catch {
      return { kind: "malformed" };
    }
  }
  const core = segments[0] === "api";
  const start = core ? 2 : 3;
  if ((!core && segments[0] !== "apis") || segments.length <= start) return { kind: "nonResource", path };
  const group = core ? "" : (segments[1] ?? "");
  const version = segments[start - 1] ?? "";
  let rest = segments.slice(start);
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
    plural,
    watchPrefix,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join("/") }),
  };
}

const namespaceSubresources = new Set(["status", "finalize"]);
