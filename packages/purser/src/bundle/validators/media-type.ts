import { isJsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { BundleDirectory } from "../bundle-files.ts";
import { listDirectory } from "../bundle-paths.ts";
import { firstDocument, firstObject, foldedMember, kindOf } from "../directory/first-object.ts";

export type MediaType = "helm" | "registry+v1" | "plain";

/**
 * What kind of bundle the files of a directory make: a chart with a name, a ClusterServiceVersion, or other manifests.
 * @param shown the directory in upstream's text for an empty one
 * @param directory with a final `/`, "" for files at the top
 */
export function mediaTypeOf(
  files: BundleDirectory,
  shown: string,
  directory = "manifests/",
): Result<MediaType, string> {
  const inside = listDirectory(files, directory).files;
  if (inside.length === 0) return failed(`The directory ${shown} contains no yaml files`);
  const chart = inside.find(({ name }) => name === "Chart.yaml");
  const read = chart === undefined ? undefined : firstDocument(chart.file);
  const value = read?.ok === true ? read.value?.value : undefined;
  const name = isJsonObject(value) ? foldedMember(value, "name") : undefined;
  if (typeof name === "string" && name !== "") return done("helm");
  const hasCsv = inside.some(({ file }) => {
    const object = firstObject(file);
    return object.ok && object.value !== undefined && kindOf(object.value.object).kind === "ClusterServiceVersion";
  });
  return done(hasCsv ? "registry+v1" : "plain");
}
