import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BundleDirectory, BundleFile } from "../../bundle/bundle-files.ts";
import { firstDocument, firstObject, kindOf, nameOf } from "../../bundle/directory/first-object.ts";
import { validatePackageManifest } from "../../bundle/validators/package-manifest.ts";
import { isJsonObject } from "../../json.ts";
import { mediaTypeOf } from "../../bundle/validators/media-type.ts";
import { contentFaults } from "../../bundle/validators/content.ts";
import { formatFaults } from "../../bundle/validators/format.ts";
import { logRecord, type OpmAnswer } from "../../catalog/opm/answer.ts";
import {
  bundleAnnotations,
  bundleDockerfile,
  inferLabels,
  type InferredLabels,
} from "../../catalog/opm/bundle-metadata.ts";
import { goFileError } from "../../catalog-store/go-file-error.ts";
import { digestOf } from "../../digest.ts";
import { isFolder, readBundleDirectory } from "../bundle-directory.ts";
import type { ParsedFlags } from "./flags.ts";
import { flagText, type OpmCommand, refuse } from "./opm-command.ts";

const directoryFlag = {
  name: "directory",
  short: "d",
  value: "DIR",
  summary: "folder of the manifests of one version",
};
const dockerfileName = "bundle.Dockerfile";

const generate: OpmCommand = {
  path: "alpha bundle generate",
  usage: "",
  summary: "write metadata/annotations.yaml and bundle.Dockerfile for a folder of manifests",
  flags: [
    directoryFlag,
    { name: "package", short: "p", value: "NAME", summary: "package that the bundle belongs to" },
    { name: "channels", short: "c", value: "A,B", summary: "channels that the bundle belongs to" },
    { name: "default", short: "e", value: "CHANNEL", summary: "channel that is followed by default" },
    { name: "output-dir", short: "u", value: "DIR", summary: "folder to which manifests and metadata are written" },
    { name: "base-image", value: "IMAGE", summary: "image that the bundle's image begins with (scratch)" },
  ],
  words: [0, Infinity],
  run(parsed) {
    required(parsed, "directory");
    const manifests = resolve(flagText(parsed, "directory"));
    if (!existsSync(manifests)) return refuse(`stat ${manifests}: no such file or directory`);
    if (!isFolder(manifests)) return refuse(`readdirent ${manifests}: not a directory`);
    const files = topLevelFiles(manifests);
    const mediaType = mediaTypeOf(files, manifests, "");
    if (!mediaType.ok) return refuse(mediaType.problem);
    const log: string[] = [];
    const { packageName, channels, defaultChannel } = labelsOf(parsed, manifests, files, log);
    const labels = { mediaType: mediaType.value, packageName, channels, defaultChannel };
    const given = flagText(parsed, "output-dir");
    const parent = given === "" ? dirname(manifests) : resolve(given);
    log.push("Building annotations.yaml");
    if (given !== "") {
      log.push("Generating output manifests directory");
      copyFolder(manifests, join(parent, "manifests"));
    }
    const metadata = join(parent, "metadata");
    log.push(`Writing annotations.yaml in ${metadata}`);
    write(join(metadata, "annotations.yaml"), bundleAnnotations(labels));
    log.push("Building Dockerfile", `Writing ${dockerfileName} in ${process.cwd()}`);
    const paths = {
      baseImage: flagText(parsed, "base-image", "scratch"),
      manifests: relative(process.cwd(), given === "" ? manifests : join(parent, "manifests")) || ".",
      metadata: relative(process.cwd(), metadata),
    };
    write(join(process.cwd(), dockerfileName), bundleDockerfile(labels, paths));
    return { exit: 0, stdout: "", stderr: log.map((line) => logRecord("info", line)).join("") };
  },
};

function required({ values }: ParsedFlags, name: string): void {
  if (!values.has(name)) refuse(`required flag(s) "${name}" not set`);
}

/** The files directly in a folder, as mediaTypeOf reads them. */
function topLevelFiles(folder: string): BundleDirectory {
  const files = readdirSync(folder).flatMap((name): BundleFile[] => {
    const path = join(folder, name);
    return statSync(path).isFile() ? [{ path: name, bytes: readFileSync(path) }] : [];
  });
  return { digest: digestOf(""), files, folders: [] };
}

