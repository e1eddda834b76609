import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import type { ImageSource } from "../image-source.ts";
import { UnpackError, type UnpackLimits } from "../layers/unpack-limits.ts";
import { filesOfArchive } from "./archive-files.ts";
import { DockerArchiveSource } from "./docker-archive.ts";
import { localProblem, unreadable } from "./local-problem.ts";
import { parseLocalReference } from "./local-reference.ts";
import { OciLayoutSource } from "./oci-layout.ts";
import { filesOfDirectory } from "./stored-files.ts";

/**
 * Opens `oci:DIR[:NAME]`, `oci-archive:FILE[:NAME]` or `docker-archive:FILE[:REFERENCE]`.
 *
 * Problems: `reference` (no path), `notFound`, `machine` (not readable), `invalid` and `limit` (not such an archive).
 * @param scratch a file that may be made while the source is open, for archives that are compressed as a whole
 */
export async function openLocalImage(
  reference: string,
  scratch: string,
  limits: UnpackLimits,
): Promise<Result<ImageSource, ImageProblem>> {
  const local = parseLocalReference(reference);
  const refuse = (kind: ImageProblem["kind"], cause: string, remedy: string): Result<never, ImageProblem> =>
    failed(localProblem(reference, kind, cause, remedy));
  if (local === undefined)
    return refuse(
      "reference",
      "no path behind the transport",
      "Write oci:DIR, oci-archive:FILE or docker-archive:FILE.",
    );
  const path = resolve(local.path);
  try {
    const isDirectory = (await stat(path)).isDirectory();
    if (local.transport === "oci") {
      if (!isDirectory) return refuse("invalid", `${path} is not a directory`, "Use oci-archive: for a file.");
      return done(new OciLayoutSource(reference, filesOfDirectory(path), local.name));
    }
    if (isDirectory) return refuse("invalid", `${path} is a directory`, "Use oci: for a directory.");
    const files = await filesOfArchive(path, scratch, limits);
    return done(
      local.transport === "oci-archive"
        ? new OciLayoutSource(reference, files, local.name)
        : new DockerArchiveSource(reference, files, local.name),
    );
  } catch (error) {
    if (error instanceof UnpackError) return refuse(error.kind, error.message, "Write the archive again.");
    return failed(unreadable(reference, path, error));
  }
}
