import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";

const keptMs = 600_000;

/** The version of the API server, which no watch shows: requested every ten minutes at most while it is needed. */
export function rememberedVersion(client: Pick<KubeClient, "version">, clock: Clock): Pick<KubeClient, "version"> {
  let known: { readonly at: number; readonly answer: Awaited<ReturnType<KubeClient["version"]>> } | undefined;
  return {
    async version(signal) {
      const now = clock.monotonic();
      if (known === undefined || now - known.at >= keptMs) known = { at: now, answer: await client.version(signal) };
      return known.answer;
    },
  };
}
