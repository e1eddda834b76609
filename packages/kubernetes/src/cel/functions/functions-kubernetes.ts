import { compareVersions, parseTolerantVersion } from "../../version.ts";
import { CelOpaque, CelOptional, type CelValue, fault, literalMap, type OpaqueContent } from "../cel-value.ts";
import { text } from "./functions-standard.ts";
import { parseGoUrl } from "./go-url.ts";
import { cidrContains, formatIp, type IpAddress, isMapped, maskedIp, parseCidr, parseIp } from "./ip-address.ts";
import { formatNames, namedFormat } from "./named-format.ts";
import { type Overload, overload } from "../overload.ts";
import { addQuantities, asDouble, type CelQuantity, ofUnits, readQuantity, wholeUnits } from "./quantity-value.ts";
import { parseSemver } from "./semver-value.ts";

type Content<Kind extends OpaqueContent["kind"]> = Extract<OpaqueContent, { kind: Kind }>["value"];

/** Adapts a function of one library type; overload resolution ensures the type. */
function on<Kind extends OpaqueContent["kind"]>(
  kind: Kind,
  run: (value: Content<Kind>, ...others: CelValue[]) => CelValue,
): (...args: CelValue[]) => CelValue {
  return (first, ...others) => {
    const value = contentOf(kind, first ?? null);
    return value === undefined ? fault("no such overload") : run(value, ...others);
  };
}

function contentOf<Kind extends OpaqueContent["kind"]>(kind: Kind, value: CelValue): Content<Kind> | undefined {
  if (!(value instanceof CelOpaque) || value.content.kind !== kind) return undefined;
  const content: unknown = value.content.value;
  return content as Content<Kind> | undefined;
}

const urls: readonly Overload[] = [
  overload(
    "url(string): url",
    text((value) => {
      const parsed = parseGoUrl(value);
      return parsed === undefined
        ? fault(
            `URL parse error during conversion from string: parse ${JSON.stringify(value)}: invalid URI for request`,
          )
        : new CelOpaque({ kind: "url", value: parsed });
    }),
  ),
  overload(
    "isURL(string): bool",
    text((value) => parseGoUrl(value) !== undefined),
  ),
  overload(
    "url.getScheme(): string",
    on("url", (url) => url.scheme),
  ),
  overload(
    "url.getHost(): string",
    on("url", (url) => url.host),
  ),
  overload(
    "url.getHostname(): string",
    on("url", (url) => url.hostname),
  ),
  overload(
    "url.getPort(): string",
    on("url", (url) => url.port),
  ),
  overload(
    "url.getEscapedPath(): string",
    on("url", (url) => url.escapedPath),
  ),
  overload(
    "url.getQuery(): map<string, list<string>>",
    on("url", (url) => literalMap([...url.query]) ?? fault("no such overload")),
  ),
];

function ipOf(value: string): IpAddress | undefined {
  const parsed = parseIp(value, "strict");
  return parsed === undefined || isMapped(parsed) ? undefined : parsed;
}

function isLoopback(ip: IpAddress): boolean {
  return ip.family === 4 ? ip.bytes[0] === 127 : formatIp(ip) === "::1";
}

function isUnspecified(ip: IpAddress): boolean {
  return ip.bytes.every((byte) => byte === 0);
}

function isMulticast(ip: IpAddress): boolean {
  const [first = 0] = ip.bytes;
  return ip.family === 4 ? first >> 4 === 14 : first === 0xff;
}

