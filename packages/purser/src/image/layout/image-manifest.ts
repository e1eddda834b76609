import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { all, done, failed, type Result } from "@purser/kubernetes/result";
import type { Descriptor } from "../image-source.ts";

export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
export const ociIndex = "application/vnd.oci.image.index.v1+json";
export const dockerManifest = "application/vnd.docker.distribution.manifest.v2+json";
const dockerIndex = "application/vnd.docker.distribution.manifest.list.v2+json";

/** What a reference names: one image, or one for each platform. */
export type Manifest =
  | { readonly kind: "image"; readonly config: Descriptor; readonly layers: readonly Descriptor[] }
  | { readonly kind: "index"; readonly manifests: readonly Descriptor[] };

const mostDescriptors = 10_000;

/**
 * Reads a manifest or an index of the OCI image specification or of Docker schema 2. What the document holds decides when
 * its own media type is absent. Problems: not JSON (a login page), Docker schema 1, a broken descriptor.
 */
export function decodeManifest(bytes: Uint8Array, mediaType: string): Result<Manifest, string> {
  const document = parseObject(bytes);
  if (document === undefined) return failed("the manifest is not a JSON object");
  const version = member(document, "schemaVersion");
  if (version === 1) return failed("the manifest is of Docker schema 1, which is no longer supported");
  const config = member(document, "config");
  const layers = member(document, "layers");
  const manifests = member(document, "manifests");
  const named = member(document, "mediaType") ?? mediaType;
  // A document that is both could mean one image to us and another to a signer.
  if ((config !== undefined || layers !== undefined) && manifests !== undefined)
    return failed("the manifest is an image and an index at once");
  if (manifests !== undefined) {
    if (named === ociManifest || named === dockerManifest) return failed(`an index has the media type ${named}`);
    const found = descriptors(manifests);
    return found.ok ? done({ kind: "index", manifests: found.value }) : found;
  }
  if (named === ociIndex || named === dockerIndex) return failed("the index has no manifests");
  const foundConfig = descriptor(config);
  if (!foundConfig.ok) return failed(`config of the manifest: ${foundConfig.problem}`);
  const found = descriptors(layers);
  return found.ok ? done({ kind: "image", config: foundConfig.value, layers: found.value }) : found;
}

/** What is read of an image's configuration. */
export interface ImageConfig {
  readonly labels: Readonly<Record<string, string>>;
  /** Digests of the layers before compression, the lowest first; undefined when the configuration has none. */
  readonly diffIds: readonly string[] | undefined;
}

const diffIdPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/**
 * Reads the labels and `rootfs.diff_ids` of an image's configuration. Problems: not JSON; labels that are no texts;
 * `diff_ids` that are no digests.
 */
export function decodeConfig(bytes: Uint8Array): Result<ImageConfig, string> {
  const document = parseObject(bytes);
  if (document === undefined) return failed("the image configuration is not a JSON object");
  const labels = memberOf(document, "config", "Labels") ?? {};
  if (!isJsonObject(labels) || Object.values(labels).some((value) => typeof value !== "string"))
    return failed("the labels of the image configuration are not texts");
  const diffIds = memberOf(document, "rootfs", "diff_ids") ?? undefined;
  if (diffIds !== undefined && !(Array.isArray(diffIds) && diffIds.every(isDiffId)))
    return failed("rootfs.diff_ids of the image configuration are not SHA-256 or SHA-512 digests");
  return done({ labels: labels as Readonly<Record<string, string>>, diffIds });
}

const isDiffId = (value: JsonValue): value is string => typeof value === "string" && diffIdPattern.test(value);

/** A member of a member; undefined when the outer one is no object. */
function memberOf(document: JsonObject, outer: string, inner: string): JsonValue | undefined {
  const value = member(document, outer);
  return value !== undefined && isJsonObject(value) ? member(value, inner) : undefined;
}

/** Undefined for what is no JSON object in UTF-8. */
export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function descriptors(value: JsonValue | undefined): Result<readonly Descriptor[], string> {
  if (!Array.isArray(value)) return failed("the manifest lists no content");
  if (value.length > mostDescriptors) return failed(`the manifest lists more than ${mostDescriptors} contents`);
  return all(value.map((item: JsonValue) => descriptor(item)));
}

/** Reads one descriptor; members that are not understood are left out. */
export function descriptor(value: JsonValue | undefined): Result<Descriptor, string> {
  if (value === undefined || !isJsonObject(value)) return failed("a descriptor is missing");
  const mediaType = member(value, "mediaType");
  const digest = member(value, "digest");
  const size = member(value, "size");
  if (typeof mediaType !== "string") return failed("a descriptor has no media type");
  if (typeof digest !== "string" || !isDigest(digest)) return failed(`a descriptor has no SHA-256 digest`);
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return failed("a descriptor has no size");
  const platform = platformOf(member(value, "platform"));
  const annotations = member(value, "annotations") ?? null;
  const urls = member(value, "urls");
  return done({
    mediaType,
    digest: digest as Digest,
    size,
    ...(platform === undefined ? {} : { platform }),
    ...(isJsonObject(annotations) ? { annotations: textsOf(annotations) } : {}),
    ...(Array.isArray(urls) ? { urls: urls.filter((url): url is string => typeof url === "string") } : {}),
  });
}

function platformOf(value: JsonValue | undefined): Descriptor["platform"] {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const os = member(value, "os");
  const architecture = member(value, "architecture");
  const variant = member(value, "variant");
  if (typeof os !== "string" || typeof architecture !== "string") return undefined;
  return { os, architecture, ...(typeof variant === "string" ? { variant } : {}) };
}

function textsOf(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
