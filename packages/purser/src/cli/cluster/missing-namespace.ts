import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Remedy } from "../../explanation/explanation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isRefused } from "@purser/kubernetes/kube/refusal";

/** A ClusterExtension whose namespace does not exist: its objects cannot be written until the namespace exists again. */
export interface MissingNamespace {
  readonly name: string;
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

/** Undefined when the namespace exists, and when the user may not read it. */
export async function missingNamespaceOf(
  client: KubeClient,
  { metadata, spec, status }: ClusterExtension,
): Promise<MissingNamespace | undefined> {
  const name = spec?.namespace ?? "";
  if (name === "" || !(await isNamespaceMissing(client, name))) return undefined;
  const isWanted = metadata.deletionTimestamp === undefined;
  const wasInstalled = status?.install !== undefined;
  return {
    name,
    text: wasInstalled
      ? `Namespace ${name}, which the extension is installed into, does not exist; its objects were deleted with it.`
      : `Namespace ${name}, which the extension is to be installed into, does not exist.`,
    remedies: [
      ...(isWanted
        ? [
            {
              summary: wasInstalled
                ? "Create the namespace again; the extension's objects are then created again"
                : "Create the namespace; the extension is then installed",
              command: `kubectl create namespace ${name}`,
            },
          ]
        : []),
      {
        summary: "Uninstall the extension, with its CustomResourceDefinitions and all their custom resources",
        command: `purser uninstall ext/${metadata.name} --mode everything`,
        deletes: "data",
      },
    ],
  };
}

/** Whether there is no such namespace; false when the user may not read it. */
export async function isNamespaceMissing(client: KubeClient, name: string): Promise<boolean> {
  try {
    return (await client.get(namespaces, { name })) === undefined;
  } catch (error) {
    if (isRefused(error, "forbidden")) return false;
    throw error;
  }
}
