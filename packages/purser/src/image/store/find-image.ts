import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { contentDigest } from "@purser/kubernetes/system/content-digest";
import type { Descriptor, ImageSource } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import { choosePlatform } from "../layout/choose-platform.ts";
import { decodeManifest } from "../layout/image-manifest.ts";

/** What one image consists of. */
export interface FoundImage {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** An index may name another one; more than this nobody builds. */
const deepestIndex = 4;

/**
 * The image that a digest names: of an index, the one for Linux and the architecture. Every manifest is checked against
 * its digest, so an index cannot name itself. Problems are those of the source; `invalid` for a document that is neither
 * image nor index, too deep an index, or none for the platform.
 */
export async function findImage(
  source: ImageSource,
  digest: Digest,
  architecture: string,
  signal: AbortSignal,
): Promise<Result<FoundImage, ImageProblem>> {
  const refuse = (at: Digest, cause: string): Result<never, ImageProblem> =>
    failed({
      kind: "invalid",
      reference: source.reference,
      cause: `image ${source.reference}: manifest ${at}: ${cause}`,
      remedy: "Check that the reference names a container image; push the image again if it does.",
    });
  let at = digest;
  for (let depth = 0; depth <= deepestIndex; depth++) {
    const raw = await source.manifest(at, signal);
    if (!raw.ok) return raw;
    const actual = contentDigest(raw.value.bytes);
    if (actual !== at) return refuse(at, `it has the content of ${actual}`);
    const manifest = decodeManifest(raw.value.bytes, raw.value.mediaType);
    if (!manifest.ok) return refuse(at, manifest.problem);
    if (manifest.value.kind === "image") return done(manifest.value);
    const chosen = choosePlatform(manifest.value.manifests, architecture);
    if (!chosen.ok) return refuse(at, chosen.problem);
    at = chosen.value.digest;
  }
  return refuse(digest, `the index names further indexes more than ${deepestIndex} levels deep`);
}
