/** One way of authentication that a registry offers in `WWW-Authenticate`. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = new RegExp(`\\s*(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))\\s*,?`, "y");
const scheme = new RegExp(`[\\s,]*(${token})(?:\\s+|\\s*$|\\s*,)`, "y");

/** The challenges of all `WWW-Authenticate` headers, in order (RFC 9110, 11.6.1). What cannot be read is left out. */
export function parseChallenges(header: string | readonly string[] | undefined): readonly Challenge[] {
  return (typeof header === "string" ? [header] : (header ?? [])).flatMap(parseHeader);
}

function parseHeader(text: string): readonly Challenge[] {
  const found: Challenge[] = [];
  let at = 0;
  while (at < text.length) {
    scheme.lastIndex = at;
    const name = scheme.exec(text)?.[1];
    if (name === undefined) break;
    at = scheme.lastIndex;
    const parameters: Record<string, string> = {};
    for (;;) {
      parameter.lastIndex = at;
      const match = parameter.exec(text);
      if (match === null) break;
      const [, key = "", quoted, plain = ""] = match;
      parameters[key.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
      at = parameter.lastIndex;
    }
    found.push({ scheme: name.toLowerCase(), parameters });
  }
  return found;
}
