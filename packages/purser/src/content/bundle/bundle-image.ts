import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { BundleRequest } from "../../catalog/content.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import type { PulledImage } from "../../image/pulled-image.ts";
import type { BundlePlace } from "./bundle-in-directories.ts";
import { type ImageAccess, shownProblem } from "../catalog-image.ts";
import { retryMs } from "../image-pauses.ts";
import type { ParsedBundles } from "./parsed-bundles.ts";
import { preparePull } from "../pull-request.ts";
import { hastenedBySecrets } from "../hastened-by-secrets.ts";
import type { Look, SourceProblem, SourceReader } from "../source-reader.ts";

/** How often it is checked that unpacked content is still there: someone may have emptied the cache directory. */
const presenceMs = 60_000;

/**
 * A bundle image. Pulled once; its mark is the image's digest. A tag of a bundle is not followed: as in OLM, what it named
 * first is the bundle.
 */
export function bundleImage(
  request: BundleRequest,
  access: ImageAccess & { readonly clock: Clock },
  parsed: ParsedBundles,
): SourceReader<BundlePlace> {
  return hastenedBySecrets(
    { secrets: request.credentials, read: access.pullSecrets, clock: access.clock },
    (pullSecrets) => pulledBundle(request, { ...access, pullSecrets }, parsed),
  );
}

function pulledBundle(
  request: BundleRequest,
  { images, pullSecrets, entropy }: ImageAccess,
  parsed: ParsedBundles,
): SourceReader<BundlePlace> {
  let pause = presenceMs;
  let failures = 0;
  let known: PulledImage | undefined;

  async function pull(signal: AbortSignal): Promise<Result<PulledImage, ImageProblem & SourceProblem>> {
    const { reference, credentials, policy } = request;
    const prepared = await preparePull({ reference, wanted: "bundle", credentials, policy }, pullSecrets, signal);
    const pinned = known === undefined ? {} : { digest: known.digest };
    const pulled = await images.pull({ ...prepared.request, ...pinned }, { signal });
    return pulled.ok ? pulled : failed(shownProblem(pulled.problem, "BundleUnavailable", prepared.complaints));
  }

  async function find({ digest, directory, accepted }: PulledImage): Promise<Look<BundlePlace>> {
    const found = await parsed.find(directory);
    if (found.digest.ok) {
      const place = { digest: found.digest.value, directory, image: digest };
      return { mark: digest, found: done(accepted === undefined ? place : { ...place, accepted }) };
    }
    const { cause } = found.digest.problem;
    return {
      mark: digest,
      found: failed({ cause: `bundle image ${request.reference}: ${cause}`, remedy: brokenRemedy }),
    };
  }

  return {
    async look({ mark }, signal): Promise<Look<BundlePlace> | undefined> {
      const isThere = known !== undefined && images.held(known.digest, "bundle") !== undefined;
      if (isThere && mark === known?.digest) return undefined;
      const pulled = await pull(signal);
      if (!pulled.ok) {
        failures += 1;
        pause = retryMs(pulled.problem, failures, entropy.fraction());
        return { mark: "", found: failed(pulled.problem) };
      }
      failures = 0;
      pause = presenceMs;
      known = pulled.value;
      return find(pulled.value);
    },
    pauseMs: () => pause,
  };
}

const brokenRemedy = "Push a corrected bundle image, and reference it in the catalog.";
