import type { BundleMetadata } from "../../apis/v1/cluster-extension.ts";
import type { Property } from "../../catalog/catalog-index.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Identifier, Version } from "@purser/kubernetes/version";
import { compareIdentifiers, compareVersions, formatVersion, parseVersion } from "@purser/kubernetes/version";

/** Version and release of a v1 bundle; a release orders rebuilds of one version. */
export interface VersionRelease {
  readonly version: Version;
  /** An empty list (set and empty) differs from absent. */
  readonly release?: readonly Identifier[];
}

const maxRelease = 20;

/** A release: dot-separated identifiers as in a pre-release; the problem is upstream's text. */
function parseRelease(text: string): Result<readonly Identifier[], string> {
  if (text === "") return done([]);
  const invalid = `invalid release ${goQuote(text)}`;
  if (text.length > maxRelease) return failed(`${invalid}: exceeds maximum length of ${maxRelease} characters`);
  const identifiers: Identifier[] = [];
  for (const [index, segment] of text.split(".").entries()) {
    const parsed = parseVersion(`0.0.0-${segment}`);
    if (!parsed.ok) return failed(`${invalid}: segment ${index}: ${parsed.problem.message}`);
    identifiers.push(...parsed.value.prerelease);
  }
  return done(identifiers);
}

/** Build metadata counts as the release where it can be one (the older form of registry+v1 bundles). */
function withRelease(version: Version): VersionRelease {
  if (version.build.length === 0) return { version };
  const release = parseRelease(version.build.join("."));
  return release.ok ? { version: { ...version, build: [] }, release: release.value } : { version };
}

/** Version and release as texts; without a release text, build metadata is looked at. */
function readVersionRelease(version: string, release: string | undefined): Result<VersionRelease, string> {
  const parsed = parseVersion(version);
  if (release === undefined) return parsed.ok ? done(withRelease(parsed.value)) : failed(parsed.problem.message);
  if (!parsed.ok) return failed(`error parsing version ${goQuote(version)}: ${parsed.problem.message}`);
  const parsedRelease = parseRelease(release);
  if (!parsedRelease.ok) return failed(`error parsing release ${goQuote(release)}: ${parsedRelease.problem}`);
  return done({ version: parsed.value, release: parsedRelease.value });
}

const goKind = (value: JsonValue): string =>
  Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;

function packageText(value: JsonValue, name: string): Result<string | undefined, string> {
  const found = isJsonObject(value) ? (member(value, name) ?? null) : null;
  if (found === null) return done(undefined);
  return typeof found === "string"
    ? done(found)
    : failed(
        `error unmarshalling package property: json: cannot unmarshal ${goKind(found)} into Go struct field Package.${name} of type string`,
      );
}

/**
 * Version and release that a bundle's first `olm.package` property states.
 * @param releaseSupport gate `BundleReleaseSupport`: the property's `release` counts, and then build metadata stays in the version
 * @returns upstream's text when they cannot be read
 */
export function bundleVersion(
  name: string,
  properties: readonly Property[],
  releaseSupport: boolean,
): Result<VersionRelease, string> {
  const property = properties.find(({ type }) => type === "olm.package");
  if (property === undefined) return failed(`no package property found in bundle ${goQuote(name)}`);
  const { value } = property;
  if (value !== null && !isJsonObject(value))
    return failed(
      `error unmarshalling package property: json: cannot unmarshal ${goKind(value)} into Go value of type property.Package`,
    );
  const version = packageText(value, "version");
  if (!version.ok) return version;
  const release = packageText(value, "release");
  if (!release.ok) return release;
  return readVersionRelease(version.value ?? "", releaseSupport ? release.value : undefined);
}

/** Version and release of an installed bundle, as its status records them. */
export function installedVersion({ version, release }: BundleMetadata): Result<VersionRelease, string> {
  const read = readVersionRelease(version, release);
  if (read.ok) return read;
  return failed(
    release === undefined
      ? `failed to get version and release of installed bundle: ${read.problem}`
      : `failed to parse installed bundle version and release: ${read.problem}`,
  );
}

/** Version precedence, then release: none or empty first, identifiers as in a pre-release. */
export function compareVersionReleases(left: VersionRelease, right: VersionRelease): number {
  return compareVersions(left.version, right.version) || compareIdentifiers(left.release ?? [], right.release ?? []);
}

export function formatRelease(release: readonly Identifier[]): string {
  return release.join(".");
}

/** What `status.install.bundle` holds: with the gate a release of its own, else joined to the version. */
export function metadataOf(
  name: string,
  { version, release }: VersionRelease,
  releaseSupport: boolean,
): BundleMetadata {
  const text = formatVersion(version);
  if (release === undefined) return { name, version: text };
  if (releaseSupport) return { name, version: text, release: formatRelease(release) };
  return { name, version: release.length === 0 ? text : `${text}+${formatRelease(release)}` };
}
