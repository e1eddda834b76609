import type { ImageProblem } from "../image-problem.ts";

/** What is wrong with an image on this machine: the same until the user changes it. */
export function localProblem(
  reference: string,
  kind: ImageProblem["kind"],
  cause: string,
  remedy: string,
): ImageProblem {
  return { kind, reference, cause: `image ${reference}: ${cause}`, remedy, isFinal: kind === "reference" };
}

/** A file of the system that cannot be read. */
export function unreadable(reference: string, path: string, error: unknown): ImageProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  return localProblem(
    reference,
    isMissing ? "notFound" : "machine",
    isMissing
      ? `${path} does not exist`
      : `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    isMissing ? "Name an existing file or directory." : `Make ${path} readable.`,
  );
}
