/** An error of the file system in Go's words: `open PATH: no such file or directory`. */
export function goFileError(operation: string, path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (text === undefined) return `${operation} ${path}: ${error instanceof Error ? error.message : String(error)}`;
  return `${code === "EISDIR" ? "read" : operation} ${path}: ${text}`;
}

/** An error of the file system as Node throws it, in Go's words; undefined for every other error. */
export function goSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  const path = "path" in error ? String(error.path) : "";
  return goFileError(String(error.syscall), path, error);
}

const texts: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  ENOSPC: "no space left on device",
  EROFS: "read-only file system",
  EPERM: "operation not permitted",
  ENAMETOOLONG: "file name too long",
  ELOOP: "too many levels of symbolic links",
};
