import { existsSync } from "node:fs";
import { join } from "node:path";
import { done, type Result } from "@purser/kubernetes/result";
import { buildImage, type BuiltImage } from "./built-image.ts";
import type { BuildOptions } from "./catalog-image.ts";
import { directoryEntries } from "./directory-entries.ts";
import { writeLayer } from "./layer.ts";

const parts = ["manifests", "metadata", "tests/scorecard"];

/**
 * The image of the bundle directory `root`: `/manifests`, `/metadata` and, where it exists, `/tests/scorecard`, one layer each, as
 * `bundle.Dockerfile` copies them. The problem says which file cannot be packed.
 * @param labels the annotations of `metadata/annotations.yaml`
 */
export async function bundleImage(
  root: string,
  labels: Readonly<Record<string, string>>,
  { signal, onProgress = () => {} }: BuildOptions,
): Promise<Result<BuiltImage, string>> {
  const layers = [];
  let before = 0;
  for (const part of parts) {
    if (part === "tests/scorecard" && !existsSync(join(root, part))) continue;
    const entries = directoryEntries(join(root, part), part);
    if (!entries.ok) return entries;
    let read = 0;
    const layer = await writeLayer(entries.value, signal, (bytes) => onProgress(before + (read = bytes)));
    before += read;
    layers.push({ layer, createdBy: `COPY ${part} /${part}/` });
  }
  return done(buildImage({ layers, labels }));
}
