import type { KubeObject } from "@purser/kubernetes/apis/object";
import { plainJson } from "@purser/kubernetes/json";
import type { ObjectChange } from "@purser/kubernetes/kube/informer-cache";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

/**
 * A filter of changes for controllers that decide by little or nothing of an object's status: true for objects that appear,
 * leave or change in anything else, and when what they decide by changes. Most writes of an installation are of a status, and
 * a pass that reads nothing new costs about as much as one that does.
 * @param decidedBy the parts of the status that count, and nothing else of the object; none by default
 */
export const beyondStatus =
  <Type extends KubeObject>(decidedBy: (object: Type) => readonly unknown[] = () => []) =>
  ({ before, after }: ObjectChange<Type>): boolean =>
    before === undefined ||
    after === undefined ||
    !isSameButStatus(before, after) ||
    !deepEqual(plainJson(decidedBy(before)), plainJson(decidedBy(after)));

/** The API server begins another generation with every change of anything but metadata and, where it is a subresource, status. */
function isSameButStatus({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.generation !== undefined &&
    one.generation === other.generation &&
    deepEqual(withoutVersion(one), withoutVersion(other))
  );
}

const withoutVersion = ({ resourceVersion: _version, managedFields: _fields, ...metadata }: KubeObject["metadata"]) =>
  plainJson(metadata);
