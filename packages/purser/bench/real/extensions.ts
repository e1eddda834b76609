import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Figure } from "../../../../bench/figure.ts";
import { clusterCatalogs, clusterExtensions } from "../../src/apis/olm-resources.ts";
import type { ClusterCatalog } from "../../src/apis/v1/cluster-catalog.ts";
import { writeOperators } from "../scale/operators.ts";
import { bareDeployments } from "./cluster.ts";
import { startCounted } from "./counted-process.ts";

const namespace = "measured-extensions";
const settleMs = 5_000;

/** ClusterExtensions of small operators (ServiceAccount, ClusterRole, ClusterRoleBinding, definition, Deployment) on a cluster that is already there. */
export async function extensionFigures(kubeconfig: string, scratch: string, runs: number): Promise<readonly Figure[]> {
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${kubeconfig}`);
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  const signal = AbortSignal.timeout(900_000);
  const { args, packages } = writeOperators(join(scratch, "small-operators"), 100, 1, false);
  const cache = join(scratch, "small-operators-cache");
  const names = packages.map(({ name }) => name);
  await ensureNamespace(client, signal);
  const running = await startCounted(
    ["--kubeconfig", kubeconfig, "--install-crds", "--catalog-address", "none", ...args],
    cache,
  );
  try {
    const installs = new Installs(client, signal);
    await sleep(settleMs);
    const single: number[] = [];
    for (const name of names.slice(0, runs + 1)) {
      single.push(await installs.until([name]));
      await installs.remove([name]);
    }
    const twenty: number[] = [];
    const requests: number[] = [];
    let counted: Readonly<Record<string, number>> = {};
    for (let run = 0; run < runs; run++) {
      const batch = names.slice(10, 30);
      await sleep(settleMs);
      await running.requests();
      twenty.push(await installs.until(batch));
      await sleep(settleMs);
      counted = await running.requests();
      requests.push(sumOf(counted));
      await installs.remove(batch);
    }
    console.error(shown("20 small ClusterExtensions", counted));
    await sleep(settleMs);
    const bare = await bareDeployments(client, namespace, 20);
    await sleep(settleMs);
    const hundred = await installs.until(names);
    await sleep(settleMs * 4);
    await running.requests();
    await sleep(60_000);
    const idle = await running.requests();
    const catalog = join(scratch, "small-operators/catalogs/catalog-00/catalog.json");
    const [changed = ""] = names;
    await running.requests();
    const resolved = await installs.afterChange(changed, () => deprecate(catalog, changed));
    await sleep(settleMs);
    const forChange = await running.requests();
    await installs.remove(names);
    await sleep(settleMs * 4);
    const bareHundred = await bareDeployments(client, namespace, names.length);
    console.error(shown("60 s at rest", idle));
    console.error(shown("a catalog of which one package changes", forChange));
    return [
      { name: "ClusterExtension to `Installed`, probes passed, warm", unit: "ms", runs: single.slice(1), goal: 150 },
      { name: "20 small ClusterExtensions at once until all are `Installed`", unit: "ms", runs: twenty, goal: 1500 },
      { name: "20 Deployments that only this bench creates, until all are available", unit: "ms", runs: [bare] },
      {
        name: "20 small ClusterExtensions over 20 Deployments",
        unit: "x",
        runs: twenty.map((ms) => ms / bare),
        goal: 1.5,
      },
      { name: "requests of the process for these 20", unit: "", runs: requests, goal: 401 },
      {
        name: "100 small ClusterExtensions at once until all are `Installed`",
        unit: "ms",
        runs: [hundred],
        goal: 5000,
      },
      {
        name: "100 Deployments that only this bench creates, until all are available",
        unit: "ms",
        runs: [bareHundred],
      },
      {
        name: "100 small ClusterExtensions over 100 Deployments",
        unit: "x",
        runs: [hundred / bareHundred],
        goal: 1.5,
      },
      {
        name: "requests in 60 s at rest, without those of the Lease",
        unit: "",
        runs: [sumOf(withoutLease(idle))],
        goal: 1,
      },
      {
        name: "changed catalog served until the one affected extension of 100 shows it",
        unit: "ms",
        runs: [resolved],
        goal: 1000,
      },
      {
        name: "requests for that change, without those of the Lease",
        unit: "",
        runs: [sumOf(withoutLease(forChange))],
        goal: 5,
      },
    ];
  } finally {
    await running.stop();
    transport.close();
    rmSync(cache, { recursive: true, force: true });
  }
}

const sumOf = (requests: Readonly<Record<string, number>>): number =>
  Object.values(requests).reduce((sum, count) => sum + count, 0);

const withoutLease = (requests: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => !name.endsWith(" leases")));

function shown(title: string, requests: Readonly<Record<string, number>>): string {
  const lines = Object.entries(requests).toSorted(([, one], [, other]) => other - one);
  return [`${title}: ${sumOf(requests)} requests`, ...lines.map(([name, count]) => `  ${count} ${name}`)].join("\n");
}

async function ensureNamespace(client: KubeClient, signal: AbortSignal): Promise<void> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const made = await client.write({ verb: "create", type: namespaces, object }, signal);
  if (!made.ok && made.problem.kind !== "alreadyExists") throw new Error(made.problem.status.message);
}

function deprecate(catalog: string, packageName: string): void {
  const entries = [{ reference: { schema: "olm.package" }, message: "it is no longer maintained" }];
  appendFileSync(catalog, `\n${JSON.stringify({ schema: "olm.deprecations", package: packageName, entries })}`);
}

class Installs {
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, signal: AbortSignal) {
    this.#client = client;
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
        namespace,
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
