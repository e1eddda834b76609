import { resolve } from "node:path";
import type { BundleDirectory } from "../../../bundle/bundle-files.ts";
import { contentFaults } from "../../../bundle/validators/content.ts";
import { formatFaults } from "../../../bundle/validators/format.ts";
import { logRecord, type OpmAnswer } from "../../../catalog/opm/answer.ts";
import { isDirectory, readBundleDirectory } from "../../bundle-directory.ts";
import { type FetchedImages, imageNameProblem } from "../fetched-images.ts";
import { refuse } from "../opm-command.ts";

/** `opm alpha bundle validate` for an image, or beyond upstream a bundle directory. @throws FlagError with all problems */
export function validateBundle(reference: string, images: FetchedImages): OpmAnswer {
  const root = isDirectory(reference) ? reference : bundleDirectory(reference, images);
  const read = readBundleDirectory(root);
  if (!read.ok) return refuse(read.problem);
  for (const faults of [formatProblem(read.value, root), contentProblem(read.value, root)])
    if (faults !== undefined) return refuse(faults);
  return { exit: 0, stdout: "", stderr: logRecord("info", "All validation tests have been completed successfully") };
}

/** The directory of the bundle that was pulled. @throws FlagError when it could not be */
export function bundleDirectory(reference: string, images: FetchedImages): string {
  const pulled = images.get(reference);
  if (pulled === undefined) return refuse(imageNameProblem(reference) ?? `${reference} is not a directory`);
  return pulled.ok ? pulled.value.directory : refuse(pulled.problem.cause);
}

/** Upstream's text for all faults of the format; undefined when there are none. */
export function formatProblem(bundle: BundleDirectory, root: string): string | undefined {
  return joined(formatFaults(bundle, resolve(root)).map(({ message }) => message));
}

/** Upstream's text for all faults of the content; undefined when there are none. */
export function contentProblem(bundle: BundleDirectory, root: string): string | undefined {
  return joined(contentFaults(bundle, resolve(root)).map(({ message }) => message));
}

function joined(faults: readonly string[]): string | undefined {
  return faults.length === 0 ? undefined : `Bundle validation errors: ${faults.join(",")}`;
}
