import { done, failed, type Result } from "@purser/kubernetes/result";
import { decodeUtf8 } from "@purser/kubernetes/text/utf8";

export const indexMediaTypes: readonly string[] = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];

export const imageMediaTypes: readonly string[] = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

const known = new Set([...indexMediaTypes, ...imageMediaTypes]);
/** What a registry says that does not know the type. */
const unspecific = new Set(["", "application/json", "application/octet-stream", "text/plain"]);

/**
 * The media type of a manifest from its `mediaType` and the `Content-Type` it came with. They must not contradict each
 * other, and what is read as one kind must not be readable as the other, so that everybody who sees the digest sees the
 * same image (CVE-2021-41190). The problem is the second half of a sentence.
 */
export function manifestMediaType(bytes: Uint8Array, contentType: string | undefined): Result<string, string> {
  const declared = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  let manifest: unknown;
  try {
    manifest = JSON.parse(decodeUtf8(bytes) ?? "");
  } catch {
    return failed(declared === "text/html" ? "is a web page, not a manifest" : "is not JSON");
  }
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest))
    return failed("is not a JSON object");
  const { schemaVersion, mediaType, manifests, config, layers } = manifest as Readonly<Record<string, unknown>>;
  if (schemaVersion === 1)
    return failed("is a Docker manifest of schema 1, which is not supported; push the image again");
  if (mediaType !== undefined && (typeof mediaType !== "string" || !known.has(mediaType)))
    return failed("has a media type that is neither that of an image nor that of an index");
  const isIndex = manifests !== undefined;
  const hasImage = config !== undefined || layers !== undefined;
  if (isIndex === hasImage)
    return failed(isIndex ? "is an image and an index at the same time" : "is neither an image nor an index");
  const stated = mediaType ?? (known.has(declared) ? declared : undefined);
  const [fallback = ""] = isIndex ? indexMediaTypes : imageMediaTypes;
  if (!unspecific.has(declared) && declared !== (mediaType ?? declared))
    return failed(`says ${mediaType} and was sent as ${declared}`);
  if (!unspecific.has(declared) && !known.has(declared)) return failed(`was sent as ${declared}`);
  if (stated !== undefined && indexMediaTypes.includes(stated) !== isIndex)
    return failed(`has the media type ${stated} and other content`);
  return done(stated ?? fallback);
}
