/** A path without empty, `.` and `..` segments, like the clean paths of Go's `http.ServeMux`; a trailing slash is kept. */
export function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  const clean = `/${kept.join("/")}`;
  return path.endsWith("/") && clean !== "/" ? `${clean}/` : clean;
}

/** Parameters of a query in order; pairs that cannot be decoded are dropped, as in Go's `net/url`. */
export function queryParameters(query: string): readonly (readonly [key: string, value: string])[] {
  return query.split("&").flatMap((pair) => {
    if (pair === "" || pair.includes(";")) return [];
    const equals = pair.indexOf("=");
    const key = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = decoded(equals === -1 ? "" : pair.slice(equals + 1));
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
}

function decoded(text: string): string | undefined {
  return percentDecoded(text.replaceAll("+", " "));
}

/** The decoded text; undefined when an escape sequence is invalid. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Kubernetes' validation error for an invalid name of a catalog; undefined when it is valid. */
export function catalogNameProblem(name: string): string | undefined {
  const complaints = [
    ...(new TextEncoder().encode(name).length > 253 ? ["must be no more than 253 characters"] : []),
    ...(subdomain.test(name)
      ? []
      : [
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ]),
  ];
  return complaints.length === 0 ? undefined : complaints.join(", ");
}
