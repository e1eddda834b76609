import { Readable } from "node:stream";
import { done } from "@purser/kubernetes/result";
import type { RegistryWriter } from "../registry/registry-writer.ts";
import type { ImageTarget } from "./image-target.ts";

/** A repository of a registry: blobs that it has are not sent again, and the manifest comes last; those of platforms by their digests before it. */
export function registryTarget(writer: RegistryWriter): ImageTarget {
  return {
    get: (name, signal) => writer.manifest(name, signal),
    async put({ blobs, platforms = [], manifest }, name, { signal, onProgress }) {
      let written = 0;
      for (const { descriptor, bytes } of blobs) {
        const put = await writer.putBlob(descriptor, () => Readable.from([bytes]), signal);
        if (!put.ok) return put;
        onProgress?.((written += bytes.length));
      }
      for (const one of [...platforms, manifest]) {
        const { digest, mediaType } = one.descriptor;
        const place = one === manifest ? name : digest;
        const put = await writer.putManifest(place, { digest, mediaType, bytes: one.bytes }, signal);
        if (!put.ok) return put;
        onProgress?.((written += one.bytes.length));
      }
      return done(undefined);
    },
    finish: () => Promise.resolve(done(undefined)),
    close: () => Promise.resolve(),
  };
}
