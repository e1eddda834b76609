import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { strictFault, parseLooseVersion } from "./masterminds-version.ts";
import { parseBlangRange, parseMastermindsRange } from "./version-range.ts";
import type { Version } from "@purser/kubernetes/version";
import { compareVersions, formatVersion, parseTolerantVersion, parseVersion } from "@purser/kubernetes/version";

function version(text: string): Version {
  const parsed = parseVersion(text);
  assert.ok(parsed.ok, text);
  return parsed.value;
}

const small = fc.bigInt({ min: 0n, max: 3n });
const identifier = fc.constantFrom<bigint | string>(0n, 1n, 11n, "a", "b", "rc-1", "0a");
const versions: fc.Arbitrary<Version> = fc.record({
  major: small,
  minor: small,
  patch: small,
  prerelease: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(identifier, { maxLength: 3 })),
  build: fc.array(fc.constantFrom("1", "001", "x"), { maxLength: 2 }),
});
const released = versions.map((found): Version => ({ ...found, prerelease: [], build: [] }));

/** Texts that look like versions and ranges, and texts that do not. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(
      fc.constantFrom("1", "0", "01", "x", "*", ".", "-", "+", "v", " ", "||", "|", "<", ">", "=", "!", "~", "^", ","),
      {
        maxLength: 24,
      },
    )
    .map((parts) => parts.join("")),
  fc
    .array(fc.constantFrom(">=1.0.0", "<2.x", "1.2.3-rc.1", " ", " || ", ", ", " - ", "~1", "^0.2"), { maxLength: 8 })
    .map((parts) => parts.join("")),
);

test("parsers do not throw for any text, and parsed values can be used", () => {
  fc.assert(
    fc.property(texts, versions, (text, probe) => {
      for (const parse of [parseVersion, parseTolerantVersion]) parse(text);
      parseLooseVersion(text);
      strictFault(text);
      for (const parse of [parseBlangRange, parseMastermindsRange]) {
        const range = parse(text);
        if (range.ok) assert.equal(typeof range.value.includes(probe), "boolean");
        else assert.notEqual(range.problem.message, "");
      }
    }),
    { numRuns: 3000 },
  );
});

test("a range of many blanks and terms is read in time that grows with its length only", () => {
  const text = `${"1.0.0      ".repeat(3000)}!`;
  assert.equal(parseMastermindsRange(text).ok, false);
  assert.equal(parseBlangRange(text).ok, true, "the lone ! is dropped");
  const hyphens = `${"1".repeat(100_000)} - ${" ".repeat(100_000)}`;
  for (const parse of [parseBlangRange, parseMastermindsRange])
    for (const hostile of ["1".repeat(100_000), `${" ".repeat(100_000)}x y`, hyphens, "1 - 2 ".repeat(20_000)])
      parse(hostile);
});

test("a version survives being written and read again", () => {
  fc.assert(fc.property(versions, (found) => assert.deepEqual(version(formatVersion(found)), { ...found })));
});

test("the order of versions is total: antisymmetric, transitive, and equal only without a difference but build", () => {
  fc.assert(
    fc.property(versions, versions, versions, (a, b, c) => {
      assert.equal(compareVersions(a, b), -compareVersions(b, a) + 0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0);
      const same = formatVersion({ ...a, build: [] }) === formatVersion({ ...b, build: [] });
      assert.equal(compareVersions(a, b) === 0, same);
    }),
    { numRuns: 3000 },
  );
});

test("the order is the one of semver.org's example", () => {
  const ascending = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"].map(
    (pre) => `1.0.0-${pre}`,
  );
  const parsed = [...ascending, "1.0.0"].map(version);
  for (const [index, later] of parsed.entries())
    for (const earlier of parsed.slice(0, index)) assert.equal(compareVersions(earlier, later), -1);
});

const signs = {
  "<": (order: number) => order < 0,
  "<=": (order: number) => order <= 0,
  ">": (order: number) => order > 0,
  ">=": (order: number) => order >= 0,
  "=": (order: number) => order === 0,
  "!=": (order: number) => order !== 0,
} as const;
const sign = fc.constantFrom(...(Object.keys(signs) as (keyof typeof signs)[]));
const group = fc.array(fc.tuple(sign, versions), { minLength: 1, maxLength: 3 });
const groups = fc.array(group, { minLength: 1, maxLength: 3 });

function holdsPlainly(found: Version, terms: readonly (readonly [keyof typeof signs, Version])[]): boolean {
  return terms.every(([operator, bound]) => signs[operator](compareVersions(found, bound)));
}

test("a catalog's range includes exactly the versions for which one of its groups holds", () => {
  fc.assert(
    fc.property(groups, versions, (alternatives, probe) => {
      // A text with an x in it is a wildcard there; the identifiers above have one in build metadata only.
      const plain = alternatives.map((terms) => terms.map(([op, bound]) => [op, { ...bound, build: [] }] as const));
      const text = plain.map((terms) => terms.map(([op, bound]) => op + formatVersion(bound)).join(" ")).join(" || ");
      const range = parseBlangRange(text);
      assert.ok(range.ok, text);
      assert.equal(
        range.value.includes(probe),
        plain.some((terms) => holdsPlainly(probe, terms)),
        text,
      );
    }),
    { numRuns: 2000 },
  );
});

test("a user's range includes a pre-release only in a group that names one", () => {
  fc.assert(
    fc.property(groups, versions, (alternatives, probe) => {
      const text = alternatives
        .map((terms) => terms.map(([op, bound]) => op + formatVersion(bound)).join(", "))
        .join("||");
      const range = parseMastermindsRange(text);
      assert.ok(range.ok, text);
      const expected = alternatives.some(
        (terms) =>
          (probe.prerelease.length === 0 || terms.some(([, bound]) => bound.prerelease.length > 0)) &&
          holdsPlainly(probe, terms),
      );
      assert.equal(range.value.includes(probe), expected, `${text} and ${formatVersion(probe)}`);
    }),
    { numRuns: 2000 },
  );
});

/** The product documentation's own tables: each range includes the same releases as the comparators beside it. */
const documented: readonly (readonly [string, string])[] = [
  ["1.11.x", ">=1.11.0, <1.12.0"],
  [">=1.12.X", ">=1.12.0"],
  ["<=2.x", "<3"],
  ["*", ">=0.0.0"],
  ["1.2.x", ">=1.2.0, <1.3.0"],
  [">=1.2.x", ">=1.2.0"],
  ["~1.11.0", ">=1.11.0, <1.12.0"],
  ["~1", ">=1, <2"],
  ["~1.12", ">=1.12, <1.13"],
  ["~1.12.x", ">=1.12.0, <1.13.0"],
  ["~1.2", ">=1.2, <1.3"],
  ["~1.2.x", ">=1.2.0, <1.3.0"],
  ["~1.x", ">=1, <2"],
  ["~1.2.3", ">=1.2.3, <1.3.0"],
  ["~2.3", ">=2.3, <2.4"],
  ["^0", ">=0.0.0, <1.0.0"],
  ["^0.0", ">=0.0.0, <0.1.0"],
  ["^0.0.3", ">=0.0.3, <0.0.4"],
  ["^0.2", ">=0.2.0, <0.3.0"],
  ["^0.2.3", ">=0.2.3, <0.3.0"],
  ["^1.2.x", ">=1.2.0, <2.0.0"],
  ["^1.2.3", ">=1.2.3, <2.0.0"],
  ["^2.x", ">=2.0.0, <3"],
  ["^2.3", ">=2.3, <3"],
  ["1.0 - 2.1", ">=1.0, <=2.1"],
  ["~0.0.0", ">=0.0.0"],
  ["^*", "=0.0.0"],
  ["<=*", "<0.1.0"],
  ["x", ">=0.0.0"],
  ["=*", ">=0.0.0"],
  [">=*", ">=0.0.0"],
  ["~*", ">=0.0.0"],
  ["<*", "<0.0.0"],
  [">*", ">0.0.0"],
  ["!=*", "!=0.0.0"],
  ["1", ">=1.0.0, <2.0.0"],
  ["1.x", ">=1.0.0, <2.0.0"],
  ["=1", ">=1.0.0, <2.0.0"],
  ["1.2", ">=1.2.0, <1.3.0"],
  ["=1.2", ">=1.2.0, <1.3.0"],
  ["!=1", "<1.0.0 || >=2.0.0"],
  ["!=1.2", "<1.2.0 || >=1.3.0"],
  ["!=1.2.x", "<1.2.0 || >=1.3.0"],
  [">1", ">=2.0.0"],
  [">1.x", ">=2.0.0"],
  [">1.2", ">=1.3.0"],
  [">1.2.x", ">=1.3.0"],
  ["<2.x", "<2.0.0"],
  ["<=1.2", "<1.3.0"],
  ["<=1", "<2.0.0"],
  ["<=1.x", "<2.0.0"],
  ["~0", ">=0.0.0, <1.0.0"],
  ["~0.0", ">=0.0.0, <0.1.0"],
  ["~>1.2.3", ">=1.2.3, <1.3.0"],
  ["^0.0.0", "=0.0.0"],
  ["^0.0.1", "=0.0.1"],
  ["^1.x", ">=1.0.0, <2.0.0"],
];

