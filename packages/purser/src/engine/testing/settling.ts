import { namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Engine } from "../start-engine.ts";

interface Settling {
  readonly server: { settled(): Promise<void> };
  readonly engine: Engine;
  readonly client: KubeClient;
}

const never = new AbortController().signal;

/** Up to which revision the caches of an engine are known to show everything. */
const shown = new WeakMap<Engine, string>();

/** Waits until an engine and its API server are idle; each of the two may have made work for the other. */
export async function settled({ server, engine, client }: Settling): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await server.settled();
    const { resourceVersion } = await client.page(namespaces, {}, { limit: 1, metadataOnly: true }, never);
    // Without a write since then the caches show everything, and no list of each type has to prove it.
    await (shown.get(engine) === resourceVersion ? engine.idle() : engine.settled());
    shown.set(engine, resourceVersion);
  }
}
