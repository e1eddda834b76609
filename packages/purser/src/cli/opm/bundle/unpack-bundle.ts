import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { OpmAnswer } from "../../../catalog/opm/answer.ts";
import { goSystemError } from "../../../catalog-store/read/go-file-error.ts";
import { readBundleDirectory } from "../../bundle-directory.ts";
import type { FetchedImages } from "../fetched-images.ts";
import { refuse } from "../opm-command.ts";
import { bundleDirectory, contentProblem, formatProblem } from "./validate-bundle.ts";

export interface Unpacking {
  /** Created when missing. */
  readonly out: string;
  /** Whether a bundle with faults is refused. */
  readonly validates: boolean;
}

/** `opm alpha bundle unpack`: writes the directories of a bundle image. @throws FlagError with the problem; nothing is written then */
export function unpackBundle(reference: string, images: FetchedImages, { out, validates }: Unpacking): OpmAnswer {
  const directory = bundleDirectory(reference, images);
  const bundle = readBundleDirectory(directory);
  if (!bundle.ok) return refuse(bundle.problem);
  if (validates) {
    const format = formatProblem(bundle.value, directory);
    if (format !== undefined) return refuse(`bundle format validation failed: ${format}`);
    const content = contentProblem(bundle.value, directory);
    if (content !== undefined) return refuse(`bundle content validation failed: ${content}`);
  }
  try {
    copyDirectory(directory, out);
  } catch (error) {
    return refuse(goSystemError(error) ?? String(error));
  }
  return { exit: 0, stdout: "", stderr: "" };
}

/** Content of the image store is read-only; what is written here belongs to the user. */
function copyDirectory(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else if (entry.isFile()) {
      rmSync(target, { force: true });
      copyFileSync(source, target);
      chmodSync(target, 0o644);
    }
  }
}
