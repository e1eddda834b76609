import { compareBytes } from "@purser/kubernetes/text/documents";
import { type BuiltImage, imageOf, jsonBlob } from "../../src/image/build/built-image.ts";
import { writeLayer } from "../../src/image/build/layer.ts";
import type { Architecture } from "./elf.ts";
import { productDirectory, type RootLayer } from "./image-root.ts";
import { layerEntries } from "./layer-entries.ts";
import { userId } from "./root-files.ts";

const created = "1970-01-01T00:00:00Z";

/** How the process is started; the same as in the Containerfile. */
export const runSettings = {
  User: `${userId}:${userId}`,
  Env: [
    "HOME=/tmp",
    // The cache of a new container is empty, and what is kept for it takes 2 MB.
    "NODE_DISABLE_COMPILE_CACHE=1",
    "PATH=/usr/bin",
    "PURSER_CACHE_DIR=/var/cache/purser",
    "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
  ],
  Entrypoint: ["/usr/bin/node", `/${productDirectory}/dist/purser.js`],
  Cmd: ["--help"],
  WorkingDir: "/tmp",
} as const;

/** Labels of the OCI image specification. */
export function labelsOf(version: string, revision: string | undefined): Readonly<Record<string, string>> {
  const prefix = "org.opencontainers.image";
  return {
    [`${prefix}.title`]: "purser",
    [`${prefix}.description`]: "Operator lifecycle manager for Kubernetes: OLM v0 and v1",
    [`${prefix}.version`]: version,
    [`${prefix}.licenses`]: "Apache-2.0",
    ...(revision !== undefined && { [`${prefix}.revision`]: revision }),
  };
}

/** The image for one processor. Equal arguments give equal bytes with the same Node. */
export async function platformImage(
  layers: readonly RootLayer[],
  architecture: Architecture,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const written = [];
  for (const { files, createdBy } of layers)
    written.push({ createdBy, layer: await writeLayer(layerEntries(files), signal) });
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", {
    created,
    architecture,
    os: "linux",
    config: {
      ...runSettings,
      Labels: Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => compareBytes(a, b))),
    },
    rootfs: { type: "layers", diff_ids: written.map(({ layer }) => layer.diffId) },
    history: written.map(({ createdBy }) => ({ created, created_by: createdBy })),
  });
  const blobs = written.map(({ layer }) => layer);
  return imageOf(
    config,
    blobs.map(({ descriptor }) => descriptor),
    blobs,
  );
}
