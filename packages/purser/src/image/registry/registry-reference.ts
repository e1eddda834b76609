import { failed, type Result } from "@purser/kubernetes/result";
import { type ImageReference, parseImageReference } from "../../image-reference.ts";
import type { ImageProblem } from "../image-problem.ts";

/**
 * Parses `[docker://]host/repository:tag|@digest`. The registry must be written out, because a short name means something
 * else on every machine, and so must a tag or a digest.
 */
export function parseRegistryReference(text: string): Result<ImageReference, ImageProblem> {
  const refuse = (cause: string, remedy: string): Result<never, ImageProblem> =>
    failed({
      kind: "reference",
      reference: text,
      cause: `image ${JSON.stringify(text)} ${cause}`,
      remedy,
      isFinal: true,
    });
  const name = text.replace(/^docker:\/\//, "");
  const parsed = parseImageReference(name);
  if (!parsed.ok)
    return refuse(`has no valid reference: ${parsed.problem}`, "write HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST");
  const { repository, tag, digest } = parsed.value;
  const first = name.slice(0, Math.max(0, name.indexOf("/")));
  if (!/[.:]/.test(first) && first !== "localhost")
    return refuse("names no registry", `write docker.io/${repository}, or another HOST/REPOSITORY`);
  if (tag === undefined && digest === undefined)
    return refuse("has neither tag nor digest", `write ${name}:TAG or ${name}@DIGEST`);
  return parsed;
}
