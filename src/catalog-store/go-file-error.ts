/** An error of the file system in Go's words: `open PATH: no such file or directory`. */
export function goFileError(operation: string, path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (text === undefined) return `${operation} ${path}: ${error instanceof Error ? error.message : String(error)}`;
  return `${code === "EISDIR" ? "read" : operation} ${path}: ${text}`;
}

const texts: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  ELOOP: "too many levels of symbolic links",
};
