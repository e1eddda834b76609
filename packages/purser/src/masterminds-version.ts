// Versions in the range grammar of OLM v1: shorter versions are completed, and there are five error messages.
import { goQuote } from "@purser/kubernetes/go-quote";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Identifier, Version } from "@purser/kubernetes/version";

const largest = (1n << 64n) - 1n;
const digits = /^[0-9]*$/;
const identifierCharacters = /^[0-9A-Za-z-]*$/;
const dotted = String.raw`[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*`;
const loose = new RegExp(String.raw`^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-(${dotted}))?(?:\+(${dotted}))?$`);

/** One number of a version; the caller checks leading zeros. */
export function segmentOf(text: string): Result<bigint, string> {
  if (text === "" || !digits.test(text)) return failed(`strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`);
  const number = BigInt(text);
  return number > largest ? failed(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`) : done(number);
}

/** Dot-separated identifiers of a pre-release. Digits beyond 64 bits count as text. */
export function identifiersOf(text: string): Result<readonly Identifier[], string> {
  const identifiers: Identifier[] = [];
  for (const part of text.split(".")) {
    if (/^0[0-9]+$/.test(part)) return failed("version segment starts with 0");
    if (!identifierCharacters.test(part)) return failed("invalid prerelease string");
    const number = segmentOf(part);
    identifiers.push(number.ok ? number.value : part);
  }
  return done(identifiers);
}

/**
 * Reads `1`, `v1.2`, `1.2.3-rc.1+build`; leading zeros in the three numbers are dropped.
 * @testOnly holds the parts that ranges are read with against golden cases
 */
export function parseLooseVersion(text: string): Result<Version, string> {
  const found = loose.exec(text);
  if (found === null) return failed("invalid semantic version");
  const [, majorText = "", minorText = "0", patchText = "0", prereleaseText, buildText] = found;
  const major = segmentOf(majorText);
  if (!major.ok) return failed(`error parsing version segment: ${major.problem}`);
  const minor = segmentOf(minorText);
  if (!minor.ok) return failed(`error parsing version segment: ${minor.problem}`);
  const patch = segmentOf(patchText);
  if (!patch.ok) return failed(`error parsing version segment: ${patch.problem}`);
  const prerelease = prereleaseText === undefined ? done([]) : identifiersOf(prereleaseText);
  if (!prerelease.ok) return prerelease;
  const build = buildText?.split(".") ?? [];
  return done({ major: major.value, minor: minor.value, patch: patch.value, prerelease: prerelease.value, build });
}

/**
 * The error of the strict form of this grammar for `text`; undefined when it is a version with all three numbers.
 * @testOnly holds the parts that ranges are read with against golden cases
 */
export function strictFault(text: string): string | undefined {
  if (text === "") return "version string empty";
  const [major, minor, ...rest] = text.split(".");
  if (major === undefined || minor === undefined || rest.length === 0) return "invalid semantic version";
  const [beforeBuild = "", ...build] = rest.join(".").split("+");
  if (
    build.length > 0 &&
    !build
      .join("+")
      .split(".")
      .every((part) => part !== "" && identifierCharacters.test(part))
  )
    return "invalid metadata string";
  const [patch = "", ...prerelease] = beforeBuild.split("-");
  if (prerelease.length > 0) {
    const text = prerelease.join("-");
    if (text.split(".").includes("")) return "invalid prerelease string";
    const identifiers = identifiersOf(text);
    if (!identifiers.ok) return identifiers.problem;
  }
  for (const number of [major, minor, patch]) {
    if (!digits.test(number)) return "invalid characters in version";
    if (number.length > 1 && number.startsWith("0")) return "version segment starts with 0";
  }
  for (const number of [major, minor, patch]) {
    const segment = segmentOf(number);
    if (!segment.ok) return segment.problem;
  }
  return undefined;
}
