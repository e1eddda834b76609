// What the figures on a real control plane share: its client, the measured process, objects as they are created there.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
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
