import { compareVersions, parseTolerantVersion } from "../../version.ts";
import { CelOpaque, CelOptional, type CelValue, fault, type OpaqueContent, textMap } from "../cel-value.ts";
import { parseGoUrl } from "./go-url.ts";
import {
  type Cidr,
  cidrContains,
  formatIp,
  type IpAddress,
  isMapped,
  maskedIp,
  parseCidr,
  parseIp,
} from "./ip-address.ts";
import { formatNames, namedFormat } from "./named-format.ts";
import { type Overload, overload } from "../overload.ts";
import { addQuantities, asDouble, type CelQuantity, ofUnits, readQuantity, wholeUnits } from "./quantity-value.ts";
import { parseSemver } from "./semver-value.ts";

type Content<Kind extends OpaqueContent["kind"]> = Extract<OpaqueContent, { kind: Kind }>["value"];

/** Adapts a function of one library type; overload resolution ensures the type. */
function on<Kind extends OpaqueContent["kind"], Others extends readonly CelValue[]>(
  _kind: Kind,
  run: (value: Content<Kind>, ...others: Others) => CelValue,
): (first: CelOpaque, ...others: Others) => CelValue {
  return (first, ...others) => run(contentOf<Kind>(first), ...others);
}

function contentOf<Kind extends OpaqueContent["kind"]>({ content }: CelOpaque): Content<Kind> {
  const { value }: { readonly value: unknown } = content;
  return value as Content<Kind>;
}

const urls: readonly Overload[] = [
  overload("url(string): url", (value: string) => {
    const parsed = parseGoUrl(value);
    return parsed === undefined
      ? fault(`URL parse error during conversion from string: parse ${JSON.stringify(value)}: invalid URI for request`)
      : new CelOpaque({ kind: "url", value: parsed });
  }),
  overload("isURL(string): bool", (value: string) => parseGoUrl(value) !== undefined),
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
    on("url", (url) => textMap(url.query)),
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
  overload("ip(string): ip", (value: string) => {
    const parsed = ipOf(value);
    return parsed === undefined
      ? fault(
          `IP Address ${JSON.stringify(value)} parse error during conversion from string: ParseAddr(${JSON.stringify(value)}): unable to parse IP`,
        )
      : new CelOpaque({ kind: "ip", value: parsed });
  }),
  overload("isIP(string): bool", (value: string) => ipOf(value) !== undefined),
  overload("ip/isCanonical(string): bool", (value: string) => {
    const parsed = ipOf(value);
    return parsed === undefined
      ? fault(
          `IP Address ${JSON.stringify(value)} parse error during conversion from string: ParseAddr(${JSON.stringify(value)}): unable to parse IP`,
        )
      : formatIp(parsed) === value;
  }),
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

function prefixProblem(text: string): string {
  const why = text.includes("/") ? "" : ": no '/'";
  return `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)})${why}`;
}

function holdsNetwork(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && cidrContains(outer, maskedIp(inner));
}

const cidrs: readonly Overload[] = [
  overload("cidr(string): cidr", (value: string) => {
    const parsed = parseCidr(value, "strict");
    return parsed === undefined ? fault(prefixProblem(value)) : new CelOpaque({ kind: "cidr", value: parsed });
  }),
  overload("isCIDR(string): bool", (value: string) => parseCidr(value, "strict") !== undefined),
  overload(
    "cidr.containsIP(string): bool",
    on("cidr", (cidr, other: string) => {
      const ip = ipOf(other);
      return ip === undefined ? fault("no such overload") : cidrContains(cidr, ip);
    }),
  ),
  overload(
    "cidr.containsIP(ip): bool",
    on("cidr", (cidr, other: CelOpaque) => cidrContains(cidr, contentOf<"ip">(other))),
  ),
  overload(
    "cidr.containsCIDR(string): bool",
    on("cidr", (cidr, other: string) => {
      const inner = parseCidr(other, "strict");
      return inner === undefined
        ? fault(`network address parse error during conversion from string: ${prefixProblem(other)}`)
        : holdsNetwork(cidr, inner);
    }),
  ),
  overload(
    "cidr.containsCIDR(cidr): bool",
    on("cidr", (cidr, other: CelOpaque) => holdsNetwork(cidr, contentOf<"cidr">(other))),
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

function withQuantity(
  run: (a: CelQuantity, b: CelQuantity) => CelValue,
): (first: CelOpaque, other: CelOpaque | bigint) => CelValue {
  return on("quantity", (a, other: CelOpaque | bigint) =>
    run(a, typeof other === "bigint" ? ofUnits(other) : contentOf<"quantity">(other)),
  );
}

function order(a: bigint, b: bigint): bigint {
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}

const quantities: readonly Overload[] = [
  overload("quantity(string): quantity", (value: string) => {
    const parsed = readQuantity(value);
    if (parsed === "suffix") return fault("unable to parse quantity's suffix");
    return parsed === "malformed"
      ? fault("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
      : quantityValue(parsed);
  }),
  overload("isQuantity(string): bool", (value: string) => typeof readQuantity(value) === "object"),
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

function semverValue(value: string, normalize: boolean): CelValue {
  const parsed = parseSemver(value, normalize);
  return parsed === undefined ? fault("Invalid Semantic Version") : new CelOpaque({ kind: "semver", value: parsed });
}

function withSemver(run: (order: number) => CelValue): (first: CelOpaque, other: CelOpaque) => CelValue {
  return on("semver", (a, other: CelOpaque) => run(compareVersions(a, contentOf<"semver">(other))));
}

const semvers: readonly Overload[] = [
  overload("semver(string): semver", (value: string) => semverValue(value, false)),
  overload("semver(string, bool): semver", semverValue),
  overload("isSemver(string): bool", (value: string) => parseSemver(value) !== undefined),
  overload(
    "isSemver(string, bool): bool",
    (value: string, normalize: boolean) => parseSemver(value, normalize) !== undefined,
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

function formatValue(name: string): CelOpaque | undefined {
  const value = namedFormat(name);
  return value === undefined ? undefined : new CelOpaque({ kind: "format", value });
}

const formats: readonly Overload[] = [
  overload("format/named(string): optional<format>", (name: string) => new CelOptional(formatValue(name))),
  ...formatNames.map((name) => overload(`format/${name}(): format`, () => formatValue(name) ?? null)),
  overload(
    "format.validate(string): optional<list<string>>",
    on("format", (format, value: string) => {
      const faults = format.faults(value);
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
  overload("semver_compare(dyn, dyn): int", (a: CelValue, b: CelValue) => {
    if (typeof a !== "string" || typeof b !== "string") return fault("no such overload");
    const left = parseTolerantVersion(a);
    if (!left.ok) return fault(left.problem.message);
    const right = parseTolerantVersion(b);
    return right.ok ? BigInt(compareVersions(left.value, right.value)) : fault(right.problem.message);
  }),
];
