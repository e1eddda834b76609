import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterOperators, clusterVersions, proxies, type Proxy } from "../../apis/openshift.ts";
import type { World } from "./world.ts";

/** Defines what of OpenShift's configuration API Purser reads and writes, and creates ClusterVersion `version`. */
export async function installOpenShift(world: World, version: string): Promise<void> {
  for (const type of [clusterVersions, clusterOperators, proxies])
    await world.create(customResourceDefinitions, definitionOf(type));
  for (const type of [clusterVersions, clusterOperators, proxies])
    await world.reaches(
      customResourceDefinitions,
      { name: `${type.plural}.${type.group}` },
      "established",
      ({ status }) =>
        status?.conditions?.some((held) => held.type === "Established" && held.status === "True") === true,
    );
  await world.create(clusterVersions, {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
  });
  await reportVersion(world, version);
}

/** Sets the version that the cluster runs. */
export async function reportVersion(world: World, version: string): Promise<void> {
  await world.mergeStatus(clusterVersions, { name: "version" }, { desired: { version } });
}

/** Creates Proxy `cluster` with what the platform has put into its status. */
export async function createProxy(world: World, status: NonNullable<Proxy["status"]>): Promise<void> {
  await world.create(proxies, { apiVersion: "config.openshift.io/v1", kind: "Proxy", metadata: { name: "cluster" } });
  await world.mergeStatus(proxies, { name: "cluster" }, status);
}

function definitionOf({ group, version, kind, plural }: ResourceType): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/openshift/api/pull/470" },
    },
    spec: {
      group,
      scope: "Cluster",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  } as unknown as CustomResourceDefinition;
}
