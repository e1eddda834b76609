import { done, failed, type Result } from "@purser/kubernetes/result";

/**
 * The elements of a path inside an image. An absolute path counts from the image's root, as container tools do it; empty
 * elements and `.` are left out. Problems: `..` and NUL, which never name a file of an image.
 */
export function imagePath(text: string): Result<readonly string[], string> {
  if (text.includes("\0")) return failed("the path holds a NUL character");
  const elements = text.split("/").filter((element) => element !== "" && element !== ".");
  return elements.includes("..") ? failed('the path holds ".."') : done(elements);
}

/**
 * Why a path is not written, though it is legal in an archive: bytes that are not UTF-8 (a reader shows them as U+FFFD),
 * backslashes and control characters, which other systems and terminals take for something else, or too long for a file
 * system. Upper and lower case and Unicode normal forms are kept as they are.
 */
export function unwritablePath(
  elements: readonly string[],
  { pathBytes, depth }: { readonly pathBytes: number; readonly depth: number },
): string | undefined {
  const path = elements.join("/");
  if (path.includes("\uFFFD")) return "the path is not UTF-8";
  // oxlint-disable-next-line no-control-regex -- these characters are what is looked for
  if (/[\\\u0000-\u001F\u007F]/.test(path)) return "the path holds a backslash or a control character";
  if (!path.isWellFormed()) return "the path is not Unicode";
  if (elements.length > depth) return `the path is deeper than ${depth} directories`;
  if (Buffer.byteLength(path) > pathBytes) return `the path is longer than ${pathBytes} bytes`;
  if (elements.some((element) => Buffer.byteLength(element) > 255)) return "a name is longer than 255 bytes";
  return undefined;
}
