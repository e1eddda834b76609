import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import { formatTime } from "@purser/kubernetes/clock";
import type { CatalogSource, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import { managedLabel } from "../../../../apis/v0/labels.ts";

/**
 * The ConfigMap with the CatalogSource as an owner that does not block its deletion, and with the label by which its changes
 * are watched; undefined when it has both. As with OLM, deleting the CatalogSource deletes the ConfigMap.
 */
export function ownedConfigMap(configMap: KubeObject, source: CatalogSource): KubeObject | undefined {
  const { labels = {}, ownerReferences = [] } = configMap.metadata;
  const { name = "", uid = "" } = source.metadata;
  const isOf = (owner: OwnerReference): boolean => owner.kind === "CatalogSource" && owner.name === name;
  const isOwned = ownerReferences.some((owner) => isOf(owner) && owner.uid === uid);
  if (isOwned && labels[managedLabel] !== undefined) return undefined;
  const owner: OwnerReference = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    name,
    uid,
    controller: false,
    blockOwnerDeletion: false,
  };
  return {
    ...configMap,
    metadata: {
      ...configMap.metadata,
      labels: { [managedLabel]: "false", ...labels },
      // One of the same name that was deleted owns nothing any more.
      ownerReferences: isOwned ? ownerReferences : [...ownerReferences.filter((each) => !isOf(each)), owner],
    },
  };
}

/** The reference to the ConfigMap in the status; its time is that of the last change of UID or resourceVersion. */
export function configMapReference(
  held: CatalogSourceStatus,
  configMap: KubeObject | "missing" | undefined,
  time: string,
): Pick<CatalogSourceStatus, "configMapReference"> {
  if (configMap === undefined || configMap === "missing") return {};
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = configMap.metadata;
  const known = held.configMapReference;
  if (known?.uid === uid && known.resourceVersion === resourceVersion) return {};
  return { configMapReference: { name, namespace, uid, resourceVersion, lastUpdateTime: time } };
}

/** A changed ConfigMap has been read after this long. */
const readMs = 5000;

export type ConnectionDue =
  | { readonly kind: "none" }
  | { readonly kind: "later"; readonly afterMs: number }
  | { readonly kind: "now"; readonly connection: NonNullable<CatalogSourceStatus["connectionState"]> };

/**
 * When `lastConnect` has to become later than the last change of the ConfigMap: OLM connects again after one, and its
 * clients wait for that, also when the change left the content as it was.
 */
export function connectionDue(status: CatalogSourceStatus, now: number): ConnectionDue {
  const { connectionState, configMapReference: reference } = status;
  const changed = Date.parse(reference?.lastUpdateTime ?? "");
  const connected = Date.parse(connectionState?.lastConnect ?? "");
  // A change in the future is one from before the clock was set back: no connection of now is later.
  if (connectionState?.lastObservedState !== "READY" || !(connected <= changed) || changed > now)
    return { kind: "none" };
  const afterMs = changed + readMs - now;
  if (afterMs > 0) return { kind: "later", afterMs };
  return { kind: "now", connection: { ...connectionState, lastConnect: formatTime(now) } };
}
