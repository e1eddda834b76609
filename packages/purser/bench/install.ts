import { readFileSync } from "node:fs";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans, operatorGroups, subscriptions } from "../src/apis/olm-resources.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Figure } from "../../../bench/figure.ts";
import { startCluster } from "../../../bench/built-purser.ts";

export interface Installation {
  readonly title: string;
  readonly cluster: readonly string[];
  readonly catalog: string;
  readonly packageName: string;
  readonly channel: string;
}

const namespace = "measured";

/** Resolves with the moment at which the first object of the type satisfies `is`. */
async function firstMoment<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  is: (object: Type) => boolean,
  signal: AbortSignal,
): Promise<number> {
  for await (const event of client.watch(type, { namespace }, {}, signal))
    if (event.type !== "BOOKMARK" && is(event.object as Type)) return performance.now();
  throw new Error(`the watch on ${type.plural} ended early`);
}

/** Creation of a Subscription to its InstallPlan, and to its CSV's `Succeeded`, each time on a new cluster. */
export async function installFigures(
  cache: string,
  installation: Installation,
  repeats: number,
): Promise<readonly Figure[]> {
  const toPlan: number[] = [];
  const toSucceeded: number[] = [];
  for (let run = 0; run < repeats; run++) {
    const cluster = await startCluster(cache, ["--ephemeral", ...installation.cluster]);
    const access = loadKubeconfig({ path: cluster.kubeconfig, env: {} });
    if (!access.ok) throw new Error(`no kubeconfig: ${readFileSync(cluster.kubeconfig, "utf8")}`);
    const transport = httpTransport(access.value);
    const client = createClient(transport, { userAgent: "bench" });
    const giveUp = AbortSignal.timeout(60_000);
    const create = async (type: ResourceType, object: KubeObject): Promise<void> => {
      written(await client.write({ verb: "create", type, object }, giveUp));
    };
    await create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await create(operatorGroups, {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { name: "all", namespace },
      spec: {},
    } as KubeObject);
    await catalogServes(client, installation.catalog, giveUp);
    const plan = firstMoment(client, installPlans, () => true, giveUp);
    const succeeded = firstMoment(
      client,
      clusterServiceVersions,
      ({ status }) => status?.phase === "Succeeded",
      giveUp,
    );
    const started = performance.now();
    await create(subscriptions, {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: installation.packageName, namespace },
      spec: {
        name: installation.packageName,
        channel: installation.channel,
        source: installation.catalog,
        sourceNamespace: "olm",
      },
    } as KubeObject);
    toPlan.push((await plan) - started);
    toSucceeded.push((await succeeded) - started);
    transport.close();
    await cluster.stop();
  }
  return [
    { name: `Subscription to InstallPlan, ${installation.title}`, unit: "ms", runs: toPlan, goal: 50 },
    { name: `Subscription to CSV \`Succeeded\`, ${installation.title}`, unit: "ms", runs: toSucceeded, goal: 300 },
  ];
}

async function catalogServes(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  const type: ResourceType = {
    group: "operators.coreos.com",
    version: "v1alpha1",
    kind: "CatalogSource",
    plural: "catalogsources",
    namespaced: true,
  };
  for await (const event of client.watch(type, { namespace: "olm" }, {}, signal)) {
    const { metadata, status } = event.object as KubeObject & {
      readonly status?: { readonly connectionState?: { readonly lastObservedState?: string } };
    };
    if (metadata.name === name && status?.connectionState?.lastObservedState === "READY") return;
  }
}
