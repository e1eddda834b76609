import type { Identifier, Version } from "@purser/kubernetes/version";
import { compareIdentifiers, compareVersions, parseTolerantVersion, parseVersion } from "@purser/kubernetes/version";

/** What bundles of a package are ordered by. */
export interface Precedence {
  readonly version: Version;
  readonly release: readonly Identifier[];
}

/** Version and release; without a release of its own, build metadata counts as one where it can be one, as for OLM v1. */
export function precedenceOf(version: string | undefined, release?: string): Precedence | undefined {
  if (version === undefined) return undefined;
  const parsed = parseTolerantVersion(version);
  return parsed.ok ? precedenceOfVersion(parsed.value, release) : undefined;
}

/** {@link precedenceOf} a version that is read already. */
export function precedenceOfVersion(version: Version, release?: string): Precedence {
  const text = release ?? version.build.join(".");
  const identifiers = text === "" ? undefined : parseVersion(`0.0.0-${text}`);
  return { version, release: identifiers?.ok === true ? identifiers.value.prerelease : [] };
}

/** Newest first; what has no version comes last. */
export function compareNewestFirst(left: Precedence | undefined, right: Precedence | undefined): number {
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  return compareVersions(right.version, left.version) || compareIdentifiers(right.release, left.release);
}

/** The version that a bundle's name ends in, as names by custom do (`etcd.v0.9.4`); undefined when it does not. */
export function versionInName(name: string): string | undefined {
  const text = /\.v?(\d+\.\d+\.\d+.*)$/s.exec(name)?.[1];
  return text !== undefined && parseVersion(text).ok ? text : undefined;
}
