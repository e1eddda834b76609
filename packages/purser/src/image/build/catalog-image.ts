import { done, type Result } from "@purser/kubernetes/result";
import { type BuiltImage, buildImage } from "./built-image.ts";
import { directoryEntries } from "./directory-entries.ts";
import { writeLayer } from "./layer.ts";

/** Where tools find a catalog in its image. */
const configsLabel = "operators.operatorframework.io.index.configs.v1";

export interface BuildOptions {
  readonly signal: AbortSignal;
  /** Bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * The image of the catalog at `root` (directory or file): all of it below `/configs`, ignored files included, as the Dockerfile
 * of `opm generate dockerfile` copies it. Content only: no base image with `opm` and no cache of `opm serve`, which only a
 * CatalogSource of OLM v0 without `extractContent` runs. The problem says which file cannot be packed.
 */
export async function catalogImage(root: string, options: BuildOptions): Promise<Result<BuiltImage, string>> {
  const entries = directoryEntries(root, "configs");
  if (!entries.ok) return entries;
  const layer = await writeLayer(entries.value, options.signal, options.onProgress);
  return done(
    buildImage({
      layers: [{ layer, createdBy: "COPY --from=builder /configs /configs" }],
      labels: { [configsLabel]: "/configs" },
    }),
  );
}
