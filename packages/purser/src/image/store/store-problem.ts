import type { ImageProblem } from "../image-problem.ts";

const texts: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "Free space on the disk"],
  EDQUOT: ["the disk quota is used up", "Free space or raise the quota"],
  EROFS: ["the file system is read-only", "Use a directory that can be written"],
  EACCES: ["permission denied", "Allow this user to write"],
  EPERM: ["permission denied", "Allow this user to write"],
  EMFILE: ["too many open files", "Raise the limit of open files (ulimit -n)"],
};

/** Why an image cannot be kept in the directory; undefined for an error that does not come from the system. */
export function storeProblem(reference: string, directory: string, code: string): ImageProblem | undefined {
  if (!/^E[A-Z0-9]+$/.test(code)) return undefined;
  const [cause, remedy] = (Object.hasOwn(texts, code) ? texts[code] : undefined) ?? [code, "Check the disk"];
  return {
    kind: "machine",
    reference,
    cause: `image ${reference} cannot be stored in ${directory}: ${cause}`,
    remedy: `${remedy}: ${directory}`,
  };
}

/** The code of a system's error, as Node throws it. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && "syscall" in error ? String(error.code) : undefined;
}
