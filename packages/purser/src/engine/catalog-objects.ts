import type { ApiFamily } from "../apis/api-family.ts";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { catalogSources, clusterCatalogs } from "../apis/olm-resources.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { localCatalogReference, sourceOfImage } from "../catalog/content.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import type { CatalogArgument } from "./catalog-argument.ts";

const fieldManager = "purser";

/** Creates the namespace if it does not exist. */
export async function ensureNamespace(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  if ((await client.get(namespaces, { name })) !== undefined) return;
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const created = await client.write({ verb: "create", type: namespaces, object }, signal);
  if (!created.ok && created.problem.kind !== "alreadyExists") written(created);
}

/** How often a tag is looked at that was given on the command line. */
const pollMinutes = 10;

/** A catalog of the command line: what `path` names is read by this process; an image is named by its objects. */
export type RegisteredArgument = CatalogArgument | (Omit<CatalogArgument, "path"> & { readonly image: string });

/** Registers a catalog with the given API families: as a CatalogSource and as a ClusterCatalog. */
export async function registerCatalog(
  client: KubeClient,
  catalog: RegisteredArgument,
  families: readonly ApiFamily[],
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = catalog;
  const image = "image" in catalog ? catalog.image : localCatalogReference(name);
  const isPolled = sourceOfImage(image).kind === "image" && !image.includes("@");
  const source: CatalogSource = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { name, namespace },
    spec: {
      sourceType: "grpc",
      image,
      displayName: name,
      ...(isPolled ? { updateStrategy: { registryPoll: { interval: `${pollMinutes}m` } } } : {}),
    },
  };
  const clusterCatalog: ClusterCatalog = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name },
    spec: {
      source: { type: "Image", image: { ref: image, ...(isPolled ? { pollIntervalMinutes: pollMinutes } : {}) } },
    },
  };
  const apply = async (type: ResourceType, object: KubeObject): Promise<void> => {
    written(await client.write({ verb: "apply", type, object, fieldManager, force: true }, signal));
  };
  if (families.includes("v0")) {
    await ensureNamespace(client, namespace, signal);
    await apply(catalogSources, source);
  }
  if (families.includes("v1")) await apply(clusterCatalogs, clusterCatalog);
}
