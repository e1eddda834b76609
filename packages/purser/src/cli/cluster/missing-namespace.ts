import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Remedy } from "../../explanation/explanation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isRefused } from "@purser/kubernetes/kube/refusal";

/** An extension whose namespace is not there: nothing of it can be written until it is back. */
export interface MissingNamespace {
  readonly name: string;
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

/** Undefined while the namespace is there, and for callers who may not look. */
export async function missingNamespaceOf(
  client: KubeClient,
  { metadata, spec }: ClusterExtension,
): Promise<MissingNamespace | undefined> {
  const name = spec?.namespace ?? "";
  try {
    if (name === "" || (await client.get(namespaces, { name })) !== undefined) return undefined;
  } catch (error) {
    if (isRefused(error, "forbidden")) return undefined;
    throw error;
  }
  const isInstalled = metadata.deletionTimestamp === undefined;
  return {
    name,
    text: `Namespace ${name}, which the extension is installed into, does not exist; whatever lay in it is gone.`,
    remedies: [
      ...(isInstalled
        ? [
            {
              summary: "Make it again; the extension's objects follow by themselves",
              command: `kubectl create namespace ${name}`,
            },
          ]
        : []),
      { summary: "Or take the extension away", command: `purser uninstall ext/${metadata.name}` },
    ],
  };
}
