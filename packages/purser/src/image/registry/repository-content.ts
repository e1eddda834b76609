import type { Clock } from "@purser/kubernetes/clock";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { contentDigest } from "@purser/kubernetes/system/content-digest";
import type { RawManifest } from "../image-source.ts";
import type { Answer } from "./answer.ts";
import { discard, readBounded } from "./bounded-body.ts";
import type { BlobOrigin } from "./blob-stream.ts";
import { imageMediaTypes, indexMediaTypes, manifestMediaType } from "./manifest-media-type.ts";
import type { RegistryClient } from "./registry-client.ts";
import { invalidAnswer, type RegistryFailure } from "./registry-failure.ts";
import type { RegistryLimits } from "./registry-limits.ts";

interface ReadParts {
  readonly clock: Clock;
  readonly limits: RegistryLimits;
}

const accept = [...indexMediaTypes, ...imageMediaTypes].join(", ");
/** A registry that does not know HEAD may answer anything but these, which say the same for GET. */
const sameForGet = new Set([401, 403, 404, 429]);

/** The digest that a registry names for a tag; undefined when only the manifest itself can tell. */
export async function headDigest(
  client: RegistryClient,
  tag: string,
  parts: ReadParts,
  signal: AbortSignal,
): Promise<Result<Digest | undefined, RegistryFailure>> {
  const request = { method: "HEAD", path: `manifests/${tag}`, headers: { accept } } as const;
  const named = await client.send(
    request,
    async (answer) => {
      await discard(answer, parts, signal);
      const digest = answer.header("docker-content-digest") ?? "";
      return done(isDigest(digest) ? digest : undefined);
    },
    signal,
  );
  return named.ok || !isUnknown(named.problem, sameForGet) ? named : done(undefined);
}

/** The manifest or index that a tag or a digest names, its digest checked. */
export function readManifest(
  client: RegistryClient,
  wanted: string,
  parts: ReadParts,
  signal: AbortSignal,
): Promise<Result<RawManifest, RegistryFailure>> {
  const request = { method: "GET", path: `manifests/${wanted}`, headers: { accept } } as const;
  return client.send(request, (answer) => checkedManifest(answer, wanted, parts, signal), signal);
}

/** The index of what refers to a manifest; undefined at a registry without this API. Only its first page is read. */
export async function readReferrers(
  client: RegistryClient,
  digest: Digest,
  { clock, limits }: ReadParts,
  signal: AbortSignal,
): Promise<Result<Uint8Array | undefined, RegistryFailure>> {
  const bounds = { maxBytes: limits.manifestBytes, maxMs: limits.bodyMs, what: `referrers of ${digest}` };
  const request = { method: "GET", path: `referrers/${digest}`, headers: { accept } } as const;
  const listed = await client.send(request, (answer) => readBounded(answer, bounds, clock, signal), signal);
  return listed.ok || !isUnknown(listed.problem, new Set([401, 403, 429])) ? listed : done(undefined);
}

/** An answer of 4xx, other than the `meaningful` ones, to a request that a registry may not know. */
function isUnknown({ httpStatus = 0 }: RegistryFailure, meaningful: ReadonlySet<number>): boolean {
  return httpStatus >= 400 && httpStatus < 500 && !meaningful.has(httpStatus);
}

async function checkedManifest(
  answer: Answer,
  wanted: string,
  { clock, limits }: ReadParts,
  signal: AbortSignal,
): Promise<Result<RawManifest, RegistryFailure>> {
  const { host, status, header } = answer;
  const bounds = { maxBytes: limits.manifestBytes, maxMs: limits.bodyMs, what: `manifest ${wanted}` };
  const bytes = await readBounded(answer, bounds, clock, signal);
  if (!bytes.ok) return bytes;
  const mediaType = manifestMediaType(bytes.value, header("content-type"));
  if (!mediaType.ok)
    return failed(
      invalidAnswer(
        `${host} answered ${status} to a request for manifest ${wanted}, but the content ${mediaType.problem}`,
        host,
        status,
      ),
    );
  const digest: Digest = contentDigest(bytes.value);
  const named = isDigest(wanted) ? wanted : (header("docker-content-digest") ?? digest);
  if (named !== digest)
    return failed(invalidAnswer(`${host} sent content of digest ${digest} as manifest ${named}`, host, status));
  return done({ digest, mediaType: mediaType.value, bytes: bytes.value });
}

/** The blob as one repository has it. */
export function blobOrigin(name: string, client: RegistryClient, digest: Digest): BlobOrigin {
  const open: BlobOrigin["open"] = (from, signal) =>
    client.send({ method: "GET", path: `blobs/${digest}`, headers: rangeFrom(from) }, accepted, signal);
  return { name, open };
}

const accepted = (answer: Answer): Promise<Result<Answer, never>> => Promise.resolve(done(answer));

/** Asks for a blob from byte `from` on. */
export function rangeFrom(from: number): Readonly<Record<string, string>> {
  return from === 0 ? {} : { range: `bytes=${from}-` };
}
