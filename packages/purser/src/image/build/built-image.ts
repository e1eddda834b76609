import { digestOf } from "@purser/kubernetes/digest";
import { plainJson } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { Descriptor } from "../image-source.ts";
import type { ImageBlob, Layer } from "./layer.ts";

/** A whole image: its manifest, and what the manifest refers to (configuration first, then layers). */
export interface BuiltImage {
  readonly manifest: ImageBlob;
  /** Manifests of the platforms, when `manifest` is an index. */
  readonly platforms?: readonly ImageBlob[];
  readonly blobs: readonly ImageBlob[];
  /** Bytes of the manifest and of all blobs. */
  readonly size: number;
}

export interface ImageParts {
  /** In order, each with the line of a Dockerfile that would make it. */
  readonly layers: readonly { readonly layer: Layer; readonly createdBy: string }[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Readers accept content images of every platform, but the OCI specification wants one. Fixed, so that all machines build the same. */
const platform = { architecture: "amd64", os: "linux" } as const;
const created = "1970-01-01T00:00:00Z";

/** The OCI image of layers and labels; its bytes follow from the arguments alone. */
export function buildImage({ layers, labels }: ImageParts): BuiltImage {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => compareBytes(a, b));
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", {
    created,
    ...platform,
    config: { Labels: Object.fromEntries(sorted) },
    rootfs: { type: "layers", diff_ids: layers.map(({ layer }) => layer.diffId) },
    history: [
      ...layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
      { created, created_by: "LABEL", empty_layer: true },
    ],
  });
  const blobs = layers.map(({ layer }) => layer);
  return imageOf(
    config,
    blobs.map(({ descriptor }) => descriptor),
    blobs,
  );
}

/**
 * An image of a configuration and layers as they are.
 * @param blobs contents of those layers that the target may lack, in any order
 */
export function imageOf(config: ImageBlob, layers: readonly Descriptor[], blobs: readonly ImageBlob[]): BuiltImage {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = jsonBlob(mediaType, {
    schemaVersion: 2,
    mediaType,
    config: plainJson(config.descriptor),
    layers: layers.map((descriptor) => plainJson(descriptor)),
  });
  const distinct = [...new Map([config, ...blobs].map((blob) => [blob.descriptor.digest, blob])).values()];
  const size = [manifest, ...distinct].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { manifest, blobs: distinct, size };
}

/** One name for the images of several platforms, in that order. */
export function imageIndexOf(
  images: readonly { readonly image: BuiltImage; readonly os: string; readonly architecture: string }[],
): BuiltImage {
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const manifest = jsonBlob(mediaType, {
    schemaVersion: 2,
    mediaType,
    manifests: images.map(({ image, os, architecture }) => ({
      ...image.manifest.descriptor,
      platform: { architecture, os },
    })),
  });
  const platforms = images.map(({ image }) => image.manifest);
  const all = new Map(images.flatMap(({ image }) => image.blobs).map((blob) => [blob.descriptor.digest, blob]));
  const blobs = [...all.values()];
  const size = [manifest, ...platforms, ...blobs].reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { manifest, platforms, blobs, size };
}

/** A JSON document as a blob; members keep their order. */
export function jsonBlob(mediaType: string, document: object): ImageBlob {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const descriptor: Descriptor = { mediaType, digest: digestOf(bytes), size: bytes.length };
  return { descriptor, bytes };
}
