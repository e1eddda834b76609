import type { Digest } from "@purser/kubernetes/digest";
import { isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type Descriptor, fromAnyPlace, ImageError, type ImageSource, type RawManifest } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { SimpleSignature } from "./found-signature.ts";
import { isBundleMediaType, type ReadBundle, readBundle } from "./sigstore-bundle.ts";
import { payloadMediaType } from "./simple-signing.ts";

/** A signature beside its image; nothing of it is verified. */
export type FoundSignature =
  | ({ readonly kind: "simple" } & SimpleSignature)
  /** A problem is a sentence that begins with "its bundle" or "its statement". */
  | { readonly kind: "bundle"; readonly bundle: Result<ReadBundle, string> };

const mostSignatures = 50;
const largestPayload = 64 * 1024;
const largestBundle = 256 * 1024;

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

/** The tag of the index of what refers to an image, for registries without the referrers API. */
const referrersTag = (digest: Digest): string => digest.replace(":", "-");

/**
 * The signatures beside an image: those of cosign 2 under its tag, then Sigstore bundles that refer to the image, as cosign 3 writes
 * them. Empty when there are none, or when its place cannot hold any. Of each form at most 50 are read, payloads of up to 64 KiB and
 * bundles of up to 256 KiB. The problem is one of the network or a manifest of another form.
 */
export async function findSignatures(
  source: ImageSource,
  digest: Digest,
  signal: AbortSignal,
): Promise<Result<readonly FoundSignature[], ImageProblem>> {
  const simple = await simpleSignatures(source, digest, signal);
  if (!simple.ok) return simple;
  const bundles = await bundlesOf(source, digest, signal);
  return bundles.ok ? done([...simple.value, ...bundles.value]) : bundles;
}

async function simpleSignatures(
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
      const payload = await readBlob(beside, { ...layer, mediaType: payloadMediaType }, signal);
      if (!payload.ok) return payload;
      found.push({ kind: "simple", payload: payload.value, annotations: layer.annotations });
    }
    return done(found);
  } finally {
    await beside.close();
  }
}

async function bundlesOf(
  source: ImageSource,
  digest: Digest,
  signal: AbortSignal,
): Promise<Result<readonly FoundSignature[], ImageProblem>> {
  const beside = source.sibling?.(referrersTag(digest));
  if (beside === undefined) return done([]);
  try {
    const index = await referrers(beside, digest, signal);
    if (!index.ok || index.value === undefined) return index.ok ? done([]) : index;
    const listed = listIn(index.value, "manifests");
    if (listed === undefined) return failed(malformed(beside.reference, "it is not an image index"));
    const found: FoundSignature[] = [];
    const named = listed.filter((one) => isBundleMediaType(textOf(one, "artifactType")));
    for (const one of named.slice(0, mostSignatures)) {
      const manifestDigest = textOf(one, "digest");
      if (!isDigest(manifestDigest)) continue;
      const manifest = await beside.manifest(manifestDigest, signal);
      if (!manifest.ok) return manifest;
      const [layer] = listIn(manifest.value.bytes, "layers") ?? [];
      const blob = layer === undefined ? undefined : bundleBlob(layer);
      if (blob === undefined) continue;
      const bytes = await readBlob(beside, blob, signal);
      if (!bytes.ok) return bytes;
      const bundle = readBundle(bytes.value);
      if (!bundle.ok) found.push({ kind: "bundle", bundle });
      else if (bundle.value !== undefined) found.push({ kind: "bundle", bundle: done(bundle.value) });
    }
    return done(found);
  } finally {
    await beside.close();
  }
}

/** The index of what refers to the digest, by the API or by the tag that stands in for it; undefined when there is none. */
async function referrers(
  beside: ImageSource,
  digest: Digest,
  signal: AbortSignal,
): Promise<Result<Uint8Array | undefined, ImageProblem>> {
  const listed = await beside.referrers?.(digest, signal);
  if (listed !== undefined && (!listed.ok || listed.value !== undefined)) return listed;
  const named = await beside.resolve(signal, { readsManifest: true });
  if (!named.ok) return named.problem.kind === "notFound" ? done(undefined) : named;
  const manifest = await beside.manifest(named.value, signal);
  return manifest.ok ? done(manifest.value.bytes) : manifest;
}

/** Undefined for a layer of another form, and for one that is too large. */
function bundleBlob(layer: JsonObject): Descriptor | undefined {
  const [mediaType, digest, size] = [textOf(layer, "mediaType"), textOf(layer, "digest"), member(layer, "size")];
  if (!isBundleMediaType(mediaType) || !isDigest(digest) || typeof size !== "number") return undefined;
  return Number.isSafeInteger(size) && size >= 0 && size <= largestBundle ? { mediaType, digest, size } : undefined;
}

/** The objects in a list of a JSON object; undefined when there is no such list. */
function listIn(bytes: Uint8Array, name: string): readonly JsonObject[] | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch {
    return undefined;
  }
  const list = isJsonObject(value) ? member(value, name) : undefined;
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : undefined;
}

function textOf(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
}

async function readBlob(
  source: ImageSource,
  wanted: Descriptor,
  signal: AbortSignal,
): Promise<Result<Uint8Array, ImageProblem>> {
  const read = async (): Promise<Result<Uint8Array, ImageProblem>> => {
    const blob = await source.blob(wanted, signal);
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
  const layers = listIn(bytes, "layers");
  return layers === undefined ? failed("it is not an image manifest") : done(layers.flatMap(layerOf));
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
