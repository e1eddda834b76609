import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { copiedFromLabel, managedLabel } from "../../../../apis/v0/labels.ts";
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

/** The write that makes an object visible to informers of managed objects. Nothing else of it changes. */
export const managedLabelOn = ({ type, object }: Unlabelled): ManagedLabelAction => ({
  kind: "write",
  write: label(type, object, { [managedLabel]: "true" }, fieldManager),
});

/**
 * Labels what one operator has. Its own objects come before the copies of its permissions in other namespaces: a copy whose
 * original is not seen has no reason to exist.
 */
export function planManagedLabels(found: readonly Unlabelled[]): Plan<ManagedLabelAction> {
  const isCopy = ({ object }: Unlabelled): boolean => object.metadata.labels?.[copiedFromLabel] !== undefined;
  const staying = found.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  const own = staying.filter((one) => !isCopy(one));
  return { actions: [...own, ...staying.filter(isCopy)].map(managedLabelOn) };
}
