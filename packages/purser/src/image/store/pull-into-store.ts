import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import type { Descriptor, ImageSource } from "../image-source.ts";
import { decodeConfig, type ImageConfig } from "../layout/image-manifest.ts";
import type { FetchedLayer } from "../layers/unpack-layers.ts";
import { type UnpackLimits, sizeText } from "../layers/unpack-limits.ts";
import type { UnpackFailure, UnpackProcess } from "../layers/unpack-process.ts";
import { wantedDirectories, type WantedDirectories } from "../layers/wanted-directories.ts";
import type { PulledImage, PullProgress, WantedContent } from "../pulled-image.ts";
import { noLongerNeeded } from "../time-limit.ts";
import { fetchBlobs, type FetchedBlob, readConfig } from "./fetch-blobs.ts";
import { findImage, type FoundImage } from "./find-image.ts";
import type { ImageStore } from "./image-store.ts";
import { storeProblem, systemCode } from "./store-problem.ts";

export interface PullTools {
  readonly store: ImageStore;
  readonly unpacker: UnpackProcess;
  readonly limits: UnpackLimits;
  /** As image indexes write it: `amd64`. */
  readonly architecture: string;
  /** Where the store lies, for messages. */
  readonly directory: string;
  readonly mostBytes: number;
}

export interface PullOrder {
  readonly source: ImageSource;
  readonly digest: Digest;
  /** Under which the store keeps it. */
  readonly content: Digest;
  readonly wanted: WantedContent;
  /** As in `PullRequest`. */
  readonly directory?: string | undefined;
  /** The reference names a digest, so the content cannot become another one. */
  readonly isPinned: boolean;
}

/** Of all layers: fetching so much in vain takes less than waiting for the configuration, and memory takes less time than files. */
const smallBytes = 512 * 1024;

/**
 * Pulls an image into the store: its manifest, its configuration with the labels, its layers (into files unless they are
 * small), and the wanted directories of them through the unpacking process. Whatever happens, the scratch directory is removed and the store holds
 * the whole image or nothing. Rejects with the signal's reason.
 */
export async function pullIntoStore(
  order: PullOrder,
  tools: PullTools,
  signal: AbortSignal,
  report: (progress: PullProgress) => void,
): Promise<Result<PulledImage, ImageProblem>> {
  const { source, digest } = order;
  const { reference } = source;
  const scratch: string[] = [];
  try {
    const found = await findImage(source, digest, tools.architecture, signal);
    if (!found.ok) return found;
    const tooLarge = tooLargeToFetch(reference, found.value, tools.limits);
    if (tooLarge !== undefined) return failed(tooLarge);
    // Starts while the layers are fetched.
    tools.unpacker.prepare();
    const newDirectory = async (): Promise<string> => {
      const directory = await tools.store.scratch();
      scratch.push(directory);
      return directory;
    };
    const isSmall = bytesOf(found.value.layers) <= smallBytes;
    const blobs = isSmall ? undefined : await newDirectory();
    const into = await newDirectory();
    const parts = await fetchParts(order, found.value, blobs, signal, report);
    return parts.ok ? await unpackInto(into, order, parts.value, tools, signal, report) : parts;
  } catch (error) {
    signal.throwIfAborted();
    const problem = storeProblem(reference, tools.directory, systemCode(error) ?? "");
    if (problem === undefined) throw error;
    return failed(problem);
  } finally {
    await Promise.all(scratch.map((directory) => tools.store.discard(directory)));
  }
}

