// The range grammar that users write in `ClusterExtension.spec.source.catalog.version`. Every comparator has its own
// rules for wildcards and pre-releases; the tests compare them with plain comparators.
import { goQuote } from "@purser/kubernetes/go-quote";
import { identifiersOf, segmentOf } from "./masterminds-version.ts";
import type { Result } from "@purser/kubernetes/result";
import { all, done, failed } from "@purser/kubernetes/result";
import type { ParsedRange } from "./parsed-range.ts";
import type { Version } from "@purser/kubernetes/version";
import { compareIdentifiers, compareVersions } from "@purser/kubernetes/version";

/** How much of a comparator's version was written: `1.2.3`, `1.2`, `1` or `*`. */
type Precision = "patch" | "minor" | "major" | "none";

type Operator = "=" | "!=" | ">" | "<" | ">=" | "<=" | "~" | "^";

interface Comparator {
  readonly operator: Operator;
  readonly version: Version;
  readonly precision: Precision;
}

const operators: Readonly<Record<string, Operator>> = {
  "": "=",
  "=": "=",
  "!=": "!=",
  ">": ">",
  "<": "<",
  ">=": ">=",
  "=>": ">=",
  "<=": "<=",
  "=<": "<=",
  "~": "~",
  "~>": "~",
  "^": "^",
};

// Upstream's number class also takes a pipe.
const number = String.raw`[0-9|xX*]+`;
const dotted = String.raw`[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*`;
const blank = String.raw`[\t\n\f\r ]`;
const versionText = String.raw`v?${number}(?:\.${number})?(?:\.${number})?(?:-${dotted})?(?:\+${dotted})?`;
const term = new RegExp(
  String.raw`(?<operator>=>|>=|<=|=<|!=|~>|[=<>~^]?)${blank}*v?(?<major>${number})(?:\.(?<minor>${number}))?(?:\.(?<patch>${number}))?(?:-(?<prerelease>${dotted}))?(?:\+(?<build>${dotted}))?`,
  "y",
);
const gap = new RegExp(`${blank}*(?:,${blank}*)?`, "y");
const hyphenRange = new RegExp(`${blank}*(${versionText})${blank}+-${blank}+(${versionText})${blank}*`, "g");

const loneHyphen = new RegExp(`${blank}-${blank}`);

/** A ClusterExtension's range has at most 64 characters; other texts with hyphen ranges may be this long. */
const maxHyphenText = 4096;

const isWild = (text: string | undefined): boolean => text === undefined || ["x", "X", "*"].includes(text);

function comparatorOf(groups: Readonly<Record<string, string | undefined>>): Result<Comparator, string> {
  const { major = "", minor, patch, prerelease } = groups;
  const precision: Precision = isWild(major) ? "none" : isWild(minor) ? "major" : isWild(patch) ? "minor" : "patch";
  const wild = done(0n);
  const numbers = all([
    precision === "none" ? wild : segmentOf(major),
    precision === "none" || precision === "major" ? wild : segmentOf(minor ?? ""),
    precision === "patch" ? segmentOf(patch ?? "") : wild,
  ]);
  const identifiers = prerelease === undefined ? done([]) : identifiersOf(prerelease);
  const operator = operators[groups["operator"] ?? ""];
  if (operator === undefined || !numbers.ok || !identifiers.ok) return failed("constraint parser error");
  const [majorNumber = 0n, minorNumber = 0n, patchNumber = 0n] = numbers.value;
  const version = {
    major: majorNumber,
    minor: minorNumber,
    patch: patchNumber,
    prerelease: identifiers.value,
    build: [],
  };
  return done({ operator, version, precision });
}

