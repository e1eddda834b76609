import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogRequest, Poll } from "../catalog/content.ts";
import type { ImageProblem } from "../image/image-problem.ts";
import type { Images, PullRequest } from "../image/images.ts";
import { firstOf, machineRemedy } from "./directory-index.ts";
import type { FoundCatalog } from "./found-catalog.ts";
import { pollMs, restOfPollMs, retryMs } from "./image-pauses.ts";
import type { ImageIndexes } from "./image-indexes.ts";
import { preparePull } from "./pull-request.ts";
import type { ReadPullSecrets } from "./pull-secrets.ts";
import { hastenedBySecrets } from "./hastened-by-secrets.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

/** A catalog, a problem, or last good content beside the problem of the source. */
type Found =
  | { readonly catalog: FoundCatalog; readonly problem?: never }
  | { readonly catalog?: FoundCatalog; readonly problem: ImageProblem & SourceProblem };

/** How this process reads images. */
export interface ImageAccess {
  readonly images: Images;
  readonly pullSecrets: ReadPullSecrets;
  /** For jitter. */
  readonly entropy: Entropy;
}

export interface CatalogImageOptions extends ImageAccess {
  readonly reference: string;
  /** As in `PullRequest`. */
  readonly directory?: string | undefined;
  readonly request: Pick<CatalogRequest, "isUnchecked" | "credentials" | "policy" | "lastGood">;
  /** Asked before every look: the interval of an object may change. */
  readonly poll: () => Poll | undefined;
  readonly indexes: ImageIndexes;
  readonly clock: Clock;
}

/**
 * A catalog image. Its mark is its digest: an unchanged tag costs one request and writes nothing, and a restart finds the
 * index of a known digest without reading the image again.
 */
export function catalogImage(options: CatalogImageOptions): SourceReader<FoundCatalog> {
  const { clock, pullSecrets, request } = options;
  return hastenedBySecrets({ secrets: request.credentials, read: pullSecrets, clock }, (read) =>
    followedImage({ ...options, pullSecrets: read }),
  );
}

function followedImage(options: CatalogImageOptions): SourceReader<FoundCatalog> {
  const { reference, directory, request, images, clock, entropy, poll } = options;
  /** After a failure, or until the poll of a former process; absent: the interval. */
  let pause: number | undefined;
  let failures = 0;
  let polledAt: number | undefined;

  /** As OLM does, a look that follows a failure and the first one of a catalog are no polls. */
  function isPoll(mark: string | undefined): boolean {
    const due = poll();
    if (mark !== undefined) return due !== undefined && failures === 0;
    return request.lastGood !== undefined && due?.lastMs !== undefined && restOfPollMs(due, clock.now()) === 0;
  }

  async function digestNow(
    pull: PullRequest,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<Result<Digest, ImageProblem>> {
    // A former process looked not long ago: what it found is what the status names, and what other replicas serve.
    const rest = isFirst && request.lastGood !== undefined ? restOfPollMs(poll(), clock.now()) : 0;
    if (request.lastGood !== undefined && rest > 0) {
      pause = rest;
      return done(request.lastGood);
    }
    pause = undefined;
    return images.resolve(pull, { signal });
  }

  /** What the status names, while the source itself gives nothing: by that digest only. */
  async function lastGood(pull: PullRequest, signal: AbortSignal): Promise<FoundCatalog | undefined> {
    const digest = request.lastGood;
    if (digest === undefined) return undefined;
    const found = await indexOfImage(options, { ...pull, digest }, signal);
    return found.ok ? found.value : undefined;
  }

  async function find(
    { mark, hasContent }: { readonly mark: string | undefined; readonly hasContent: boolean },
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    const { request: pull, complaints } = await preparePull(
      { reference, wanted: "catalog", directory, ...request },
      options.pullSecrets,
      signal,
    );
    const digest = await digestNow(pull, mark === undefined, signal);
    if (digest.ok && digest.value === mark) return undefined;
    const catalog = digest.ok ? await indexOfImage(options, { ...pull, digest: digest.value }, signal) : digest;
    if (catalog.ok) return { catalog: catalog.value };
    const instead = hasContent ? undefined : await lastGood(pull, signal);
    const problem = shownProblem(catalog.problem, "CatalogUnavailable", complaints);
    return { problem, ...(instead === undefined ? {} : { catalog: instead }) };
  }

  return {
    async look(before, signal): Promise<Look<FoundCatalog> | undefined> {
      if (isPoll(before.mark)) polledAt = clock.now();
      const found = await find(before, signal);
      failures = found?.problem === undefined ? 0 : failures + 1;
      if (found === undefined) return undefined;
      const { catalog, problem } = found;
      if (problem === undefined) return { mark: catalog.digest, found: done(catalog) };
      pause = retryMs(problem, failures, entropy.fraction());
      // The last good content is served at once; the failure shows when the next look has it too.
      return { mark: "", found: catalog === undefined ? failed(problem) : done(catalog) };
    },
    polledAt: () => polledAt,
    // The interval may have changed since the look began.
    pauseMs: () => pause ?? pollMs(poll(), entropy.fraction()),
  };
}

/** The index of an image by digest: kept, or built from what the store or the registry holds. */
async function indexOfImage(
  options: Pick<CatalogImageOptions, "reference" | "request" | "images" | "indexes">,
  pull: PullRequest & { readonly digest: Digest },
  signal: AbortSignal,
): Promise<Result<FoundCatalog, ImageProblem>> {
  const { reference, request, images, indexes } = options;
  const { isUnchecked = false } = request;
  const { digest } = pull;
  // The policy decides for each request, so that an image that was refused meanwhile is not served from what is kept.
  const pulled = await images.pull(pull, { signal });
  if (!pulled.ok) return pulled;
  const { root, directory, content, accepted } = pulled.value;
  const built = await indexes.open({ content, directory, isUnchecked }, signal);
  if (built.ok)
    return done({ digest, index: built.value, image: content, ...(accepted === undefined ? {} : { accepted }) });
  const free = machineRemedy(built.problem);
  if (free !== undefined) {
    const cause = `catalog image ${reference}@${digest} cannot be used now: ${firstOf(built.problem)}`;
    return failed({ kind: "machine", reference, cause, remedy: free });
  }
  // Places are paths of the image, not of this machine.
  const cause = `catalog image ${reference}@${digest} cannot be used: ${firstOf(built.problem).replaceAll(`${root}/`, "")}`;
  const remedy = "Push a corrected image, or name another one.";
  return failed({ kind: "content", reference, cause, remedy, isFinal: reference.includes("@") });
}

/**
 * The problem as statuses show it: with the code of its cause, and a pull that failed for want of rights with the Secrets
 * that gave no credentials.
 * @param unavailable the code for all but images that the signature policy rejects
 */
export function shownProblem(
  problem: ImageProblem,
  unavailable: "CatalogUnavailable" | "BundleUnavailable",
  complaints: readonly string[],
): ImageProblem & SourceProblem {
  if (problem.kind === "signature") return { ...problem, code: "SignatureRejected" };
  const coded = { ...problem, code: unavailable };
  if (problem.kind !== "unauthorized" && problem.kind !== "notFound") return coded;
  return { ...coded, mayWantCredentials: true, cause: [problem.cause, ...complaints].join("; ") };
}
