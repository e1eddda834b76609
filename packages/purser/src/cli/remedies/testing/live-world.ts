import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { written } from "@purser/kubernetes/kube/refusal";
import type { CorpusCluster } from "./corpus-cluster.ts";

/** A failing world on a whole cluster. */
export interface LiveWorld {
  readonly name: string;
  /** Created in this order. */
  readonly objects: readonly object[];
  /** What is done to the cluster after that, such as waiting for an installation before its next version is asked for. */
  readonly next?: (cluster: CorpusCluster) => Promise<unknown>;
  /** The command line that prints the remedies. */
  readonly asked: readonly string[];
  /** A part of what it prints, which ends with the cause. */
  readonly says: RegExp;
  /** Remedies after which another cause, or a state that a person chose, is right; by the first words of the command. */
  readonly leaves?: Readonly<Record<string, RegExp>>;
  /** A command refuses at once; the remedies do what it would have done, or look. */
  readonly isCommand?: true;
}

export const space = (name: string, annotations: object = {}): object => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations },
});

export const group = (
  namespace: string,
  spec: object = { targetNamespaces: [namespace] },
  name = namespace,
): object => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace, name },
  spec,
});

/** A Subscription to a package of the corpus, named like the package. */
export const subscription = (namespace: string, name: string, spec: object = {}): object => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { namespace, name },
  spec: { name, channel: "stable", source: "corpus", sourceNamespace: "olm", ...spec },
});

/** A namespace with its own group and one Subscription. */
export const tenant = (name: string, spec: object = {}, namespace = "tenant"): readonly object[] => [
  space(namespace),
  group(namespace),
  subscription(namespace, name, spec),
];

/** A ClusterExtension of a package, in a namespace of its own. */
export const extension = (name: string, catalog: object = {}, spec: object = {}): readonly object[] => [
  space(`${name}-system`),
  extensionAlone(name, catalog, spec),
];

export const extensionAlone = (name: string, catalog: object = {}, spec: object = {}): object => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name },
  spec: {
    namespace: `${name}-system`,
    source: { sourceType: "Catalog", catalog: { packageName: name, ...catalog } },
    ...spec,
  },
});

export const clusterCatalog = (name: string, ref: string, spec: object = {}) => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name },
  spec: { source: { type: "Image", image: { ref } }, ...spec },
});

export const policy = (name: string, spec: object): object => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: "ClusterUpdatePolicy",
  metadata: { name },
  spec,
});

/** Waits until a command prints what fits. */
export const until =
  (asked: readonly string[], prints: RegExp) =>
  async (cluster: CorpusCluster): Promise<void> => {
    await cluster.eventually(asked, prints);
  };

/** One after the other. */
export const steps =
  (...all: readonly ((cluster: CorpusCluster) => Promise<unknown>)[]) =>
  async (cluster: CorpusCluster): Promise<void> => {
    for (const one of all) await one(cluster);
  };

export const creates =
  (...objects: readonly object[]) =>
  async (cluster: CorpusCluster): Promise<void> => {
    for (const object of objects) await cluster.create(object);
  };

/** Runs a command line of purser. */
export const runs =
  (...args: readonly string[]) =>
  async (cluster: CorpusCluster): Promise<void> => {
    const ran = await cluster.purser([...args, "--yes"]);
    if (ran.exitCode !== 0) throw new Error(`${args.join(" ")}: ${ran.text}\n${ran.errors}`);
  };

/** A merge patch. */
export const changes =
  <T extends KubeObject>(type: ResourceType<T>, key: object, patch: JsonObject) =>
  async ({ client }: CorpusCluster): Promise<void> => {
    const change = { verb: "patch", type, key: key as never, patchType: "merge", patch } as const;
    written(await client.write(change, new AbortController().signal));
  };

export const deletes =
  <T extends KubeObject>(type: ResourceType<T>, key: object) =>
  async ({ client }: CorpusCluster): Promise<void> => {
    written(await client.write({ verb: "delete", type, key: key as never }, new AbortController().signal));
  };
