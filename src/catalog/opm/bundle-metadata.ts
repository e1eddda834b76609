import { goQuote } from "../../go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { compareBytes, readYaml, writeYaml } from "../../text/documents.ts";

/** What a bundle image says of itself. */
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

/** Where the Dockerfile finds what it copies, relative to the folder it lies in. */
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

/** Where annotations that are already there differ from those asked for, in upstream's words; sorted, upstream's order is random. */
export function annotationMismatches(existing: string, labels: BundleLabels): readonly string[] {
  const read = readYaml(existing);
  if (!read.ok) return [read.problem.message];
  const held: JsonObject = isJsonObject(read.value) ? objectIn(read.value, "annotations") : {};
  return entriesOf(labels)
    .flatMap(([key, wanted]) => {
      const found: JsonValue | undefined = member(held, key);
      if (found === undefined) return [`Missing field: ${key}`];
      if (found === wanted) return [];
      const shown = typeof found === "string" ? found : JSON.stringify(found);
      return [`Expect field ${goQuote(key)} to have value ${goQuote(wanted)} instead of ${goQuote(shown)}`];
    })
    .toSorted(compareBytes);
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

/** What a package folder's manifest says of a bundle in it. */
export interface InferredLabels {
  readonly packageName: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
}

/** Package, channels and default channel of the CSV called `csvName`, from a package manifest; undefined when it is none. */
export function inferLabels(packageManifest: JsonValue, csvName: string): InferredLabels | undefined {
  if (!isJsonObject(packageManifest)) return undefined;
  const packageName = member(packageManifest, "packageName");
  const listed = member(packageManifest, "channels");
  if (typeof packageName !== "string" || packageName === "" || !Array.isArray(listed)) return undefined;
  const channels = (listed as readonly JsonValue[]).flatMap((channel) => {
    const name =
      isJsonObject(channel) && member(channel, "currentCSV") === csvName ? member(channel, "name") : undefined;
    return typeof name === "string" ? [name] : [];
  });
  const given = member(packageManifest, "defaultChannel");
  return { packageName, channels, defaultChannel: typeof given === "string" ? given : "" };
}
