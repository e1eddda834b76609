// The range grammar of catalogs: skipRange, required packages, CEL. Its deviations from semver decide which
// upgrades exist, so they are kept; docs/decisions lists them with the reasons.
import { goQuote } from "@purser/kubernetes/go-quote";
import type { Result } from "@purser/kubernetes/result";
import { all, done, failed } from "@purser/kubernetes/result";
import type { ParsedRange } from "./parsed-range.ts";
import type { Version } from "@purser/kubernetes/version";
import { compareVersions, parseVersion } from "@purser/kubernetes/version";

const operators = {
  "": (order: number) => order === 0,
  "=": (order: number) => order === 0,
  "==": (order: number) => order === 0,
  "!": (order: number) => order !== 0,
  "!=": (order: number) => order !== 0,
  ">": (order: number) => order > 0,
  ">=": (order: number) => order >= 0,
  "<": (order: number) => order < 0,
  "<=": (order: number) => order <= 0,
} as const;

interface Comparator {
  readonly holds: (order: number) => boolean;
  readonly version: Version;
}

/** A blank separates terms unless an operator stands before it. Terms of one byte are dropped, as upstream does. */
function termsOf(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  let last = "";
  const take = (end: number): void => {
    const term = text.slice(start, end);
    if (term.length > 1 || term > "\u007f") terms.push(term.replaceAll(" ", ""));
  };
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character !== " ") last = character;
    else if (!["<", ">", "="].includes(last)) {
      take(index);
      start = index + 1;
    }
  }
  take(text.length);
  return terms;
}

function alternativesOf(terms: readonly string[]): Result<readonly (readonly string[])[], string> {
  const alternatives: string[][] = [[]];
  for (const [index, term] of terms.entries()) {
    if (term !== "||") alternatives.at(-1)?.push(term);
    else if (index === 0) return failed("First element in range is '||'");
    else alternatives.push([]);
  }
  if (alternatives.at(-1)?.length === 0) return failed("Last element in range is '||'");
  // Upstream crashes here when it evaluates the range.
  if (alternatives.some((group) => group.length === 0)) return failed("No element in range between '||' and '||'");
  return done(alternatives);
}

interface Term {
  readonly operator: string;
  readonly version: string;
}

function splitTerm(term: string): Result<Term, string> {
  const at = term.search(/\p{Nd}/u);
  if (at < 0) return failed(`Could not get version from string: ${goQuote(term)}`);
  return done({ operator: term.slice(0, at).trim(), version: term.slice(at) });
}

/** The next value of one dotted part; the whole version becomes empty when that part is no number. */
function increment(version: string, part: number): string {
  const parts = version.split(".");
  const text = parts[part] ?? "";
  if (!/^[+-]?[0-9]+$/.test(text)) return "";
  const number = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, number) !== number) return "";
  return parts.with(part, `${BigInt.asIntN(64, number + 1n)}`).join(".");
}

/** Without a wildcard at its end (`1.0.0-next`) there is nothing to increment, and upstream leaves no version at all. */
function ceilingOf(version: string, floor: string): string {
  const parts = version.split(".");
  if (parts.at(-1) !== "x" || parts.length > 3) return "";
  return increment(floor, parts.length - 2);
}

/** A term with an `x` anywhere in it counts as a wildcard and becomes one or two plain terms. */
function withoutWildcard(term: string): Result<readonly string[], string> {
  if (!term.includes("x")) return done([term]);
  const split = splitTerm(term);
  if (!split.ok) return split;
  const { operator, version } = split.value;
  const first = version.replace(".x.x", ".x").replace(".x", ".0");
  const floor = first.split(".").length === 2 ? `${first}.0` : first;
  const ceiling = ceilingOf(version, floor);
  switch (operator) {
    case ">":
      return done([`>=${ceiling}`]);
    case ">=":
      return done([`>=${floor}`]);
    case "<":
      return done([`<${floor}`]);
    case "<=":
      return done([`<${ceiling}`]);
    case "":
    case "=":
    case "==":
      return done([`>=${floor}`, `<${ceiling}`]);
    case "!":
    case "!=":
      return done([`<${floor}`, `>=${ceiling}`]);
    default:
      return done([floor]);
  }
}

function comparatorOf(term: string): Result<Comparator, string> {
  const split = splitTerm(term);
  if (!split.ok) return split;
  const { operator, version: text } = split.value;
  const range = `Could not parse Range ${goQuote(term)}`;
  const whole = goQuote(`${operator}${text}`);
  const holds = Object.hasOwn(operators, operator) ? operators[operator as keyof typeof operators] : undefined;
  if (holds === undefined) return failed(`${range}: Could not parse comparator ${goQuote(operator)} in ${whole}`);
  const version = parseVersion(text);
  return version.ok
    ? done({ holds, version: version.value })
    : failed(`${range}: Could not parse version ${goQuote(text)} in ${whole}: ${version.problem.message}`);
}

function comparatorsOf(text: string): Result<readonly (readonly Comparator[])[], string> {
  const alternatives = alternativesOf(termsOf(text));
  if (!alternatives.ok) return alternatives;
  const plain = all(alternatives.value.map((terms) => all(terms.map(withoutWildcard))));
  if (!plain.ok) return plain;
  return all(plain.value.map((terms) => all(terms.flat().map(comparatorOf))));
}

/**
 * Reads `>=1.0.0 <2.0.0 || 3.x`: blanks are AND, `||` is OR. Pre-releases are ordinary versions here: `<1.0.0`
 * includes `1.0.0-alpha`.
 */
export function parseBlangRange(text: string): ParsedRange {
  const alternatives = comparatorsOf(text);
  if (!alternatives.ok) return failed({ kind: "range", text, message: alternatives.problem });
  return done({
    text,
    includes: (version) =>
      alternatives.value.some((comparators) =>
        comparators.every(({ holds, version: bound }) => holds(compareVersions(version, bound))),
      ),
  });
}
