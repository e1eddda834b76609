import type { PullSecret } from "../catalog/content.ts";
import type { ImageAccess } from "../content/catalog-image.ts";
import { openImages } from "../image/open-images.ts";
import { pullSecretReader } from "./pull-secrets.ts";
import type { Shutdown } from "./shutdown.ts";
import type { EnginePorts } from "./start-engine.ts";

/** How an instance pulls images. */
export interface PullingOptions {
  /** Proxies, and where configuration and credentials of this machine lie. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Used for every pull, after the Secrets that objects name. */
  readonly globalPullSecret?: PullSecret;
  /** Directories whose PEM files are authorities for every registry. */
  readonly authorities?: readonly string[];
  /** Of all unpacked images; by default that of `createImages`. */
  readonly mostBytes?: number;
}

interface Opening extends Pick<EnginePorts, "client" | "clock" | "entropy" | "log"> {
  readonly cacheDirectory: string;
}

/** Opens the images of an instance; closed at its shutdown, after what uses them. */
export function openImageAccess(
  { client, clock, entropy, log, cacheDirectory }: Opening,
  { globalPullSecret, ...registries }: PullingOptions,
  shutdown: Shutdown,
): ImageAccess {
  const images = openImages({
    ...registries,
    directory: cacheDirectory,
    clock,
    entropy,
    onMissingPolicy: (files) =>
      log("info", "images are accepted without signatures: there is no signature policy", { files: files.join(", ") }),
  });
  shutdown.add(() => images.close());
  const global = globalPullSecret === undefined ? {} : { global: globalPullSecret };
  return { images, pullSecrets: pullSecretReader({ client, ...global }), entropy };
}
