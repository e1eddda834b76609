import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes, readYaml, writeYaml } from "@purser/kubernetes/text/documents";

/** The labels of a bundle image. */
export interface BundleLabels {
  readonly mediaType: string;
  readonly packageName: string;
  /** Comma-separated. */
  readonly channels: string;
  /** "" when there is none. */
  readonly defaultChannel: string;
}

const label = (part: string): string => `operators.operatorframework.io.bundle.${part}.v1`;

function entriesOf({ mediaType, packageName, channels, defaultChannel }: BundleLabels): readonly [string, string][] {
  return [
    [label("mediatype"), mediaType],
    [label("manifests"), "manifests/"],
    [label("metadata"), "metadata/"],
    [label("package"), packageName],
    [label("channels"), channels],
    ...(defaultChannel === "" ? [] : [[label("channel.default"), defaultChannel] satisfies [string, string]]),
  ];
}

/** Text of `metadata/annotations.yaml`. */
export function bundleAnnotations(labels: BundleLabels): string {
  return writeYaml({ annotations: Object.fromEntries(entriesOf(labels)) });
}

/** Directories that the Dockerfile copies, relative to its own directory. */
export interface DockerfilePaths {
  readonly baseImage: string;
  readonly manifests: string;
  readonly metadata: string;
}

/** Text of `bundle.Dockerfile`. */
export function bundleDockerfile(labels: BundleLabels, { baseImage, manifests, metadata }: DockerfilePaths): string {
  const lines = entriesOf(labels).map(([key, value]) => `LABEL ${key}=${value}\n`);
  const gap = labels.defaultChannel === "" ? "" : "\n";
  return `FROM ${baseImage}\n\n${lines.join("")}${gap}COPY ${manifests} /manifests/\nCOPY ${metadata} /metadata/\n`;
}

/**
 * Where annotations that are already there differ from those asked for, in upstream's words; sorted, upstream's order is
 * random. The problem is why the text cannot be read.
 */
export function annotationMismatches(existing: string, labels: BundleLabels): Result<readonly string[], string> {
  const read = readYaml(existing);
  if (!read.ok)
    return failed((read.problem.goText ?? read.problem.message).replace("error converting YAML to JSON: ", ""));
  const held: JsonObject = isJsonObject(read.value) ? objectIn(read.value, "annotations") : {};
  const mismatches = entriesOf(labels).flatMap(([key, wanted]) => {
    const found: JsonValue | undefined = member(held, key);
    if (found === undefined) return [`Missing field: ${key}`];
    if (found === wanted) return [];
    const shown = typeof found === "string" ? found : JSON.stringify(found);
    return [`Expect field ${goQuote(key)} to have value ${goQuote(wanted)} instead of ${goQuote(shown)}`];
  });
  return done(mismatches.toSorted(compareBytes));
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

/** The labels of a bundle that follow from a package manifest. */
export interface InferredLabels {
  readonly packageName: string;
  /** Sorted. */
  readonly channels: readonly string[];
  readonly defaultChannel: string;
}

/**
 * Package, channels and default channel of the ClusterServiceVersion called `csvName`, from a package manifest: the
 * channels whose head is it or replaces or skips it, over any number of steps of `replaced` (names by name).
 * The problem is that of upstream's DecodePackageManifest.
 */
export function inferLabels(
  packageManifest: JsonValue,
  csvName: string,
  replaced: ReadonlyMap<string, readonly string[]>,
): Result<InferredLabels, string> {
  const packageName = isJsonObject(packageManifest) ? member(packageManifest, "packageName") : undefined;
  if (!isJsonObject(packageManifest) || typeof packageName !== "string" || packageName === "")
    return failed("name of package (packageName) is missing");
  const listed = member(packageManifest, "channels");
  const channels = (Array.isArray(listed) ? (listed as readonly JsonValue[]) : []).flatMap((channel) => {
    const name = isJsonObject(channel) ? member(channel, "name") : undefined;
    const head = isJsonObject(channel) ? member(channel, "currentCSV") : undefined;
    return typeof name === "string" && typeof head === "string" && reaches(head, csvName, replaced) ? [name] : [];
  });
  const given = member(packageManifest, "defaultChannel");
  const defaultChannel = typeof given === "string" ? given : "";
  return done({ packageName, channels: [...new Set(channels)].toSorted(compareBytes), defaultChannel });
}

function reaches(head: string, wanted: string, replaced: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set([head]);
  for (const name of seen) for (const next of replaced.get(name) ?? []) seen.add(next);
  return seen.has(wanted);
}
