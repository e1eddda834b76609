import type { KubeObject } from "@purser/kubernetes/apis/object";
import { accessManifests } from "./access.ts";
import { certificateManifests } from "./certificates.ts";
import { networkManifests } from "./network.ts";
import { namespaceManifests, ownNamespace } from "./namespaces.ts";
import { resolve, type Template } from "./template.ts";
import type { InstallValues } from "./values.ts";
import { workloadManifests } from "./workload.ts";

/** Manifests by the file that they lie in, in the order in which they are applied. */
export const manifestFiles: ReadonlyMap<string, readonly Template[]> = new Map([
  ["namespaces", namespaceManifests],
  ["access", accessManifests],
  ["network", networkManifests],
  ["certificates", certificateManifests],
  ["workload", workloadManifests],
]);

/** Purser's own namespace, which Helm makes by itself. */
export function ownNamespaceObject(values: InstallValues): KubeObject {
  return resolve(ownNamespace, values) as unknown as KubeObject;
}

/**
 * The objects of an installation with these values, without CustomResourceDefinitions, admission policies and the roles for
 * users, which are manifests of their own.
 */
export function installationObjects(values: InstallValues): readonly KubeObject[] {
  return [...manifestFiles.values()]
    .flat()
    .flatMap((template) => resolve(template, values) ?? []) as unknown as readonly KubeObject[];
}