function isLinkLocalUnicast(ip: IpAddress): boolean {
  const [first = 0, second = 0] = ip.bytes;
  return ip.family === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isLinkLocalMulticast(ip: IpAddress): boolean {
  const [first = 0, second = 0, third = 0] = ip.bytes;
  return ip.family === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2;
}

function isGlobalUnicast(ip: IpAddress): boolean {
  const broadcast = ip.family === 4 && ip.bytes.every((byte) => byte === 255);
  return !broadcast && !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

const ips: readonly Overload[] = [
  overload(
    "ip(string): ip",
    text((value) => {
      const parsed = ipOf(value);
      return parsed === undefined
        ? fault(
            `IP Address ${JSON.stringify(value)} parse error during conversion from string: ParseAddr(${JSON.stringify(value)}): unable to parse IP`,
          )
        : new CelOpaque({ kind: "ip", value: parsed });
    }),
  ),
  overload(
    "isIP(string): bool",
    text((value) => ipOf(value) !== undefined),
  ),
  overload(
    "ip/isCanonical(string): bool",
    text((value) => {
      const parsed = ipOf(value);
      return parsed === undefined
        ? fault(
            `IP Address ${JSON.stringify(value)} parse error during conversion from string: ParseAddr(${JSON.stringify(value)}): unable to parse IP`,
          )
        : formatIp(parsed) === value;
    }),
  ),
  overload(
    "ip.family(): int",
    on("ip", (ip) => BigInt(ip.family)),
  ),
  overload("ip.isUnspecified(): bool", on("ip", isUnspecified)),
  overload("ip.isLoopback(): bool", on("ip", isLoopback)),
  overload("ip.isLinkLocalMulticast(): bool", on("ip", isLinkLocalMulticast)),
  overload("ip.isLinkLocalUnicast(): bool", on("ip", isLinkLocalUnicast)),
  overload("ip.isGlobalUnicast(): bool", on("ip", isGlobalUnicast)),
  overload("string(ip): string", on("ip", formatIp)),
];

function prefixProblem(text: CelValue): string {
  const shown = typeof text === "string" ? text : "";
  const why = shown.includes("/") ? "" : ": no '/'";
  return `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(shown)})${why}`;
}

const cidrs: readonly Overload[] = [
  overload(
    "cidr(string): cidr",
    text((value) => {
      const parsed = parseCidr(value, "strict");
      return parsed === undefined ? fault(prefixProblem(value)) : new CelOpaque({ kind: "cidr", value: parsed });
    }),
  ),
  overload(
    "isCIDR(string): bool",
    text((value) => parseCidr(value, "strict") !== undefined),
  ),
  overload(
    "cidr.containsIP(string): bool",
    on("cidr", (cidr, other) => {
      const ip = typeof other === "string" ? ipOf(other) : undefined;
      return ip === undefined ? fault("no such overload") : cidrContains(cidr, ip);
    }),
  ),
  overload(
    "cidr.containsIP(ip): bool",
    on("cidr", (cidr, other) => {
      const ip = contentOf("ip", other ?? null);
      return ip === undefined ? fault("no such overload") : cidrContains(cidr, ip);
    }),
  ),
  overload(
    "cidr.containsCIDR(string): bool",
    on("cidr", (cidr, other) => {
      const inner = typeof other === "string" ? parseCidr(other, "strict") : undefined;
      return inner === undefined
        ? fault(`network address parse error during conversion from string: ${prefixProblem(other)}`)
        : cidr.prefix <= inner.prefix && cidrContains(cidr, maskedIp(inner));
    }),
  ),
  overload(
    "cidr.containsCIDR(cidr): bool",
    on("cidr", (cidr, other) => {
      const inner = contentOf("cidr", other ?? null);
      return inner === undefined
        ? fault("no such overload")
        : cidr.prefix <= inner.prefix && cidrContains(cidr, maskedIp(inner));
    }),
  ),
  overload(
    "cidr.ip(): ip",
    on("cidr", (cidr) => new CelOpaque({ kind: "ip", value: cidr.ip })),
  ),
  overload(
    "cidr.prefixLength(): int",
    on("cidr", (cidr) => BigInt(cidr.prefix)),
  ),
  overload(
    "cidr.masked(): cidr",
    on("cidr", (cidr) => new CelOpaque({ kind: "cidr", value: { ...cidr, ip: maskedIp(cidr) } })),
  ),
  overload(
    "string(cidr): string",
    on("cidr", (cidr) => `${formatIp(cidr.ip)}/${cidr.prefix}`),
  ),
];

function quantityValue(value: CelQuantity): CelValue {
  return new CelOpaque({ kind: "quantity", value });
}

function withQuantity(run: (a: CelQuantity, b: CelQuantity) => CelValue): (...args: CelValue[]) => CelValue {
  return on("quantity", (a, other) => {
    const b = typeof other === "bigint" ? ofUnits(other) : contentOf("quantity", other ?? null);
    return b === undefined ? fault("no such overload") : run(a, b);
  });
}

function order(a: bigint, b: bigint): bigint {
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}

const quantities: readonly Overload[] = [
  overload(
    "quantity(string): quantity",
    text((value) => {
      const parsed = readQuantity(value);
      if (parsed === "suffix") return fault("unable to parse quantity's suffix");
      return parsed === "malformed"
        ? fault("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
        : quantityValue(parsed);
    }),
  ),
  overload(
    "isQuantity(string): bool",
    text((value) => typeof readQuantity(value) === "object"),
  ),
  overload(
    "sign(quantity): int",
    on("quantity", (value) => order(value.nanos, 0n)),
  ),
  overload(
    "quantity.isInteger(): bool",
    on("quantity", (value) => value.whole),
  ),
  overload(
    "quantity.asInteger(): int",
    on("quantity", (value) => (value.whole ? wholeUnits(value) : fault("cannot convert value to integer"))),
  ),
  overload("quantity.asApproximateFloat(): double", on("quantity", asDouble)),
  overload(
    "quantity.isGreaterThan(quantity): bool",
    withQuantity((a, b) => a.nanos > b.nanos),
  ),
  overload(
    "quantity.isLessThan(quantity): bool",
    withQuantity((a, b) => a.nanos < b.nanos),
  ),
  overload(
    "quantity.compareTo(quantity): int",
    withQuantity((a, b) => order(a.nanos, b.nanos)),
  ),
  ...["quantity", "int"].flatMap((type) => [
    overload(
      `quantity.add(${type}): quantity`,
      withQuantity((a, b) => quantityValue(addQuantities(a, b, 1n))),
    ),
    overload(
      `quantity.sub(${type}): quantity`,
      withQuantity((a, b) => quantityValue(addQuantities(a, b, -1n))),
    ),
  ]),
];

function semverValue(value: CelValue, normalize: CelValue): CelValue {
  const parsed = typeof value === "string" ? parseSemver(value, normalize === true) : undefined;
  return parsed === undefined ? fault("Invalid Semantic Version") : new CelOpaque({ kind: "semver", value: parsed });
}

function withSemver(run: (order: number) => CelValue): (...args: CelValue[]) => CelValue {
  return on("semver", (a, other) => {
    const b = contentOf("semver", other ?? null);
    return b === undefined ? fault("no such overload") : run(compareVersions(a, b));
  });
}

const semvers: readonly Overload[] = [
  overload("semver(string): semver", (value) => semverValue(value, false)),
  overload("semver(string, bool): semver", semverValue),
  overload(
    "isSemver(string): bool",
    text((value) => parseSemver(value) !== undefined),
  ),
  overload(
    "isSemver(string, bool): bool",
    (value, normalize) => typeof value === "string" && parseSemver(value, normalize === true) !== undefined,
  ),
  overload(
    "semver.isGreaterThan(semver): bool",
    withSemver((held) => held > 0),
  ),
  overload(
    "semver.isLessThan(semver): bool",
    withSemver((held) => held < 0),
  ),
  overload(
    "semver.compareTo(semver): int",
    withSemver((held) => BigInt(held)),
  ),
  overload(
    "semver.major(): int",
    on("semver", (version) => BigInt(version.major)),
  ),
  overload(
    "semver.minor(): int",
    on("semver", (version) => BigInt(version.minor)),
  ),
  overload(
    "semver.patch(): int",
    on("semver", (version) => BigInt(version.patch)),
  ),
];

const formats: readonly Overload[] = [
  overload(
    "format/named(string): optional<format>",
    text((name) => {
      const held = namedFormat(name);
      return new CelOptional(held === undefined ? undefined : new CelOpaque({ kind: "format", value: held }));
    }),
  ),
  ...formatNames.map((name) =>
    overload(`format/${name}(): format`, () => {
      const held = namedFormat(name);
      return held === undefined ? fault("no such overload") : new CelOpaque({ kind: "format", value: held });
    }),
  ),
  overload(
    "format.validate(string): optional<list<string>>",
    on("format", (format, value) => {
      const faults = typeof value === "string" ? format.faults(value) : [];
      return new CelOptional(faults.length === 0 ? undefined : faults);
    }),
  ),
];

export const kubernetesFunctions: readonly Overload[] = [
  ...urls,
  ...ips,
  ...cidrs,
  ...quantities,
  ...semvers,
  ...formats,
];

/** The only function that `olm.constraint` rules have in addition to the standard ones. */
export const olmFunctions: readonly Overload[] = [
  overload("semver_compare(dyn, dyn): int", (a, b) => {
    if (typeof a !== "string" || typeof b !== "string") return fault("no such overload");
    const left = parseTolerantVersion(a);
    if (!left.ok) return fault(left.problem.message);
    const right = parseTolerantVersion(b);
    return right.ok ? BigInt(compareVersions(left.value, right.value)) : fault(right.problem.message);
  }),
];
