import { createHash } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Digest } from "@purser/kubernetes/digest";
import { packTar, type TarEntry } from "modern-tar";
import type { Descriptor } from "../image-source.ts";

/** Bytes under their digest: a manifest, an index, a configuration or a layer. */
export interface TestBlob extends Descriptor {
  readonly bytes: Uint8Array;
}

export interface TestImage {
  /** What a tag of the image names. */
  readonly manifest: TestBlob;
  readonly config: TestBlob;
  readonly layers: readonly TestBlob[];
}

/** A file of a layer by its path, or whole entries for links, devices and other special content. */
export type LayerFiles = Readonly<Record<string, string | Uint8Array>> | readonly TarEntry[];

export interface TestImageOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly os?: string;
  readonly architecture?: string;
  readonly compression?: "none" | "gzip" | "zstd";
  readonly format?: "oci" | "docker";
}

const mediaTypes = {
  oci: {
    manifest: "application/vnd.oci.image.manifest.v1+json",
    index: "application/vnd.oci.image.index.v1+json",
    config: "application/vnd.oci.image.config.v1+json",
    layer: "application/vnd.oci.image.layer.v1.tar",
  },
  docker: {
    manifest: "application/vnd.docker.distribution.manifest.v2+json",
    index: "application/vnd.docker.distribution.manifest.list.v2+json",
    config: "application/vnd.docker.container.image.v1+json",
    layer: "application/vnd.docker.image.rootfs.diff.tar",
  },
} as const;

/** The bytes with their digest and size. */
export function testBlob(mediaType: string, content: Uint8Array | string): TestBlob {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return { mediaType, bytes, digest: sha256(bytes), size: bytes.length };
}

/** An image with one layer per element of `layers`, equal bytes for equal arguments. */
export async function testImage(layers: readonly LayerFiles[], options: TestImageOptions = {}): Promise<TestImage> {
  const { labels = {}, os = "linux", architecture = "amd64", compression = "gzip", format = "oci" } = options;
  const types = mediaTypes[format];
  const archives = await Promise.all(layers.map(archiveOf));
  const blobs = archives.map((archive) => {
    if (compression === "none") return testBlob(types.layer, archive);
    const suffix = format === "docker" ? `.${compression}` : `+${compression}`;
    return testBlob(
      `${types.layer}${suffix}`,
      compression === "gzip" ? gzipSync(archive, { level: 1 }) : zstdCompressSync(archive),
    );
  });
  const config = testBlob(
    types.config,
    JSON.stringify({
      architecture,
      os,
      config: { Labels: labels },
      rootfs: { type: "layers", diff_ids: archives.map(sha256) },
    }),
  );
  const manifest = testBlob(
    types.manifest,
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: descriptor(config),
      layers: blobs.map(descriptor),
    }),
  );
  return { manifest, config, layers: blobs };
}

/** An index (or a Docker list) over manifests or other indexes. */
export function testIndex(
  entries: readonly { readonly blob: TestBlob; readonly platform?: Descriptor["platform"] }[],
  format: "oci" | "docker" = "oci",
): TestBlob {
  const mediaType = mediaTypes[format].index;
  const manifests = entries.map(({ blob, platform }) => ({ ...descriptor(blob), ...(platform && { platform }) }));
  return testBlob(mediaType, JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
}

function descriptor({ mediaType, digest, size }: TestBlob): Descriptor {
  return { mediaType, digest, size };
}

function archiveOf(files: LayerFiles): Promise<Uint8Array> {
  if (isEntries(files)) return packTar(files);
  const entries = Object.entries(files).map(([name, content]): TarEntry => {
    const body = typeof content === "string" ? Buffer.from(content) : content;
    return { header: { name, size: body.length, mode: 0o644, mtime: new Date(0) }, body };
  });
  return packTar(entries);
}

const isEntries = (files: LayerFiles): files is readonly TarEntry[] => Array.isArray(files);

export function sha256(bytes: Uint8Array): Digest {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
