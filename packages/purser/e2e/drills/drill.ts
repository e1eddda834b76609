import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import {
  clusterExtensions,
  clusterServiceVersions,
  operatorGroups,
  subscriptions,
} from "../../src/apis/olm-resources.ts";
import { installationsOf } from "../../src/installation/installation.ts";
import { eventually } from "../eventually.ts";
import type { Flow } from "../flows.ts";
import type { PurserProcess } from "../purser-process.ts";
import { patient } from "../surroundings.ts";
import type { OwnApiServer } from "./own-api-server.ts";

/** What a drill has at hand. */
export interface DrillWorld {
  /** Of the administrator, not through the server of the drill. */
  readonly client: KubeClient;
  readonly server: OwnApiServer;
  /** How the control plane's own kube-apiserver was started. */
  readonly command: readonly string[];
  /** Empty, for its files. */
  readonly directory: string;
  /** Packages of the catalog `catalog-00`, each of one version. */
  readonly packages: readonly string[];
  /** Starts `purser run` with that catalog. */
  readonly start: (kubeconfig: string) => Promise<PurserProcess>;
}

/** Something that goes wrong around a running Purser, which must go on by itself when it is over. */
export interface Drill extends Pick<Flow, "name" | "namespaces" | "extensions"> {
  readonly run: (world: DrillWorld) => Promise<void>;
}

export async function create<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  object: object,
): Promise<void> {
  written(await client.write({ verb: "create", type, object: object as Type }, patient));
}

/** A namespace whose operators watch it alone. */
export async function createTenant(client: KubeClient, name: string): Promise<void> {
  await create(client, namespaces, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { drill: name } },
  });
  await create(client, operatorGroups, {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name: "group", namespace: name },
    spec: { targetNamespaces: [name] },
  });
}

export function subscribe(client: KubeClient, namespace: string, name: string): Promise<void> {
  return create(client, subscriptions, {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace, name },
    spec: { name, channel: "stable", source: "catalog-00", sourceNamespace: "olm" },
  });
}

/** Waits until the installations with these names are ready. */
export async function eventuallyReady(client: KubeClient, names: readonly string[]): Promise<void> {
  await eventually(`${names.join(", ")} are ready`, async () => {
    const [subs, csvs, extensions] = await Promise.all([
      client.list(subscriptions),
      client.list(clusterServiceVersions),
      client.list(clusterExtensions),
    ]);
    const all = installationsOf({ subscriptions: subs, csvs, installPlans: [], extensions });
    const late = names.flatMap((name) => {
      const found = all.find(({ reference }) => reference.split("/").at(-1) === name);
      return found?.state === "Ready" ? [] : [`${name} is ${found?.state ?? "absent"} ${found?.why ?? ""}`];
    });
    return late.length === 0 ? undefined : late.join("; ");
  });
}

/** @throws when the process has ended */
export function mustRun(purser: PurserProcess): void {
  const { exitCode, signalCode } = purser.child;
  if (exitCode !== null || signalCode !== null) throw new Error(`purser ended:\n${purser.output().slice(-4000)}`);
}
