/** The parts of a URL that CEL functions return. */
export interface GoUrl {
  readonly scheme: string;
  /** Host with port and brackets. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** Parses an absolute URL or an absolute path like Go's url.ParseRequestURI; the fragment is dropped. */
export function parseGoUrl(given: string): GoUrl | undefined {
  if (given === "" || /[\p{Cc}]/u.test(given)) return undefined;
  const text = given.replace(/#.*$/s, "");
  const head = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  const scheme = head?.[1]?.toLowerCase() ?? "";
  const rest = head === null ? text : text.slice(head[0].length);
  // Without a slash after the scheme the rest is opaque.
  if (!rest.startsWith("/")) return scheme === "" ? undefined : { ...opaqueUrl, scheme };
  const mark = rest.indexOf("?");
  const beforeQuery = mark < 0 ? rest : rest.slice(0, mark);
  const queryText = mark < 0 ? "" : rest.slice(mark + 1);
  const hasAuthority = beforeQuery.startsWith("//") && (scheme !== "" || !beforeQuery.startsWith("///"));
  const slash = hasAuthority ? beforeQuery.indexOf("/", 2) : 0;
  const authority = hasAuthority ? beforeQuery.slice(2, slash < 0 ? undefined : slash) : "";
  const path = hasAuthority ? (slash < 0 ? "" : beforeQuery.slice(slash)) : beforeQuery;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const split = splitHost(host);
  if (split === undefined || /%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  return { scheme, host, ...split, escapedPath: escapePath(path), query: parseQuery(queryText) };
}

const opaqueUrl = { host: "", hostname: "", port: "", escapedPath: "", query: new Map<string, readonly string[]>() };

function splitHost(host: string): { readonly hostname: string; readonly port: string } | undefined {
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(host);
  if (bracketed !== null) return { hostname: bracketed[1] ?? "", port: bracketed[2] ?? "" };
  if (host.includes("[") || /[\s<>"^`{|}\\%]/.test(host)) return undefined;
  const colon = host.lastIndexOf(":");
  if (colon < 0) return { hostname: host, port: "" };
  const port = host.slice(colon + 1);
  return /^\d*$/.test(port) ? { hostname: host.slice(0, colon), port } : undefined;
}

function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/gu, (character) => encodeURIComponent(character));
}

function parseQuery(text: string): ReadonlyMap<string, readonly string[]> {
  const query = new Map<string, string[]>();
  for (const pair of text === "" ? [] : text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const held = query.get(key);
    if (held === undefined) query.set(key, [value]);
    else held.push(value);
  }
  return query;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
