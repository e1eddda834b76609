import { configMaps } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createInformerCache, type InformerCache } from "@purser/kubernetes/kube/informer-cache";
import { managedLabel } from "../apis/v0/labels.ts";
import { Changes } from "../content/changes.ts";
import type { ChangedConfigMap, ConfigMaps } from "../content/config-maps.ts";

export interface ClusterConfigMapsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * The ConfigMaps of a cluster as sources of catalogs read them. Those that CatalogSources name carry a label, so one watch of
 * few objects reports the changes of all; it begins when the first source asks and ends with the last one.
 */
export class ClusterConfigMaps implements ConfigMaps {
  readonly #options: ClusterConfigMapsOptions;
  readonly #changed = new Changes<ChangedConfigMap>();
  #listeners = 0;
  #cache: InformerCache | undefined;

  constructor(options: ClusterConfigMapsOptions) {
    this.#options = options;
  }

  async get(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined> {
    const found = await this.#options.client.get(configMaps, { namespace, name });
    return found === undefined ? undefined : (found.data ?? {});
  }

  async *changes(signal: AbortSignal): AsyncGenerator<ChangedConfigMap, void, void> {
    const changes = this.#changed.listen(signal);
    if (this.#listeners++ === 0) this.#start();
    try {
      yield* changes;
    } finally {
      if (--this.#listeners === 0) await this.#cache?.stop();
    }
  }

  #start(): void {
    const cache = createInformerCache(this.#options);
    this.#cache = cache;
    const scope = { labelSelector: managedLabel };
    cache.acquire({ type: configMaps, scope, projection: "metadata", onlyWakes: true }, ({ before, after }) => {
      const { namespace = "", name = "" } = (after ?? before)?.metadata ?? {};
      this.#changed.announce({ namespace, name });
    });
  }
}