/** The comparators of one alternative; all must hold. */
function groupOf(text: string): Result<readonly Comparator[], string> {
  const improper = failed(`improper constraint: ${goQuote(text)}`);
  const comparators: Result<Comparator, string>[] = [];
  let position = /^[\t\n\f\r ]*/.exec(text)?.[0].length ?? 0;
  for (;;) {
    term.lastIndex = position;
    const found = term.exec(text);
    if (found?.groups === undefined) return improper;
    comparators.push(comparatorOf(found.groups));
    position += found[0].length;
    gap.lastIndex = position;
    const between = gap.exec(text)?.[0] ?? "";
    position += between.length;
    if (position === text.length && !between.includes(",")) break;
    if (between === "") return improper;
  }
  return all(comparators);
}

function tilde(version: Version, bound: Version, precision: Precision): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const whole = precision === "patch" || precision === "none";
  // `~0.0.0` and wildcards that stand for it take everything.
  if (whole && bound.major === 0n && bound.minor === 0n && bound.patch === 0n) return true;
  return version.major === bound.major && (precision === "major" || version.minor === bound.minor);
}

/** The leftmost part that is not zero must stay. */
function caret(version: Version, bound: Version, precision: Precision): boolean {
  if (compareVersions(version, bound) < 0 || version.major !== bound.major) return false;
  if (bound.major > 0n || precision === "major") return true;
  if (version.minor !== bound.minor) return false;
  return bound.minor > 0n || precision === "minor" || version.patch === bound.patch;
}

function differs(version: Version, bound: Version, precision: Precision): boolean {
  if (precision === "patch" || precision === "none") return compareVersions(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  if (precision === "major") return false;
  if (version.minor !== bound.minor) return true;
  // A wildcard patch with a pre-release behind it looks at the pre-release alone.
  return compareIdentifiers(version.prerelease, bound.prerelease) !== 0;
}

function isGreater(version: Version, bound: Version, precision: Precision): boolean {
  const order = compareVersions(version, bound);
  if (precision === "patch" || precision === "none" || version.major !== bound.major) return order > 0;
  return precision === "minor" && version.minor > bound.minor;
}

function isAtMost(version: Version, bound: Version, precision: Precision): boolean {
  if (precision === "patch") return compareVersions(version, bound) <= 0;
  if (version.major !== bound.major) return version.major < bound.major;
  return precision === "major" || version.minor <= bound.minor;
}

function holds({ operator, version: bound, precision }: Comparator, version: Version): boolean {
  switch (operator) {
    case "=":
      return precision === "patch" ? compareVersions(version, bound) === 0 : tilde(version, bound, precision);
    case "!=":
      return differs(version, bound, precision);
    case ">":
      return isGreater(version, bound, precision);
    case "<":
      return compareVersions(version, bound) < 0;
    case ">=":
      return compareVersions(version, bound) >= 0;
    case "<=":
      return isAtMost(version, bound, precision);
    case "~":
      return tilde(version, bound, precision);
    case "^":
      return caret(version, bound, precision);
  }
}

/**
 * Reads `>=1.2, <2 || ~3.1 || 4.x`: blank and comma are AND, `||` is OR, `1.0 - 2.0` is a range with both ends.
 * A pre-release is included only by an alternative that itself names one.
 */
export function parseMastermindsRange(text: string): ParsedRange {
  // The rewriting takes time that grows with the square of the length, so it is left out where it changes nothing.
  const hyphens = loneHyphen.test(text);
  if (hyphens && text.length > maxHyphenText)
    return failed({ kind: "range", text, message: "constraint parser error" });
  const rewritten = hyphens
    ? text.replace(hyphenRange, (_, from: string, to: string) => `>= ${from}, <= ${to} `)
    : text;
  const alternatives = all(rewritten.split("||").map(groupOf));
  if (!alternatives.ok) return failed({ kind: "range", text, message: alternatives.problem });
  return done({
    text,
    includes: (version) =>
      alternatives.value.some(
        (group) =>
          (version.prerelease.length === 0 || group.some((comparator) => comparator.version.prerelease.length > 0)) &&
          group.every((comparator) => holds(comparator, version)),
      ),
  });
}
