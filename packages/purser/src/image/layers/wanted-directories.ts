import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ContentProblem } from "../../catalog/content.ts";
import type { WantedContent } from "../pulled-image.ts";
import { imagePath } from "./entry-path.ts";

const configs = "operators.operatorframework.io.index.configs.v1";
const database = "operators.operatorframework.io.index.database.v1";
const manifests = "operators.operatorframework.io.bundle.manifests.v1";
const metadata = "operators.operatorframework.io.bundle.metadata.v1";
const packageName = "operators.operatorframework.io.bundle.package.v1";

/** A path of an image as its elements; empty for the root. */
export type ImagePath = readonly string[];

/** Which part of an image is written. */
export interface WantedDirectories {
  readonly kind: "catalog" | "bundle";
  /** Directories that must exist. */
  readonly required: readonly ImagePath[];
  /** Directories that are written when they exist. */
  readonly optional: readonly ImagePath[];
  /** The directory of the catalog, or the root of the bundle. */
  readonly directory: ImagePath;
}

/** Scorecard tests lie here in the images that `opm` and `operator-sdk` make. */
const scorecard: ImagePath = ["tests", "scorecard"];

/**
 * The directories that the labels of an image's configuration name. A bundle image without labels has its manifests in
 * `manifests/` and its metadata in `metadata/`; a catalog image must have its label. `any` takes what the labels name.
 *
 * Problems: the label of a catalog is missing; a label or `directory` holds `..`; `any` and no label that tells which of both it is.
 * @param directory of the catalog, in place of the label's
 */
export function wantedDirectories(
  wanted: WantedContent,
  labels: Readonly<Record<string, string>>,
  directory?: string,
): Result<WantedDirectories, ContentProblem> {
  switch (wanted) {
    case "catalog":
      return directory === undefined ? catalogDirectories(labels) : namedCatalog(directory);
    case "bundle":
      return bundleDirectories(labels);
    case "any":
      switch (labelledContent(labels)) {
        case "catalog":
          return catalogDirectories(labels);
        case "bundle":
          return bundleDirectories(labels);
        case "database":
        case undefined:
      }
      return failed({
        cause: `image type could not be determined, found labels [${Object.keys(labels).sort().join(" ")}]`,
        remedy: Object.hasOwn(labels, database)
          ? "This is a catalog in the SQLite format, which is no longer supported: use a file-based catalog of it."
          : `Use an image with label ${configs} (catalog) or ${packageName} (bundle).`,
      });
  }
}

/** What the labels of an image say that it holds; `database` is a catalog in the SQLite format. */
export function labelledContent(
  labels: Readonly<Record<string, string>>,
): "catalog" | "bundle" | "database" | undefined {
  const has = (label: string): boolean => Object.hasOwn(labels, label);
  if (has(configs)) return "catalog";
  if (has(packageName)) return "bundle";
  return has(database) ? "database" : undefined;
}

function catalogDirectories(labels: Readonly<Record<string, string>>): Result<WantedDirectories, ContentProblem> {
  const label = Object.hasOwn(labels, configs) ? labels[configs] : undefined;
  if (label === undefined)
    return failed({
      cause: `catalog image is missing the required label ${JSON.stringify(configs)}`,
      remedy: `Name a catalog image, or add the label with the directory of the catalog: LABEL ${configs}=/configs`,
    });
  const path = labelPath(configs, label);
  if (!path.ok) return path;
  return done({ kind: "catalog", required: [path.value], optional: [], directory: path.value });
}

function namedCatalog(directory: string): Result<WantedDirectories, ContentProblem> {
  const path = directory === "" ? failed("the path is empty") : imagePath(directory);
  if (path.ok) return done({ kind: "catalog", required: [path.value], optional: [], directory: path.value });
  return failed({
    cause: `the directory ${JSON.stringify(directory)} of the catalog cannot be read: ${path.problem}`,
    remedy: "Name a directory of the image, such as /configs.",
  });
}

function bundleDirectories(labels: Readonly<Record<string, string>>): Result<WantedDirectories, ContentProblem> {
  const directories: ImagePath[] = [];
  for (const [label, standard] of [
    [manifests, "manifests/"],
    [metadata, "metadata/"],
  ] as const) {
    const path = labelPath(label, (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? standard);
    if (!path.ok) return path;
    directories.push(path.value);
  }
  return done({ kind: "bundle", required: directories, optional: [scorecard], directory: bundleRoot(directories) });
}

/** Where both directories lie side by side under their usual names; else the root of the image. */
function bundleRoot([first = [], second = []]: readonly ImagePath[]): ImagePath {
  const parent = first.slice(0, -1);
  const isUsual = first.at(-1) === "manifests" && second.at(-1) === "metadata";
  return isUsual && parent.join("/") === second.slice(0, -1).join("/") ? parent : [];
}

function labelPath(label: string, value: string): Result<ImagePath, ContentProblem> {
  const path = imagePath(value);
  return path.ok
    ? path
    : failed({
        cause: `label ${label} of the image is ${JSON.stringify(value)}: ${path.problem}`,
        remedy: "Build the image with a label that names a directory of the image.",
      });
}
