import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BundleDirectory, BundleFile } from "../../../bundle/bundle-files.ts";
import { firstDocument, firstObject, kindOf, nameOf } from "../../../bundle/directory/first-object.ts";
import { mediaTypeOf } from "../../../bundle/validators/media-type.ts";
import {
  annotationMismatches,
  bundleAnnotations,
  bundleDockerfile,
  inferLabels,
  type InferredLabels,
} from "../../../catalog/opm/bundle-metadata.ts";
import { goFileError } from "../../../catalog-store/read/go-file-error.ts";
import { digestOf } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { isDirectory } from "../../bundle-directory.ts";
import type { FlagSpec, ParsedFlags } from "../flags.ts";
import { flagText, type LogInfo, refuse } from "../opm-command.ts";

export const dockerfileName = "bundle.Dockerfile";

/** Flags of the commands that write a bundle's metadata. */
export const metadataFlags: readonly FlagSpec[] = [
  { name: "directory", short: "d", value: "DIR", required: true, summary: "directory of the manifests of one version" },
  { name: "package", short: "p", value: "NAME", summary: "package that the bundle belongs to" },
  { name: "channels", short: "c", value: "A,B", summary: "channels that the bundle belongs to" },
  { name: "default", short: "e", value: "CHANNEL", summary: "channel that is followed by default" },
  { name: "output-dir", short: "u", value: "DIR", summary: "directory to which manifests and metadata are written" },
  { name: "base-image", value: "IMAGE", initial: "scratch", summary: "image that the bundle's image begins with" },
];

/**
 * Writes `metadata/annotations.yaml` and, in the working directory, `bundle.Dockerfile` for the flags of
 * {@link metadataFlags}. Without `overwrite` existing files are kept, and annotations that differ are refused.
 * @throws FlagError with upstream's error text
 */
export function generateBundle(parsed: ParsedFlags, overwrite: boolean, log: LogInfo): void {
  const manifests = resolve(flagText(parsed, "directory"));
  if (!existsSync(manifests)) return refuse(`stat ${manifests}: no such file or directory`);
  const files = isDirectory(manifests) ? topLevelFiles(manifests) : undefined;
  if (files === undefined || files.files.length === 0)
    return refuse(`The directory ${manifests} contains no yaml files`);
  const mediaType = mediaTypeOf(files, manifests, "");
  if (!mediaType.ok) return refuse(mediaType.problem);
  const given = {
    packageName: flagText(parsed, "package"),
    channels: flagText(parsed, "channels"),
    defaultChannel: flagText(parsed, "default"),
  };
  const labels = { mediaType: mediaType.value, ...labelsOf(given, manifests, log) };
  const output = flagText(parsed, "output-dir");
  const parent = output === "" ? dirname(manifests) : resolve(output);
  log("Building annotations.yaml");
  if (output !== "") {
    log("Generating output manifests directory");
    copyManifests(manifests, join(parent, "manifests"), overwrite);
  }
  const metadata = join(parent, "metadata");
  const annotations = join(metadata, "annotations.yaml");
  if (overwrite || !existsSync(annotations)) {
    log(`Writing annotations.yaml in ${metadata}`);
    write(annotations, bundleAnnotations(labels));
  } else {
    log("An annotations.yaml already exists in the directory: metadata/");
    log("Validating existing annotations.yaml");
    const faults = annotationMismatches(readFileSync(annotations, "utf8"), labels);
    if (!faults.ok) {
      log("Unable to parse existing annotations.yaml", "error");
      return refuse(faults.problem);
    }
    if (faults.value.length > 0)
      refuse(faults.value.length === 1 ? faults.value.join("") : `[${faults.value.join(", ")}]`);
  }
  log("Building Dockerfile");
  const here = process.cwd();
  if (!overwrite && existsSync(join(here, dockerfileName)))
    return log(`A ${dockerfileName} already exists in current working directory: ${here}`);
  log(`Writing ${dockerfileName} in ${here}`);
  const paths = {
    baseImage: flagText(parsed, "base-image", "scratch"),
    manifests: relative(here, output === "" ? manifests : join(parent, "manifests")) || ".",
    metadata: relative(here, metadata) || ".",
  };
  write(join(here, dockerfileName), bundleDockerfile(labels, paths));
}

/** The files directly in a directory, in the form that `mediaTypeOf` reads. */
function topLevelFiles(directory: string): BundleDirectory {
  const files = readdirSync(directory).flatMap((name): BundleFile[] => {
    const path = join(directory, name);
    return statSync(path).isFile() ? [{ path: name, bytes: readFileSync(path) }] : [];
  });
  return { digest: digestOf(""), files, directories: [] };
}

