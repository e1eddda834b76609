import { SeededEntropy } from "@purser/kubernetes/entropy";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { createImages, type ImagesOptions } from "../../image/create-images.ts";
import { registrySource } from "../../image/registry/registry-source.ts";
import { parsedReference, sourceOptions, testConnections } from "../../image/testing/test-source.ts";
import type { ImageAccess } from "../catalog-image.ts";

/** Access to images of plain registries on this machine, without credentials; `close` ends it. */
export function testImageAccess(
  directory: string,
  verify?: ImagesOptions["verify"],
): ImageAccess & { close(): Promise<void> } {
  const connections = testConnections();
  const images = createImages({
    directory,
    clock: systemClock,
    ...(verify === undefined ? {} : { verify }),
    openSource: ({ reference }) =>
      done(registrySource(parsedReference(reference), sourceOptions(reference, { connections }))),
  });
  return {
    images,
    entropy: new SeededEntropy(1),
    pullSecrets: () => Promise.resolve({ auths: [], complaints: [] }),
    async close() {
      await images.close();
      await connections.close();
    },
  };
}