interface FetchedParts {
  readonly layers: readonly FetchedLayer[];
  readonly directories: WantedDirectories;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The wanted directories by the labels of the configuration, and the layers.
 * @param directory for the layers, which are fetched only when the labels name what is wanted; undefined for those of a small
 * image, which are fetched at the same time as the configuration and stay in memory
 */
async function fetchParts(
  order: PullOrder,
  { config, layers }: FoundImage,
  directory: string | undefined,
  signal: AbortSignal,
  report: (progress: PullProgress) => void,
): Promise<Result<FetchedParts, ImageProblem>> {
  const { source } = order;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const fetchLayers = (): ReturnType<typeof fetchBlobs> => fetchBlobs(source, layers, directory, either, report);
  const early = directory === undefined ? fetchLayers() : undefined;
  // Awaited below; until then a rejection has nobody else.
  early?.catch(() => undefined);
  try {
    const bytes = await readConfig(source, config, signal);
    const wanted = bytes.ok ? wantedByConfig(order, bytes.value, layers) : bytes;
    if (!wanted.ok) return wanted;
    const { directories, labels, diffIds } = wanted.value;
    const blobs = await (early ?? fetchLayers());
    if (!blobs.ok) return blobs;
    const fetched = layers.map(({ digest, mediaType }, index) => ({
      ...storedLayer(blobs.value.get(digest)),
      mediaType,
      diffId: diffIds?.[index],
    }));
    return done({ directories, labels, layers: fetched });
  } finally {
    stop.abort(noLongerNeeded);
    await Promise.allSettled([early]);
  }
}

function storedLayer(blob: FetchedBlob | undefined): { readonly file: string } | { readonly base64: string } {
  if (blob === undefined) throw new RangeError("a layer was not fetched");
  return "file" in blob ? blob : { base64: blob.bytes.toString("base64") };
}

function wantedByConfig(
  { source: { reference }, wanted, directory, isPinned: isFinal }: PullOrder,
  bytes: Uint8Array,
  layers: readonly Descriptor[],
): Result<Pick<FetchedParts, "directories" | "labels"> & Pick<ImageConfig, "diffIds">, ImageProblem> {
  const broken = (problem: string): Result<never, ImageProblem> =>
    failed({
      kind: "invalid",
      reference,
      cause: `image ${reference}: ${problem}`,
      remedy: "Build and push the image again.",
      isFinal,
    });
  const config = decodeConfig(bytes);
  if (!config.ok) return broken(config.problem);
  const { labels, diffIds } = config.value;
  if (diffIds !== undefined && diffIds.length !== layers.length)
    return broken(
      `the manifest has ${layers.length} layers, but rootfs.diff_ids of the image configuration names ${diffIds.length}`,
    );
  const directories = wantedDirectories(wanted, labels, directory);
  if (directories.ok) return done({ directories: directories.value, labels, diffIds });
  return failed({ kind: "content", reference, ...directories.problem, labels, isFinal });
}

async function unpackInto(
  into: string,
  { source: { reference }, content, isPinned }: PullOrder,
  parts: FetchedParts,
  tools: PullTools,
  signal: AbortSignal,
  report: (progress: PullProgress) => void,
): Promise<Result<PulledImage, ImageProblem>> {
  report({ kind: "unpacking", reference });
  const answer = await tools.unpacker.unpack({ ...parts, into, limits: tools.limits }, signal);
  if (!answer.ok) return failed(unpackProblem(answer.problem, reference, isPinned, tools.directory));
  const { bytes } = answer.value;
  const stored = await tools.store.commit(into, { digest: content, kind: parts.directories.kind, bytes });
  if (!("excess" in stored)) return done(stored);
  return failed({
    kind: "machine",
    reference,
    cause: `image ${reference} with ${sizeText(bytes)} does not fit in the image store ${tools.directory}, which may hold ${sizeText(tools.mostBytes)}`,
    remedy: "Raise the limit (--image-store-size), or delete catalogs and operators that are not needed.",
  });
}

const bytesOf = (layers: readonly Descriptor[]): number => layers.reduce((sum, { size }) => sum + size, 0);

/** Layers that name more bytes than may be unpacked are not fetched. */
function tooLargeToFetch(reference: string, { layers }: FoundImage, limits: UnpackLimits): ImageProblem | undefined {
  const bytes = bytesOf(layers);
  const cause =
    layers.length > limits.layers
      ? `it has ${layers.length} layers, more than the ${limits.layers} allowed`
      : bytes > limits.inflatedBytes
        ? `its layers have ${sizeText(bytes)}, more than the ${sizeText(limits.inflatedBytes)} allowed`
        : undefined;
  return cause === undefined
    ? undefined
    : { kind: "limit", reference, cause: `image ${reference}: ${cause}`, remedy: "Build a smaller image." };
}

function unpackProblem(failure: UnpackFailure, reference: string, isPinned: boolean, directory: string): ImageProblem {
  const cause = `image ${reference}: ${failure.message}`;
  switch (failure.kind) {
    case "invalid":
      return { kind: "invalid", reference, cause, remedy: "Build and push the image again.", isFinal: isPinned };
    case "limit":
      return {
        kind: "limit",
        reference,
        cause,
        remedy: "Build the image without it, or a smaller one.",
        isFinal: isPinned,
      };
    case "content":
      return {
        kind: "content",
        reference,
        cause,
        remedy: "Check the labels of the image against its directories.",
        isFinal: isPinned,
      };
    case "exceeded":
      return { kind: "limit", reference, cause, remedy: "Try again on a less busy machine, or build a smaller image." };
    case "machine":
      return (
        storeProblem(reference, directory, failure.code) ?? {
          kind: "machine",
          reference,
          cause,
          remedy: "Try again; free memory if the system ended the process.",
        }
      );
  }
}
