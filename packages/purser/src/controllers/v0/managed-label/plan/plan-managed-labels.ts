import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { copiedFromLabel, managedLabel, permissionsHashLabel } from "../../../../apis/v0/labels.ts";
import { permissionsHashOf } from "../../../../bundle/csv-permissions.ts";
import { label } from "../../../plan/metadata-patch.ts";

/** An object that an older OLM left. */
export interface Unlabelled {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface ManagedLabelAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/** Field manager of the same migration in OLM. */
const fieldManager = "olm-ownership-labeller";

/**
 * The write that makes an object visible to informers of managed objects, and gives permissions the hash of their content if
 * they have none. Nothing else of it changes.
 */
export function managedLabelOn({ type, object }: Unlabelled): ManagedLabelAction {
  const hash =
    object.metadata.labels?.[permissionsHashLabel] === undefined ? permissionsHashOf(type, object) : undefined;
  const labels = { [managedLabel]: "true", ...(hash === undefined ? {} : { [permissionsHashLabel]: hash }) };
  return { kind: "write", write: label(type, object, labels, fieldManager) };
}

/** Whether an object names a CSV of its namespace as an owner. */
export const isReferring = ({ metadata: { ownerReferences = [] } }: KubeObject, csv: string): boolean =>
  ownerReferences.some(({ kind, name }) => kind === "ClusterServiceVersion" && name === csv);

/**
 * Labels what one operator has. Its own objects come before the copies of its permissions in other namespaces: a copy whose
 * original is not seen has no reason to exist. Those that only name the CSV as their owner come first: they are looked for
 * only while something with labels is left.
 */
export function planManagedLabels(found: readonly Unlabelled[]): Plan<ManagedLabelAction> {
  const isCopy = ({ object }: Unlabelled): boolean => object.metadata.labels?.[copiedFromLabel] !== undefined;
  const staying = found.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  const own = staying.filter((one) => !isCopy(one));
  return { actions: [...own, ...staying.filter(isCopy)].map(managedLabelOn) };
}
