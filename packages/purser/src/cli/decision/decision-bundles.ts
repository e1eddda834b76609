import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { ImageAccess } from "../../content/catalog-image.ts";
import type { ReadPullSecrets } from "../../content/pull-secrets.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { pullSecretReader } from "../../engine/pull-secrets.ts";
import { openBundles, type SnapshotBundles } from "../../engine/snapshot/snapshot-bundles.ts";
import type { Images } from "../../image/images.ts";
import { isLocalReference } from "../../image/layout/local-reference.ts";
import type { PullProgress } from "../../image/pulled-image.ts";
import type { Invocation } from "../command.ts";
import { openCommandImages } from "../image/local-content.ts";
import { pullReport } from "../image/transfer-events.ts";

/**
 * Opens the bundles of `--bundles` and `--pull`; undefined without both.
 * @param directories the values of `--bundles`
 * @param client of the live cluster whose pull secrets are used; absent: those of this machine only
 */
export async function openDecisionBundles(
  invocation: Invocation,
  directories: readonly string[],
  client: KubeClient | undefined,
): Promise<SnapshotBundles | undefined> {
  if (invocation.options["pull"] !== true) {
    const clock = systemClock;
    const cacheDirectory = defaultCacheDirectory(invocation.terminal.env);
    return directories.length === 0 ? undefined : openBundles({ directories, cacheDirectory, clock });
  }
  return openPulledBundles(invocation, directories, client);
}

/** The same with images, whatever `--pull` says. */
export async function openPulledBundles(
  invocation: Invocation,
  directories: readonly string[],
  client: KubeClient | undefined,
): Promise<SnapshotBundles> {
  const clock = systemClock;
  const opened = await openCommandImages(invocation);
  const imageAccess: ImageAccess = {
    images: withProgress(opened.images, pullReport(invocation, clock)),
    pullSecrets: client === undefined ? withoutCluster : pullSecretReader({ client }),
    entropy: systemEntropy,
  };
  const bundles = openBundles({ directories, cacheDirectory: opened.cacheDirectory, clock, imageAccess });
  const { signal } = invocation;
  return {
    ...(invocation.options["pull"] === true
      ? { imageSizes: (references) => imageSizes(opened.images, references, signal) }
      : {}),
    async contentOf(wanted, source) {
      const known = await bundles.contentOf(wanted, source);
      invocation.terminal.progress("");
      return known;
    },
    async read(request) {
      const read = await bundles.read(request);
      invocation.terminal.progress("");
      return read;
    },
    async known(request) {
      const known = await bundles.known(request);
      invocation.terminal.progress("");
      return known;
    },
    async close() {
      await bundles.close();
      await opened.close();
    },
  };
}

/** For all images together. */
const sizesMs = 10_000;

/** The sizes that registries give in time; of what is named by a place on this machine none. */
async function imageSizes(
  images: Images,
  references: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(sizesMs)]);
  const sizes = new Map<string, number>();
  const ask = async (reference: string): Promise<void> => {
    if (isLocalReference(reference)) return;
    try {
      const request = { reference, wanted: "bundle", credentials: [], policy: [], once: true } as const;
      const size = await images.size(request, { signal: inTime });
      if (size.ok) sizes.set(reference, size.value);
    } catch (error) {
      if (signal.aborted || !inTime.aborted) throw error;
    }
  };
  await Promise.all(references.map(ask));
  return sizes;
}

const withProgress = (images: Images, onProgress: (progress: PullProgress) => void): Images => ({
  resolve: (request, options) => images.resolve(request, { onProgress, ...options }),
  pull: (request, options) => images.pull(request, { onProgress, ...options }),
  size: (request, options) => images.size(request, options),
  held: (digest, wanted) => images.held(digest, wanted),
  collect: (inUse) => images.collect(inUse),
  close: () => images.close(),
});

const withoutCluster: ReadPullSecrets = (secrets) =>
  Promise.resolve({
    auths: [],
    complaints: secrets.map(
      ({ namespace, name }) => `the pull secret ${namespace}/${name} is not read without a cluster`,
    ),
  });
