import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import { type Cleanup, cleanupScopes } from "./plan/cleanup.ts";

/**
 * The custom resources that go before a CSV that is being deleted; none unless its `spec.cleanup` asks for it, and none when its
 * namespace is being deleted: then its operator ends first, and nobody is left to finalize them.
 */
export async function observeCleanup(csv: ClusterServiceVersion, reader: ObjectReader): Promise<Cleanup> {
  const nothing: Cleanup = { operands: [], undeletable: [] };
  if (csv.spec.cleanup?.enabled !== true) return nothing;
  const home = await reader.get(namespaces, { name: csv.metadata.namespace ?? "" });
  if (home === undefined || home.metadata.deletionTimestamp !== undefined) return nothing;
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  const [others, crds] = await Promise.all([
    reader.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }),
    Promise.all(owned.map(({ name }) => reader.get(customResourceDefinitions, { name }))),
  ]);
  const scopes = cleanupScopes(
    csv,
    others,
    crds.filter((crd) => crd !== undefined),
  );
  const found = await Promise.all(
    scopes.map(async ({ type, namespaces: wanted, account }): Promise<Cleanup> => {
      const all = await reader.list(type);
      const own = all.filter(({ metadata: { namespace = "" } }) => wanted === "all" || wanted.includes(namespace));
      if (account === undefined) return { operands: [], undeletable: own.length === 0 ? [] : [groupResource(type)] };
      const operands = own.map(({ metadata: { namespace, name = "", deletionTimestamp } }) => ({
        type,
        key: { ...(namespace === undefined ? {} : { namespace }), name },
        account,
        isDeleting: deletionTimestamp !== undefined,
      }));
      return { operands, undeletable: [] };
    }),
  );
  return {
    operands: found.flatMap(({ operands }) => operands),
    undeletable: found.flatMap(({ undeletable }) => undeletable),
  };
}
