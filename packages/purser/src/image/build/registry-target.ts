import { Readable } from "node:stream";
import { done } from "@purser/kubernetes/result";
import type { RegistryWriter } from "../registry/registry-writer.ts";
import type { ImageTarget } from "./image-target.ts";

/** A repository of a registry: blobs that it has are not sent again, and the manifest comes last. */
export function registryTarget(writer: RegistryWriter): ImageTarget {
  return {
    get: (name, signal) => writer.manifest(name, signal),
    async put({ blobs, manifest }, name, { signal, onProgress }) {
      let written = 0;
      for (const { descriptor, bytes } of blobs) {
        const put = await writer.putBlob(descriptor, () => Readable.from([bytes]), signal);
        if (!put.ok) return put;
        onProgress?.((written += bytes.length));
      }
      const { digest, mediaType } = manifest.descriptor;
      const put = await writer.putManifest(name, { digest, mediaType, bytes: manifest.bytes }, signal);
      if (put.ok) onProgress?.(written + manifest.bytes.length);
      return put;
    },
    finish: () => Promise.resolve(done(undefined)),
    close: () => Promise.resolve(),
  };
}
