import { done, failed, type Result } from "@purser/kubernetes/result";

export type Compression = "none" | "gzip" | "zstd";

const layerType =
  /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1\.tar(?:\+(gzip|zstd))?|docker\.image\.rootfs\.(?:foreign\.)?diff\.tar(?:\.(gzip|zstd))?)$/;

/**
 * How a layer is compressed: its first bytes decide, because some registries and builders keep a wrong media type.
 * Problems: a media type that is no layer of a file system; bytes without compression where the media type names one.
 *
 * @param start at least the first four bytes, fewer when the layer has fewer
 */
export function compressionOf(mediaType: string, start: Uint8Array): Result<Compression, string> {
  const type = layerType.exec(mediaType);
  if (type === null) return failed(`media type ${JSON.stringify(mediaType)} is not a layer of a file system`);
  const actual = magicOf(start);
  const named = type[1] ?? type[2];
  return named !== undefined && actual === "none"
    ? failed(`the layer of media type ${mediaType} is not compressed`)
    : done(actual);
}

/** What the first bytes say; `none` for everything that is neither gzip nor zstd. */
export function magicOf(start: Uint8Array): Compression {
  const [a, b, c, d] = start;
  if (a === 0x1f && b === 0x8b) return "gzip";
  // Skippable frames may stand first: 184D2A5? in little-endian.
  const isSkippable = a !== undefined && a >> 4 === 5 && b === 0x2a && c === 0x4d && d === 0x18;
  return isSkippable || (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) ? "zstd" : "none";
}
