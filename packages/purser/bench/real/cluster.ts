// What the figures on a real control plane share: its client, the measured process, objects as they are created there.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { deployments, namespaces } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions, installPlans, operatorGroups, subscriptions } from "../../src/apis/olm-resources.ts";

/** A Subscription. */
export interface Wanted {
  readonly namespace: string;
  readonly packageName: string;
  readonly catalog: string;
  readonly channel: string;
}

/** Milliseconds from the first creation until the last object is there. */
export interface Reached {
  readonly planMs: number;
  readonly succeededMs: number;
}

export async function create(client: KubeClient, type: ResourceType, object: object): Promise<void> {
  written(await client.write({ verb: "create", type, object: object as KubeObject }, AbortSignal.timeout(60_000)));
}

/** A namespace with a group that selects `targets`: itself, or every namespace. */
export async function createTenant(client: KubeClient, name: string, targets: "own" | "all"): Promise<void> {
  await create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await create(client, operatorGroups, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name: "group", namespace: name },
    spec: targets === "own" ? { targetNamespaces: [name] } : {},
  });
}

/** Creates the Subscriptions, each alone in its namespace or several in one, all at once. */
export async function subscribe(client: KubeClient, wanted: readonly Wanted[]): Promise<Reached> {
  const places = new Set(wanted.map(({ namespace }) => namespace));
  const stop = new AbortController();
  const csvs = wanted.length;
  const planned = until(client, installPlans, stop.signal, csvs, ({ metadata, spec }) =>
    places.has(metadata.namespace ?? "")
      ? ((spec as { readonly clusterServiceVersionNames?: readonly string[] }).clusterServiceVersionNames ?? [])
      : [],
  );
  const succeeded = until(client, clusterServiceVersions, stop.signal, csvs, ({ metadata, status }) =>
    (status as { readonly phase?: string } | undefined)?.phase === "Succeeded" && places.has(metadata.namespace ?? "")
      ? [metadata.name ?? ""]
      : [],
  );
  await Promise.all([planned.begun, succeeded.begun]);
  const started = performance.now();
  const creations = wanted.map(({ namespace, packageName, catalog, channel }) =>
    create(client, subscriptions, {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: packageName, namespace },
      spec: { name: packageName, channel, source: catalog, sourceNamespace: "olm" },
    }),
  );
  const giveUp = setTimeout(() => stop.abort(new Error("not installed within five minutes")), 300_000);
  const [planAt, succeededAt] = await Promise.all([planned.reached, succeeded.reached, ...creations]);
  clearTimeout(giveUp);
  stop.abort();
  return { planMs: planAt - started, succeededMs: succeededAt - started };
}

/**
 * Milliseconds until so many Deployments of one pod, created at once without an operator, are available: the time that the
 * cluster's own controllers need.
 */
export async function bareDeployments(client: KubeClient, namespace: string, count: number): Promise<number> {
  const stop = new AbortController();
  const giveUp = setTimeout(() => stop.abort(new Error("no Deployments within five minutes")), 300_000);
  const names = Array.from({ length: count }, (_, index) => `bare-${index}`);
  const available = until(client, deployments, stop.signal, count, ({ metadata, status }) =>
    metadata.namespace === namespace &&
    names.includes(metadata.name ?? "") &&
    (status as { readonly availableReplicas?: number } | undefined)?.availableReplicas === 1
      ? [metadata.name ?? ""]
      : [],
  );
  await available.begun;
  const started = performance.now();
  await Promise.all(names.map((name) => create(client, deployments, deploymentOf(name, namespace))));
  const at = await available.reached;
  clearTimeout(giveUp);
  stop.abort();
  for (const name of names)
    written(
      await client.write({ verb: "delete", type: deployments, key: { namespace, name } }, AbortSignal.timeout(60_000)),
    );
  return at - started;
}

function deploymentOf(name: string, namespace: string): object {
  const labels = { app: name };
  const containers = [{ name: "controller", image: `local.purser.dev/bare/${name}:1.0.0` }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** `begun` when the watch runs, `reached` with the moment at which its objects stand for `count` different names. */
export function until<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  signal: AbortSignal,
  count: number,
  names: (object: Type & { readonly spec?: unknown; readonly status?: unknown }) => readonly string[],
): { readonly begun: Promise<void>; readonly reached: Promise<number> } {
  const begun = client.get(namespaces, { name: "default" }).then(() => undefined);
  const follow = async (): Promise<number> => {
    const seen = new Set<string>();
    for await (const event of client.watch(type, {}, {}, signal)) {
      if (event.type === "BOOKMARK") continue;
      for (const name of names(event.object as Type)) seen.add(name);
      if (seen.size >= count) return performance.now();
    }
    throw new Error(`${seen.size} of ${count} ${type.plural} when the watch ended`);
  };
  return { begun, reached: follow() };
}
