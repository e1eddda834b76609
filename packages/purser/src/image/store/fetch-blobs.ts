import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { addAbortSignal, type Readable } from "node:stream";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type Descriptor, fromAnyPlace, ImageError, type ImageSource } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { PullProgress } from "../pulled-image.ts";
import { noLongerNeeded } from "../time-limit.ts";

const largestConfig = 8 * 2 ** 20;
/** Of one image; more connections make a registry slower. */
const atOnce = 3;
const reportEvery = 256 * 1024;

/** Where a fetched blob is. */
export type FetchedBlob = { readonly file: string } | { readonly bytes: Buffer };

type Downloading = Extract<PullProgress, { readonly kind: "downloading" }>;

/** A small blob in memory. Rejects with the signal's reason. */
export async function readConfig(
  source: ImageSource,
  config: Descriptor,
  signal: AbortSignal,
): Promise<Result<Buffer, ImageProblem>> {
  if (config.size > largestConfig)
    return failed({
      kind: "limit",
      reference: source.reference,
      cause: `image ${source.reference}: its configuration has ${config.size} bytes, more than the ${largestConfig} allowed`,
      remedy: "Build the image with a smaller configuration.",
    });
  let chunks: Buffer[] = [];
  const read = async (): Promise<void> => {
    chunks = [];
    const blob = await source.blob(config, signal);
    if (!blob.ok) throw new ImageError(blob.problem);
    for await (const chunk of sourceChunks(source.reference, blob.value, signal)) chunks.push(chunk);
  };
  const problem = await caught(source.reference, signal, () => fromAnyPlace(read));
  return problem === undefined ? done(Buffer.concat(chunks)) : failed(problem);
}

/**
 * Fetches the blobs, each once, some at the same time; the source checks size and digest. The first problem ends all.
 * Rejects with the signal's reason, or with the system's error when the disk refuses.
 * @param directory where they become files; undefined keeps them in memory
 */
export async function fetchBlobs(
  source: ImageSource,
  blobs: readonly Descriptor[],
  directory: string | undefined,
  signal: AbortSignal,
  report: (progress: Downloading) => void,
): Promise<Result<ReadonlyMap<Digest, FetchedBlob>, ImageProblem>> {
  const fetched = new Map<Digest, FetchedBlob>();
  const distinct = new Set<Digest>();
  const waiting: (() => Promise<void>)[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  for (const [index, blob] of blobs.entries()) {
    if (distinct.has(blob.digest)) continue;
    distinct.add(blob.digest);
    const file = directory === undefined ? undefined : join(directory, `blob-${index}`);
    const layer = { layer: index + 1, layers: blobs.length, totalBytes: blob.size };
    const downloading = (bytes: number): void =>
      report({ kind: "downloading", reference: source.reference, ...layer, bytes });
    waiting.push(async () => {
      const fetch = (): Promise<FetchedBlob> => fetchBlob(source, blob, file, either, downloading);
      fetched.set(blob.digest, await fromAnyPlace(fetch));
    });
  }
  waiting.reverse();
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next();
  };
  const problem = await caught(source.reference, signal, async () => {
    const workers = Array.from({ length: atOnce }, worker);
    try {
      await Promise.all(workers);
    } finally {
      stop.abort(noLongerNeeded);
      await Promise.allSettled(workers);
    }
  });
  return problem === undefined ? done(fetched) : failed(problem);
}

async function fetchBlob(
  source: ImageSource,
  blob: Descriptor,
  file: string | undefined,
  signal: AbortSignal,
  report: (bytes: number) => void,
): Promise<FetchedBlob> {
  const stream = await source.blob(blob, signal);
  if (!stream.ok) throw new ImageError(stream.problem);
  let bytes = 0;
  let reported = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of sourceChunks(source.reference, stream.value, signal)) {
      bytes += chunk.length;
      if (bytes - reported >= reportEvery || bytes === blob.size) report((reported = bytes));
      yield chunk;
    }
  };
  if (file === undefined) {
    const chunks: Buffer[] = [];
    for await (const chunk of counted()) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks) };
  }
  // Wrong content of another place may lie there.
  await pipeline(counted(), createWriteStream(file, { flags: "w", mode: 0o600 }));
  return { file };
}

/** Errors of a source are problems, also those of its sockets; errors of our files stay what they are. */
async function* sourceChunks(reference: string, stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    // A stream that gives nothing would hold up the end.
    yield* addAbortSignal(signal, stream) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ImageError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    throw new ImageError({
      kind: "unreachable",
      reference,
      cause: `image ${reference}: the transfer ended early (${code})`,
      remedy: "Try again; check the connection to the registry if it happens again.",
    });
  }
}

/** The problem that `run` ended with; undefined when it succeeded. */
async function caught(
  reference: string,
  signal: AbortSignal,
  run: () => Promise<void>,
): Promise<ImageProblem | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImageError) return { ...error.problem, reference };
    throw error;
  }
}
