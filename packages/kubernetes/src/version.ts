import { goQuote } from "./go-quote.ts";
import type { Result } from "./result.ts";
import { all, done, failed } from "./result.ts";

/** A semantic version. Numbers are unsigned 64-bit integers, beyond the range of a double. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Numeric identifiers as numbers, others as text. */
  readonly prerelease: readonly Identifier[];
  /** Ignored in comparisons. */
  readonly build: readonly string[];
}

export type Identifier = bigint | string;

export interface VersionProblem {
  readonly kind: "version";
  /** The invalid text. */
  readonly text: string;
  /** The error text of blang/semver, which OLM's programs print. */
  readonly message: string;
}

const largest = (1n << 64n) - 1n;
const digits = /^[0-9]*$/;
const identifierCharacters = /^[0-9A-Za-z-]*$/;

const part = { major: "Major", minor: "Minor", patch: "Patch" } as const;

function hasLeadingZero(text: string): boolean {
  return text.length > 1 && text.startsWith("0");
}

function unsigned(text: string): Result<bigint, string> {
  if (text === "") return failed(`strconv.ParseUint: parsing "": invalid syntax`);
  const number = BigInt(text);
  return number > largest ? failed(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`) : done(number);
}

function numberOf(name: keyof typeof part, text: string): Result<bigint, string> {
  if (!digits.test(text)) return failed(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  if (hasLeadingZero(text)) return failed(`${part[name]} number must not contain leading zeroes ${goQuote(text)}`);
  return unsigned(text);
}

function identifierOf(text: string): Result<Identifier, string> {
  if (text === "") return failed("Prerelease is empty");
  if (!digits.test(text))
    return identifierCharacters.test(text)
      ? done(text)
      : failed(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (hasLeadingZero(text))
    return failed(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
  return unsigned(text);
}

function buildOf(text: string): Result<string, string> {
  if (text === "") return failed("Build meta data is empty");
  return identifierCharacters.test(text)
    ? done(text)
    : failed(`Invalid character(s) found in build meta data ${goQuote(text)}`);
}

/** `text` before and after the first `separator`; the second part is undefined without one. */
function cut(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function read(text: string): Result<Version, string> {
  if (text === "") return failed("Version string empty");
  const [majorText, afterMajor] = cut(text, ".");
  const [minorText, afterMinor] = cut(afterMajor ?? "", ".");
  if (afterMinor === undefined) return failed("No Major.Minor.Patch elements found");
  const [beforeBuild, buildText] = cut(afterMinor, "+");
  const [patchText, prereleaseText] = cut(beforeBuild, "-");
  const major = numberOf("major", majorText);
  if (!major.ok) return major;
  const minor = numberOf("minor", minorText);
  if (!minor.ok) return minor;
  const patch = numberOf("patch", patchText);
  if (!patch.ok) return patch;
  const prerelease = all(prereleaseText?.split(".").map(identifierOf) ?? []);
  if (!prerelease.ok) return prerelease;
  const build = all(buildText?.split(".").map(buildOf) ?? []);
  if (!build.ok) return build;
  return done({
    major: major.value,
    minor: minor.value,
    patch: patch.value,
    prerelease: prerelease.value,
    build: build.value,
  });
}

function asVersion(text: string, result: Result<Version, string>): Result<Version, VersionProblem> {
  return result.ok ? result : failed({ kind: "version", text, message: result.problem });
}

/** Parses exactly `X.Y.Z[-pre][+build]`: no `v`, no spaces, no leading zeros, all three numbers. */
export function parseVersion(text: string): Result<Version, VersionProblem> {
  return asVersion(text, read(text));
}

/** Parses a version leniently: surrounding spaces, a leading `v`, leading zeros and missing parts are accepted. */
export function parseTolerantVersion(text: string): Result<Version, VersionProblem> {
  const [major, rest] = cut(text.trim().replace(/^v/, ""), ".");
  const [minor, patch] = cut(rest ?? "0", ".");
  if (patch === undefined && /[+-]/.test(rest === undefined ? major : minor))
    return asVersion(text, failed("Short version cannot contain PreRelease/Build meta data"));
  const parts = [major, minor, patch ?? "0"].map((number) =>
    number.length > 1 ? number.replace(/^0+/, "").replace(/^(?![0-9])/, "0") : number,
  );
  return asVersion(text, read(parts.join(".")));
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareIdentifier(a: Identifier, b: Identifier): number {
  if (typeof a === "bigint") return typeof b === "bigint" ? compareNumbers(a, b) : -1;
  if (typeof b === "bigint") return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of dot-separated identifiers: numbers before text, numbers by value, a prefix before the longer list. */
export function compareIdentifiers(a: readonly Identifier[], b: readonly Identifier[]): number {
  for (const [index, identifier] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareIdentifier(identifier, other);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

/** Semantic version precedence: -1, 0 or 1. Build metadata is ignored. */
export function compareVersions(a: Version, b: Version): number {
  const order =
    compareNumbers(a.major, b.major) || compareNumbers(a.minor, b.minor) || compareNumbers(a.patch, b.patch);
  if (order !== 0) return order;
  // A release is later than all of its pre-releases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length) - Math.sign(a.prerelease.length);
  return compareIdentifiers(a.prerelease, b.prerelease);
}

/** Canonical text, which the strict parser accepts. */
export function formatVersion({ major, minor, patch, prerelease, build }: Version): string {
  const suffix = prerelease.length === 0 ? "" : `-${prerelease.join(".")}`;
  return `${major}.${minor}.${patch}${suffix}${build.length === 0 ? "" : `+${build.join(".")}`}`;
}
