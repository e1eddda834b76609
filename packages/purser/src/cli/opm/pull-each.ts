import { join } from "node:path";
import type { Result } from "@purser/kubernetes/result";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { openCacheDirectory } from "../../engine/cache-directory.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { openImages } from "../../image/open-images.ts";
import type { PulledImage, WantedContent } from "../../image/pulled-image.ts";
import { pullProgress } from "../image/pull-progress.ts";
import type { FetchedImages } from "./fetched-images.ts";
import type { RunningWorld } from "./opm-command.ts";

export interface Pulling {
  readonly wanted: WantedContent;
  /** Without verified certificates, and over plain HTTP where HTTPS is not served. */
  readonly isInsecure: boolean;
  /** PEM files of authorities, beside those of the machine. */
  readonly authorities?: readonly string[];
}

/**
 * Pulls images and calls `use` with what became of each; what was pulled can be read until it ends. Images are kept below
 * `OLM_CACHE_DIR`, else in the user's cache directory.
 */
export async function pullEach<Answer>(
  references: readonly string[],
  pulling: Pulling,
  world: RunningWorld,
  use: (images: FetchedImages) => Answer | Promise<Answer>,
): Promise<Answer> {
  return withImagePuller(pulling, world, async (pull) => {
    const images = new Map<string, Result<PulledImage, ImageProblem>>();
    for (const reference of references) images.set(reference, await pull(reference));
    return use(images);
  });
}

/** As {@link pullEach}, for references that are known only while the command runs. */
export async function withImagePuller<Answer>(
  { wanted, isInsecure, authorities = [] }: Pulling,
  { env, clock, signal, progress = () => undefined }: RunningWorld,
  use: (pull: (reference: string) => Promise<Result<PulledImage, ImageProblem>>) => Promise<Answer>,
): Promise<Answer> {
  const given = env["OLM_CACHE_DIR"] ?? "";
  // Upstream keeps images of another layout in `images` of its directory.
  const cache = await openCacheDirectory(given === "" ? defaultCacheDirectory(env) : join(given, "purser"));
  const images = openImages({
    directory: cache.path,
    clock,
    entropy: systemEntropy,
    environment: env,
    useHttp: isInsecure,
    authorities,
  });
  try {
    return await use(async (reference) => {
      try {
        const request = { reference, wanted, credentials: [], policy: [] };
        return await images.pull(request, { signal, onProgress: pullProgress(progress, clock) });
      } finally {
        progress("");
      }
    });
  } finally {
    await images.close();
    await cache.close();
  }
}