/** A pre-release counts only where a comparator of the same AND group has one. */
const beforeReleases: readonly (readonly [range: string, included: string, excluded: string])[] = [
  [">=1.0.0 <2.0.0", "1.5.0", "1.5.0-rc1 2.0.0-rc1"],
  [">=1.0.0-0 <2.0.0", "1.5.0 1.5.0-rc1 2.0.0-rc1", "2.0.0"],
  [">=1.0.0 <2.0.0-0", "1.5.0 1.5.0-rc1", "2.0.0-rc1 2.0.0"],
  ["1.2.3-alpha.1", "1.2.3-alpha.1", "1.2.3-alpha.2 1.2.3"],
  [">=1.0.0-0 <2.0.0 || >=3.0.0", "1.5.0-rc1 3.1.0", "3.1.0-rc1"],
];

for (const [text, included, excluded] of beforeReleases)
  test(`the range ${text} includes ${included} and not ${excluded}`, () => {
    const range = parseMastermindsRange(text);
    assert.ok(range.ok);
    const isIn = (found: string): boolean => {
      const parsed = parseTolerantVersion(found);
      return parsed.ok && range.value.includes(parsed.value);
    };
    assert.deepEqual(
      included.split(" ").filter((found) => !isIn(found)),
      [],
    );
    assert.deepEqual(excluded.split(" ").filter(isIn), []);
  });

for (const [range, same] of documented)
  test(`the range ${range} includes the releases of ${same}`, () => {
    const [left, right] = [parseMastermindsRange(range), parseMastermindsRange(same)];
    assert.ok(left.ok && right.ok);
    fc.assert(fc.property(released, (found) => left.value.includes(found) === right.value.includes(found)));
  });

test("a range with nothing between two || is refused without an exception", () => {
  const range = parseBlangRange("1.0.0 || || 2.0.0");
  assert.ok(!range.ok);
  assert.equal(range.problem.message, "No element in range between '||' and '||'");
});
