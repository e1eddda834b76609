import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Digest } from "@purser/kubernetes/digest";
import type { Descriptor } from "../image-source.ts";
import { type RawEntry, tarArchive } from "./tar-archive.ts";

export const configsLabel = "operators.operatorframework.io.index.configs.v1";

/** An image to write; every part may be wrong on purpose. */
export interface LayoutImage {
  readonly labels?: Readonly<Record<string, string>>;
  /** Entries, which become a gzipped tar, or the bytes of a layer as they are. */
  readonly layers: readonly (readonly RawEntry[] | { readonly bytes: Buffer; readonly mediaType: string })[];
  /** `rootfs.diff_ids` of the configuration; absent by default. */
  readonly diffIds?: readonly string[];
  readonly name?: string;
  readonly platform?: Descriptor["platform"];
}

export const gzipLayer = "application/vnd.oci.image.layer.v1.tar+gzip";

/** Writes an OCI image layout with the images, each an entry of its index; returns their descriptors. */
export function writeLayout(directory: string, images: readonly LayoutImage[]): readonly Descriptor[] {
  const manifests = images.map((image) => writeImage(directory, image));
  writeIndex(directory, manifests);
  return manifests;
}

/** Writes the layout's index with these entries. */
export function writeIndex(directory: string, manifests: readonly Descriptor[]): void {
  writeFileSync(join(directory, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(directory, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
}

/** Writes a blob; returns its descriptor. */
export function writeBlob(directory: string, content: Buffer | object, mediaType: string): Descriptor {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const hex = createHash("sha256").update(bytes).digest("hex");
  mkdirSync(join(directory, "blobs/sha256"), { recursive: true });
  writeFileSync(join(directory, "blobs/sha256", hex), bytes);
  return { mediaType, digest: `sha256:${hex}` satisfies Digest, size: bytes.length };
}

function writeImage(directory: string, { labels = {}, layers, diffIds, name, platform }: LayoutImage): Descriptor {
  const rootfs = { type: "layers", ...(diffIds !== undefined && { diff_ids: diffIds }) };
  const config = { architecture: "amd64", os: "linux", config: { Labels: labels }, rootfs };
  const manifest = writeBlob(
    directory,
    {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: writeBlob(directory, config, "application/vnd.oci.image.config.v1+json"),
      layers: layers.map((layer) =>
        "bytes" in layer
          ? writeBlob(directory, layer.bytes, layer.mediaType)
          : writeBlob(directory, gzipSync(tarArchive(layer)), gzipLayer),
      ),
    },
    "application/vnd.oci.image.manifest.v1+json",
  );
  return {
    ...manifest,
    ...(platform === undefined ? {} : { platform }),
    ...(name === undefined ? {} : { annotations: { "org.opencontainers.image.ref.name": name } }),
  };
}

/** The files of a directory as entries of a layer, below `under`. */
export function entriesOf(directory: string, under: string): readonly RawEntry[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .map((entry): RawEntry => {
      const path = join(entry.parentPath, entry.name);
      const name = join(under, path.slice(directory.length + 1));
      return entry.isDirectory() ? { name: `${name}/`, flag: "5" } : { name, body: readFileSync(path) };
    })
    .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}