interface Labels {
  readonly packageName: string;
  readonly channels: string;
  readonly defaultChannel: string;
}

/** What the flags say, completed from the package manifest beside the version's folder. */
function labelsOf(parsed: ParsedFlags, manifests: string, files: BundleDirectory, log: string[]): Labels {
  const given = {
    packageName: flagText(parsed, "package"),
    channels: flagText(parsed, "channels"),
    defaultChannel: flagText(parsed, "default"),
  };
  const missing = [
    ...(given.channels === "" ? ["channels"] : []),
    ...(given.packageName === "" ? ["package name"] : []),
  ];
  if (missing.length === 0) return given;
  log.push(`Bundle ${missing.join(" and ")} information not provided, inferring from parent package directory`);
  const found = inferFrom(dirname(manifests), files, log);
  if (found === undefined)
    return refuse(
      `please manually input channels and packageName, error interpreting bundle from directory ${manifests}, no package manifest in ${dirname(manifests)}`,
    );
  if (given.channels === "" && found.channels.length === 0)
    return refuse("error interpreting channels, please manually input channels instead");
  const inferred = {
    packageName: given.packageName === "" ? found.packageName : given.packageName,
    channels: given.channels === "" ? found.channels.join(",") : given.channels,
    defaultChannel: given.defaultChannel === "" ? found.defaultChannel : given.defaultChannel,
  };
  if (given.channels === "") log.push(`Inferred channels: ${inferred.channels}`);
  if (given.packageName === "") log.push(`Inferred package name: ${inferred.packageName}`);
  if (given.defaultChannel === "") log.push(`Inferred default channel: ${inferred.defaultChannel}`);
  return inferred;
}

function inferFrom(packageFolder: string, bundle: BundleDirectory, log: string[]): InferredLabels | undefined {
  const csvName = bundle.files
    .map((file) => firstObject(file))
    .flatMap((read) => (read.ok && read.value !== undefined ? [read.value.object] : []))
    .find((object) => kindOf(object).kind === "ClusterServiceVersion");
  if (csvName === undefined) return undefined;
  for (const file of topLevelFiles(packageFolder).files) {
    const document = firstDocument(file);
    const value = document.ok ? document.value?.value : undefined;
    const found = value === undefined ? undefined : inferLabels(value, nameOf(csvName));
    if (found === undefined || !isJsonObject(value)) continue;
    for (const { detail } of validatePackageManifest(value).issues)
      log.push(`package manifest ${file.path}: ${detail}`);
    return found;
  }
  return undefined;
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyFolder(join(from, entry.name), join(to, entry.name));
    else copyFileSync(join(from, entry.name), join(to, entry.name));
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

const validate: OpmCommand = {
  path: "alpha bundle validate",
  usage: "",
  summary: "check the format and the content of a bundle (deprecated: purser bundle validate shows more)",
  flags: [
    { name: "tag", short: "t", value: "DIR", summary: "folder of an unpacked bundle; images are not read yet" },
    { name: "image-builder", short: "b", value: "docker|podman|none", summary: "accepted, and not needed" },
    {
      name: "optional-validators",
      short: "o",
      value: "NAMES",
      summary: "accepted; purser bundle validate --suite runs them",
    },
  ],
  words: [0, Infinity],
  run(parsed): OpmAnswer {
    required(parsed, "tag");
    const root = flagText(parsed, "tag");
    if (!isFolder(root))
      return refuse(`"${root}" is no folder here; reading image references is not built yet, unpack the image first`);
    const read = readBundleDirectory(root);
    if (!read.ok) return refuse(read.problem);
    for (const check of [formatFaults, contentFaults]) {
      const faults = check(read.value, resolve(root)).map(({ message }) => message);
      if (faults.length > 0) return refuse(`Bundle validation errors: ${faults.join(",")}`);
    }
    return { exit: 0, stdout: "", stderr: logRecord("info", "All validation tests have been completed successfully") };
  },
};

/** Bundles: their metadata, and whether they are any. */
export const bundleCommands: readonly OpmCommand[] = [generate, validate];
