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
export interface WantedFolders {
  readonly kind: "catalog" | "bundle";
  /** Folders that must exist. */
  readonly required: readonly ImagePath[];
  /** Folders that are written when they exist. */
  readonly optional: readonly ImagePath[];
  /** The folder of the catalog, or the root of the bundle. */
  readonly directory: ImagePath;
}

/** Scorecard tests lie here in the images that `opm` and `operator-sdk` make. */
const scorecard: ImagePath = ["tests", "scorecard"];

/**
 * The folders that the labels of an image's configuration name. A bundle image without labels has its manifests in
 * `manifests/` and its metadata in `metadata/`; a catalog image must have its label. `any` takes what the labels name.
 *
 * Problems: the label of a catalog is missing; a label or `folder` holds `..`; `any` and no label that tells which of both it is.
 * @param folder of the catalog, in place of the label's
 */
export function wantedFolders(
  wanted: WantedContent,
  labels: Readonly<Record<string, string>>,
  folder?: string,
): Result<WantedFolders, ContentProblem> {
  switch (wanted) {
    case "catalog":
      return folder === undefined ? catalogFolders(labels) : namedCatalog(folder);
    case "bundle":
      return bundleFolders(labels);
    case "any":
      switch (labelledContent(labels)) {
        case "catalog":
          return catalogFolders(labels);
        case "bundle":
          return bundleFolders(labels);
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

function catalogFolders(labels: Readonly<Record<string, string>>): Result<WantedFolders, ContentProblem> {
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

function namedCatalog(folder: string): Result<WantedFolders, ContentProblem> {
  const path = folder === "" ? failed("the path is empty") : imagePath(folder);
  if (path.ok) return done({ kind: "catalog", required: [path.value], optional: [], directory: path.value });
  return failed({
    cause: `the directory ${JSON.stringify(folder)} of the catalog cannot be read: ${path.problem}`,
    remedy: "Name a directory of the image, such as /configs.",
  });
}

function bundleFolders(labels: Readonly<Record<string, string>>): Result<WantedFolders, ContentProblem> {
  const folders: ImagePath[] = [];
  for (const [label, standard] of [
    [manifests, "manifests/"],
    [metadata, "metadata/"],
  ] as const) {
    const path = labelPath(label, (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? standard);
    if (!path.ok) return path;
    folders.push(path.value);
  }
  return done({ kind: "bundle", required: folders, optional: [scorecard], directory: bundleRoot(folders) });
}

/** Where both folders lie side by side under their usual names; else the root of the image. */
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
