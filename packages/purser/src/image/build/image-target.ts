import type { Result } from "@purser/kubernetes/result";
import { failed, done } from "@purser/kubernetes/result";
import { parseImageReference } from "../../image-reference.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { RawManifest } from "../image-source.ts";
import type { BuiltImage } from "./built-image.ts";

/** Where an image is written to. */
export interface ImageTarget {
  /** The manifest under a name; undefined when there is none. */
  get(name: string, signal: AbortSignal): Promise<Result<RawManifest | undefined, ImageProblem>>;
  /**
   * Writes what the target lacks of the image, then its manifest under `name`. An image that is there already is no error.
   * `onProgress` gets the bytes written or found so far.
   * @param name a tag; "" only where {@link TargetReference.name} may be
   */
  put(
    image: BuiltImage,
    name: string,
    options: { readonly signal: AbortSignal; readonly onProgress?: (bytes: number) => void },
  ): Promise<Result<void, ImageProblem>>;
  /** Completes the target; nothing that was put is visible in an archive before. */
  finish(signal: AbortSignal): Promise<Result<void, ImageProblem>>;
  /** Closes connections, deletes temporary files. */
  close(): Promise<void>;
}

/** A reference to write to, parsed. */
export type TargetReference =
  | { readonly kind: "registry"; readonly host: string; readonly repository: string; readonly name: string }
  /** `name` is "" when none was given. */
  | { readonly kind: "layout" | "archive"; readonly path: string; readonly name: string };

/**
 * Parses `[docker://]host/repository:tag`, `oci:DIR[:NAME]` or `oci-archive:FILE[:NAME]`. A registry must be named, and so must
 * a tag; a digest is refused, because it follows from the content.
 */
export function parseTarget(reference: string): Result<TargetReference, ImageProblem> {
  const refuse = (cause: string, remedy: string): Result<never, ImageProblem> =>
    failed({ kind: "reference", reference, cause: `cannot write to ${JSON.stringify(reference)}: ${cause}`, remedy });
  const [, transport = "", path = "", name = ""] = /^(oci|oci-archive):([^:]*)(?::(.*))?$/s.exec(reference) ?? [];
  if (transport !== "") {
    if (path === "") return refuse("it names no path", `write to ${transport}:PATH or ${transport}:PATH:NAME`);
    if (name !== "" && !/^[A-Za-z0-9][A-Za-z0-9._:@/+-]*$/.test(name))
      return refuse(`the name ${JSON.stringify(name)} holds characters that names may not hold`, "name it like a tag");
    return done({ kind: transport === "oci" ? "layout" : "archive", path, name });
  }
  const text = reference.replace(/^docker:\/\//, "");
  if (/^[a-z-]+:(?![0-9]+\/)/.test(text) && !text.includes("/"))
    return refuse("it names no registry", "write to HOST/REPOSITORY:TAG, oci:DIR or oci-archive:FILE");
  const parsed = parseImageReference(text);
  if (!parsed.ok) return refuse(parsed.problem, "write to HOST/REPOSITORY:TAG, oci:DIR or oci-archive:FILE");
  const { registry, repository, tag, digest } = parsed.value;
  const first = text.slice(0, Math.max(0, text.indexOf("/")));
  if (!/[.:]/.test(first) && first !== "localhost")
    return refuse("it names no registry", `write to docker.io/${repository}, or to another HOST/REPOSITORY:TAG`);
  if (digest !== undefined) return refuse("a digest follows from the content", "name a tag only");
  if (tag === undefined) return refuse("it names no tag", `add one, such as ${text}:v1.0.0`);
  return done({ kind: "registry", host: registry, repository, name: tag });
}
