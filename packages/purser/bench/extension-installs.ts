// ClusterExtensions of small operators, created and deleted by a bench on any cluster.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterCatalogs, clusterExtensions } from "../src/apis/olm-resources.ts";
import type { ClusterCatalog } from "../src/apis/v1/cluster-catalog.ts";

/** Changes a catalog of `writeOperators` in one package. */
export function deprecate(catalog: string, packageName: string): void {
  const entries = [{ reference: { schema: "olm.package" }, message: "it is no longer maintained" }];
  appendFileSync(catalog, `\n${JSON.stringify({ schema: "olm.deprecations", package: packageName, entries })}`);
}

export class Installs {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #signal: AbortSignal;

  /** @param namespace the existing namespace that the operators run in */
  constructor(client: KubeClient, namespace: string, signal: AbortSignal) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** Creates the extensions at once; @returns after how many ms the last one was installed. */
  async until(names: readonly string[]): Promise<number> {
    const ending = new AbortController();
    const installed = this.#seen(clusterExtensions, names, isInstalled, AbortSignal.any([ending.signal, this.#signal]));
    const started = performance.now();
    await Promise.all(names.map((name) => this.#create(name)));
    await installed;
    ending.abort();
    return performance.now() - started;
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names)
      written(await this.#client.write({ verb: "delete", type: clusterExtensions, key: { name } }, this.#signal));
    for (const name of names)
      while (
        (await this.#client.get(customResourceDefinitions, { name: `things.${name}.scale.purser.dev` })) !== undefined
      )
        await sleep(100);
  }

  /** @returns how many ms after a ClusterCatalog serves the change the extension shows its package as deprecated */
  async afterChange(name: string, change: () => void): Promise<number> {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, this.#signal]);
    const [catalog] = await this.#client.list(clusterCatalogs);
    const imageOf = ({ status }: ClusterCatalog): string | undefined => status?.resolvedSource?.image?.ref;
    const before = catalog === undefined ? undefined : imageOf(catalog);
    const catalogName = catalog?.metadata.name ?? "";
    const served = this.#seen(
      clusterCatalogs,
      [catalogName],
      (one) => imageOf(one as ClusterCatalog) !== before,
      signal,
    );
    const shown = this.#seen(clusterExtensions, [name], (one) => isTrue(one, "PackageDeprecated"), signal);
    const times = [served, shown].map((seen) => seen.then(() => performance.now()));
    change();
    const [from = 0, until = 0] = await Promise.all(times);
    ending.abort();
    return Math.max(0, until - from);
  }

  async #seen(
    type: ResourceType,
    names: readonly string[],
    is: (object: KubeObject) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const missing = new Set(names);
    for await (const event of this.#client.watch(type, {}, {}, signal)) {
      if (event.type === "BOOKMARK" || !is(event.object as KubeObject)) continue;
      missing.delete((event.object as KubeObject).metadata.name ?? "");
      if (missing.size === 0) return;
    }
  }

  async #create(name: string): Promise<void> {
    const object = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name },
      spec: {
        namespace: this.#namespace,
        serviceAccount: { name: "default" },
        source: { sourceType: "Catalog", catalog: { packageName: name } },
      },
    };
    written(
      await this.#client.write({ verb: "create", type: clusterExtensions, object: object as KubeObject }, this.#signal),
    );
  }
}

const isInstalled = (object: KubeObject): boolean => isTrue(object, "Installed");

function isTrue(object: KubeObject, type: string): boolean {
  const { conditions = [] } =
    (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  return conditions.some((held) => held.type === type && held.status === "True");
}
