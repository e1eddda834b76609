import type { Digest } from "@purser/kubernetes/digest";
import { isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { fromAnyPlace, ImageError, type ImageSource, type RawManifest } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { FoundSignature } from "./found-signature.ts";
import { payloadMediaType } from "./simple-signing.ts";

const mostSignatures = 50;
const largestPayload = 64 * 1024;

/** The tag under which cosign keeps the signatures of an image. */
export function signatureTag(digest: Digest): string {
  return `${digest.replace(":", "-")}.sig`;
}

/** A layer of a manifest of signatures: its payload is a blob, everything else is in the annotations. */
export interface SignatureLayer {
  readonly digest: Digest;
  readonly size: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * The signatures beside an image; empty when there are none, or when its place cannot hold any. At most 50 with payloads of up to
 * 64 KiB are read. The problem is one of the network or a manifest of another form.
 */
export async function findSignatures(
  source: ImageSource,
  digest: Digest,
  signal: AbortSignal,
): Promise<Result<readonly FoundSignature[], ImageProblem>> {
  const beside = source.sibling?.(signatureTag(digest));
  if (beside === undefined) return done([]);
  try {
    const named = await beside.resolve(signal);
    if (!named.ok) return named.problem.kind === "notFound" ? done([]) : named;
    const manifest = await beside.manifest(named.value, signal);
    if (!manifest.ok) return manifest;
    const layers = signatureLayers(manifest.value);
    if (!layers.ok) return failed(malformed(beside.reference, layers.problem));
    const found: FoundSignature[] = [];
    for (const layer of layers.value.slice(0, mostSignatures)) {
      if (layer.size > largestPayload) continue;
      const payload = await readBlob(beside, layer, signal);
      if (!payload.ok) return payload;
      found.push({ payload: payload.value, annotations: layer.annotations });
    }
    return done(found);
  } finally {
    await beside.close();
  }
}

async function readBlob(
  source: ImageSource,
  { digest, size }: SignatureLayer,
  signal: AbortSignal,
): Promise<Result<Uint8Array, ImageProblem>> {
  const read = async (): Promise<Result<Uint8Array, ImageProblem>> => {
    const blob = await source.blob({ mediaType: payloadMediaType, digest, size }, signal);
    if (!blob.ok) return blob;
    const chunks: Uint8Array[] = [];
    for await (const chunk of blob.value) chunks.push(chunk as Uint8Array);
    return done(Buffer.concat(chunks));
  };
  try {
    return await fromAnyPlace(read);
  } catch (error) {
    if (error instanceof ImageError) return failed(error.problem);
    throw error;
  }
}

/** The layers of a manifest that are signatures; others are left out. The problem is a sentence. */
export function signatureLayers({ bytes }: RawManifest): Result<readonly SignatureLayer[], string> {
  let manifest: JsonValue;
  try {
    manifest = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch {
    return failed("it is not JSON");
  }
  const layers = isJsonObject(manifest) ? member(manifest, "layers") : undefined;
  if (!Array.isArray(layers)) return failed("it is not an image manifest");
  return done((layers as readonly JsonValue[]).flatMap((layer) => (isJsonObject(layer) ? layerOf(layer) : [])));
}

function layerOf(layer: JsonObject): readonly SignatureLayer[] {
  const [digest, size, given] = [member(layer, "digest"), member(layer, "size"), member(layer, "annotations")];
  if (member(layer, "mediaType") !== payloadMediaType || typeof digest !== "string" || !isDigest(digest)) return [];
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return [];
  const annotations = given !== undefined && isJsonObject(given) ? Object.entries(given) : [];
  return [{ digest, size, annotations: Object.fromEntries(annotations.filter(isText)) }];
}

const isText = (entry: readonly [string, JsonValue | undefined]): entry is [string, string] =>
  typeof entry[1] === "string";

const malformed = (reference: string, cause: string): ImageProblem => ({
  kind: "invalid",
  reference,
  cause: `the signatures at ${reference} cannot be read: ${cause}`,
  remedy: "delete that tag and sign the image again",
});
