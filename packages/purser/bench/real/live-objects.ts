// What an operator lifecycle manager made of packages, as manifests that another program can create again.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterServiceVersions } from "../../src/apis/olm-resources.ts";

/** In the order in which they can be created. */
const types: readonly ResourceType[] = [
  customResourceDefinitions,
  serviceAccounts,
  secrets,
  clusterRoles,
  clusterRoleBindings,
  roles,
  roleBindings,
  services,
  clusterServiceVersions,
  deployments,
];

export interface LiveObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The objects of the types that a cluster keeps for operators, whose names are not in `before`. */
export async function liveObjects(client: KubeClient, before: ReadonlySet<string>): Promise<readonly LiveObject[]> {
  const found: LiveObject[] = [];
  for (const type of types)
    for (const object of await client.list(type)) if (!before.has(nameOf(type, object))) found.push({ type, object });
  return found;
}

export const nameOf = (type: ResourceType, { metadata }: KubeObject): string =>
  `${type.plural} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** Without what the API server fills in. */
export function asManifest({ type, object }: LiveObject): object {
  const { name, namespace, labels, annotations } = object.metadata;
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  return {
    ...rest,
    apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations },
  };
}
