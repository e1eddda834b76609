import { existsSync } from "node:fs";
import { parseImageReference } from "../../image-reference.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { isLocalReference } from "../../image/layout/local-reference.ts";

/** What a word of a command names: what exists as a path is a path. */
export type NamedContent =
  | { readonly kind: "path" }
  /** `[docker://]HOST/REPOSITORY:TAG|@DIGEST`, `oci:`, `oci-archive:` or `docker-archive:`. */
  | { readonly kind: "image" }
  /** An image reference that lacks a part. */
  | { readonly kind: "incomplete"; readonly problem: ImageProblem }
  | { readonly kind: "missing" };

/** Reads a word as a path or as an image reference. Asks the file system only. */
export function namedContent(text: string): NamedContent {
  if (existsSync(text)) return { kind: "path" };
  if (isLocalReference(text)) return { kind: "image" };
  const name = text.replace(/^docker:\/\//, "");
  const isNamedImage = name !== text;
  const incomplete = (problem: string, remedy: string): NamedContent => ({
    kind: "incomplete",
    problem: {
      kind: "reference",
      reference: text,
      cause: `${JSON.stringify(text)} ${problem}`,
      remedy,
      isFinal: true,
    },
  });
  const parsed = parseImageReference(name);
  if (!isNamedImage && (/^[./~]/.test(name) || !parsed.ok)) return { kind: "missing" };
  if (!parsed.ok) return incomplete(`is not an image reference: ${parsed.problem}`, "correct the reference");
  const { tag, digest } = parsed.value;
  const isTagged = tag !== undefined || digest !== undefined;
  const hasHost = /^(?:localhost|[^/]*[.:][^/]*)\//.test(name);
  if (hasHost && isTagged) return { kind: "image" };
  if (!isNamedImage && !hasHost && !isTagged) return { kind: "missing" };
  const words = isNamedImage ? "is an image reference that" : "does not exist; as an image reference it";
  return hasHost
    ? incomplete(`${words} has neither a tag nor a digest`, `write ${text}:TAG`)
    : incomplete(`${words} names no registry`, `write REGISTRY/${name}`);
}