interface Labels {
  readonly packageName: string;
  readonly channels: string;
  readonly defaultChannel: string;
}

/** The labels from the flags, with missing ones inferred from the package manifest in the parent directory. */
function labelsOf(given: Labels, manifests: string, log: LogInfo): Labels {
  const missing = [
    ...(given.channels === "" ? ["channels"] : []),
    ...(given.packageName === "" ? ["package name"] : []),
  ];
  if (missing.length === 0) return given;
  log(`Bundle ${missing.join(" and ")} information not provided, inferring from parent package directory`);
  const found = inferFrom(manifests);
  if (!found.ok)
    return refuse(
      `please manually input channels and packageName, error interpreting bundle from directory ${manifests}, ${found.problem}`,
    );
  const { channels, packageName, defaultChannel } = found.value;
  if (given.channels === "" && channels.length === 0)
    return refuse("error interpreting channels, please manually input channels instead");
  const inferred = {
    packageName: given.packageName === "" ? packageName : given.packageName,
    channels: given.channels === "" ? channels.join(",") : given.channels,
    defaultChannel: given.defaultChannel === "" ? defaultChannel : given.defaultChannel,
  };
  if (given.channels === "") log(`Inferred channels: ${inferred.channels}`);
  if (given.packageName === "") log(`Inferred package name: ${inferred.packageName}`);
  if (given.defaultChannel === "") log(`Inferred default channel: ${inferred.defaultChannel}`);
  return inferred;
}

/** Infers the labels of a version from the directory of its package; the problem is upstream's error text. */
function inferFrom(manifests: string): Result<InferredLabels, string> {
  const own = csvIn(manifests);
  if (!own.ok) return failed(`error loading CSV from bundle directory, ${own.problem}`);
  const directory = dirname(manifests);
  const replaced = new Map<string, readonly string[]>();
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const csv = csvIn(join(directory, entry.name));
    if (!csv.ok) return failed(`error getting CSVs from bundles in the package directory, ${csv.problem}`);
    replaced.set(nameOf(csv.value), replacedBy(csv.value));
  }
  const problems: string[] = [];
  for (const file of topLevelFiles(directory).files) {
    const document = firstDocument(file);
    const labels = document.ok
      ? inferLabels(document.value?.value ?? null, nameOf(own.value), replaced)
      : failed(
          `could not decode contents into package manifest - ${document.problem.goText ?? document.problem.message}`,
        );
    if (labels.ok) return labels;
    problems.push(`error parsing ${join(directory, file.path)} as package.yaml file, ${labels.problem}`);
  }
  const listed = problems.length > 1 ? `[${problems.join(", ")}]` : problems.join("");
  return failed(
    `error parsing package.yaml file in the package root directory, valid PackageManifest YAML file not found in ${directory}, ${listed}`,
  );
}

/** The only ClusterServiceVersion directly in a directory. */
function csvIn(directory: string): Result<JsonObject, string> {
  const found = topLevelFiles(directory).files.flatMap((file) => {
    const read = firstObject(file);
    const object = read.ok ? read.value?.object : undefined;
    return object !== undefined && kindOf(object).kind === "ClusterServiceVersion" ? [object] : [];
  });
  if (found.length > 1) return failed("more than one ClusterServiceVersion is found in bundle");
  const [csv] = found;
  return csv === undefined ? failed(`no ClusterServiceVersion object found in ${directory}`) : done(csv);
}

function replacedBy(csv: JsonObject): readonly string[] {
  const spec = member(csv, "spec");
  if (!isJsonObject(spec)) return [];
  const [skips, replaces] = [member(spec, "skips"), member(spec, "replaces")];
  return [...(Array.isArray(skips) ? (skips as readonly JsonValue[]) : []), replaces].filter(
    (name) => typeof name === "string" && name !== "",
  ) as readonly string[];
}

/** Copies files with their modes. As in upstream, files of subdirectories are copied without their directory's name. */
function copyManifests(from: string, to: string, overwrite: boolean): void {
  mkdirSync(to, { recursive: true });
  const entries = readdirSync(from, { withFileTypes: true }).toSorted((a, b) => compareBytes(a.name, b.name));
  for (const entry of entries) {
    const source = join(from, entry.name);
    if (entry.isDirectory()) {
      copyManifests(source, join(to, basename(from)), overwrite);
      continue;
    }
    const target = join(to, entry.name);
    if (existsSync(target) && !overwrite) continue;
    copyFileSync(source, target);
    chmodSync(target, statSync(source).mode & 0o777);
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    refuse(goFileError("open", path, error));
  }
}
