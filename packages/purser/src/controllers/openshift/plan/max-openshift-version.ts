import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseTolerantVersion } from "@purser/kubernetes/version";

/** A minor version of OpenShift. */
export interface OpenShiftMinor {
  readonly major: bigint;
  readonly minor: bigint;
}

const propertyType = "olm.maxOpenShiftVersion";

/**
 * The newest minor version of OpenShift that a bundle supports, by its property `olm.maxOpenShiftVersion`; undefined when it
 * has none. The problem is the text of OLM's `maxOpenShiftVersion`.
 * @param annotation the bundle's properties, as a list (`olm.properties`) or as `{"properties": [...]}`
 *   (`operatorframework.io/properties`)
 */
export function maxOpenShiftVersion(annotation: string | undefined): Result<OpenShiftMinor | undefined, string> {
  if (annotation === undefined || annotation === "") return done(undefined);
  const properties = propertiesIn(annotation);
  if (!properties.ok) return properties;
  const values = properties.value.flatMap((property) =>
    isJsonObject(property) && property["type"] === propertyType ? [property["value"]] : [],
  );
  const [value] = values;
  if (values.length === 0) return done(undefined);
  if (values.length > 1) return failed(`defining more than one "${propertyType}" property is not allowed`);
  if (typeof value !== "string") return failed(`value ${JSON.stringify(value ?? null)} is not a string`);
  // Bundles quote the value once more, which OLM accepts.
  const text = value.replace(/^"+|"+$/g, "");
  if (text === "") return failed('value cannot be "" (an empty string)');
  const version = parseTolerantVersion(text);
  if (!version.ok) return failed(`failed to parse "${text}" as semver: ${version.problem.message}`);
  const { major, minor, patch, prerelease } = version.value;
  if (patch !== 0n || prerelease.length > 0)
    return failed(`property ${propertyType} must specify only <major>.<minor> version, got invalid value ${text}`);
  return done({ major, minor });
}

/** The minor version after the one that `version` is of, for instance 4.19 for `4.18.0-rc.1`; the problem is the parser's. */
export function nextMinor(version: string): Result<OpenShiftMinor, string> {
  const parsed = parseTolerantVersion(version);
  if (!parsed.ok) return failed(parsed.problem.message);
  return done({ major: parsed.value.major, minor: parsed.value.minor + 1n });
}

/** Whether a bundle that supports OpenShift up to `most` supports `wanted`. */
export function supports(most: OpenShiftMinor, wanted: OpenShiftMinor): boolean {
  return most.major === wanted.major ? most.minor >= wanted.minor : most.major > wanted.major;
}

function propertiesIn(annotation: string): Result<readonly JsonValue[], string> {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(annotation, numbersAsTexts as Parameters<typeof JSON.parse>[1]) as JsonValue;
  } catch (error) {
    return failed(`failed to unmarshal properties annotation: ${(error as Error).message}`);
  }
  const list = isJsonObject(parsed) ? (parsed["properties"] ?? []) : parsed;
  if (!Array.isArray(list)) return failed("failed to unmarshal properties annotation: it is not a list of properties");
  return done(list as readonly JsonValue[]);
}

/** OLM reads the text of a value, and as a number 4.20 would be 4.2. */
function numbersAsTexts(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === "number" ? source : value;
}
