import type { ImageAccess } from "../content/catalog-image.ts";
import { openImages } from "../image/open-images.ts";
import type { EnginePorts } from "./start-engine.ts";
import type { Shutdown } from "./shutdown.ts";

/** How an instance pulls images. */
export interface PullingOptions {
  /** Proxies, and where configuration and credentials of this machine lie. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Opens the images of an instance; closed at its shutdown, after what uses them. */
export function openImageAccess(
  {
    clock,
    entropy,
    log,
    cacheFolder,
  }: Pick<EnginePorts, "clock" | "entropy" | "log"> & { readonly cacheFolder: string },
  { environment }: PullingOptions,
  shutdown: Shutdown,
): ImageAccess {
  const images = openImages({
    folder: cacheFolder,
    clock,
    entropy,
    environment,
    onMissingPolicy: (files) =>
      log("info", "images are accepted without signatures: there is no signature policy", { files: files.join(", ") }),
  });
  shutdown.add(() => images.close());
  const pullSecrets: ImageAccess["pullSecrets"] = (secrets) =>
    Promise.resolve({
      auths: [],
      complaints: secrets.map(
        ({ namespace, name }) => `the pull secret ${namespace}/${name} is not read by this version`,
      ),
    });
  return { images, pullSecrets, entropy };
}
