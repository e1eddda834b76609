import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  compareIdentifiers,
  compareVersions,
  type Identifier,
  parseVersion,
  type Version,
} from "@purser/kubernetes/version";
import { fieldOf, isPlainObject, itemsOf, misfit, textOf } from "../schemas/go-shape.ts";
import type { CatalogBlob } from "../model.ts";
import { propertyShapes } from "../schemas/blob-shapes.ts";
import { embeddedCsv } from "../opm/csv-metadata.ts";
import { parseRelease } from "../release.ts";

/** The order key of the bundles of one package. */
export interface VersionRelease {
  readonly version: Version;
  readonly release: readonly Identifier[];
}

/** Versions first, then none before any release, then releases. */
export function compareVersionReleases(a: VersionRelease, b: VersionRelease): number {
  return compareVersions(a.version, b.version) || compareIdentifiers(a.release, b.release);
}

/**
 * Version and release of a bundle. Build metadata counts as the release of a bundle whose CSV says that it substitutes
 * for another one, as that was written before there were releases.
 */
export function versionRelease({ name, json }: CatalogBlob): Result<VersionRelease, string> {
  const inProperty = `in "olm.package" property for bundle ${goQuote(name)}`;
  const own = itemsOf(json, "properties").filter(
    (item): item is JsonObject => isJsonObject(item) && textOf(item, "type") === "olm.package",
  );
  const [property] = own;
  if (property === undefined) return failed(`no "olm.package" property found for bundle ${goQuote(name)}`);
  const value = fieldOf(property, "value");
  const shape = propertyShapes.get("olm.package");
  const complaint = shape === undefined ? undefined : misfit(value, shape);
  if (complaint !== undefined)
    return failed(`unable to unmarshal "olm.package" property for bundle ${goQuote(name)}: ${complaint}`);
  const given = value !== undefined && isPlainObject(value) ? value : {};
  const versionText = textOf(given, "version");
  const version = parseVersion(versionText);
  if (!version.ok)
    return failed(`invalid semver version ${goQuote(versionText)} ${inProperty}: ${version.problem.message}`);
  const releaseText = textOf(given, "release");
  const release = parseRelease(releaseText);
  if (!release.ok) return failed(`invalid release ${goQuote(releaseText)} ${inProperty}: ${release.problem}`);
  // A second one is refused only after the first could be read.
  if (own.length > 1) return failed('must be exactly one property of type "olm.package"');
  const build = version.value.build.join(".");
  const legacy = releaseText === "" && build !== "" && substitutes(json);
  if (!legacy) return done({ version: version.value, release: identifiers(releaseText) });
  const inferred = parseRelease(build);
  if (!inferred.ok)
    return failed(`unable to convert build metadata ${goQuote(build)} to a release ${inProperty}: ${inferred.problem}`);
  return done({ version: { ...version.value, build: [] }, release: identifiers(build) });
}

function identifiers(release: string): readonly Identifier[] {
  if (release === "") return [];
  return release.split(".").map((part) => (/^[0-9]+$/.test(part) ? BigInt(part) : part));
}

/** An embedded CSV decides; without one the annotations in `olm.csv.metadata`. */
function substitutes(json: JsonObject): boolean {
  const csv = embeddedCsv(json);
  if (csv !== undefined) return isSubstitute(fieldOf(csv, "metadata"));
  return itemsOf(json, "properties").some(
    (item) => isJsonObject(item) && textOf(item, "type") === "olm.csv.metadata" && isSubstitute(fieldOf(item, "value")),
  );
}

function isSubstitute(holder: JsonValue | undefined): boolean {
  const annotations = isJsonObject(holder) ? fieldOf(holder, "annotations") : undefined;
  const given = isJsonObject(annotations) ? member(annotations, "olm.substitutesFor") : undefined;
  return typeof given === "string" && given !== "";
}
