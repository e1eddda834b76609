import type { KubeObject, ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { checkTyped } from "@purser/kubernetes/object/apply/check-typed";
import type { ResetFields } from "@purser/kubernetes/object/apply/reset-fields";
import { updateManagedFields } from "@purser/kubernetes/object/apply/managed-fields";
import type { WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { hasStatus } from "../registry/served-kind.ts";

/** Fields that an endpoint neither accepts nor tracks. */
export function resetFields(kind: ServedKind, endpoint: WriteEndpoint): ResetFields {
  if (endpoint === "status") return kind.statusReset;
  return endpoint === "main" && hasStatus(kind) ? [["status"]] : [];
}

/** Versions without served kinds that Go's scheme still converts. */
const retiredVersions: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["deployments.apps", ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"]],
  ["statefulsets.apps", ["apps/v1beta1", "apps/v1beta2"]],
  ["replicasets.apps", ["apps/v1beta2", "extensions/v1beta1"]],
  ["daemonsets.apps", ["apps/v1beta2", "extensions/v1beta1"]],
  ["controllerrevisions.apps", ["apps/v1beta1", "apps/v1beta2"]],
  ["cronjobs.batch", ["batch/v1beta1"]],
  ["events", ["v1", "events.k8s.io/v1", "events.k8s.io/v1beta1"]],
  ["networkpolicies.networking.k8s.io", ["extensions/v1beta1"]],
  ["leases.coordination.k8s.io", ["coordination.k8s.io/v1beta1"]],
  ["endpointslices.discovery.k8s.io", ["discovery.k8s.io/v1beta1"]],
  ["poddisruptionbudgets.policy", ["policy/v1beta1"]],
  ["priorityclasses.scheduling.k8s.io", ["scheduling.k8s.io/v1alpha1", "scheduling.k8s.io/v1beta1"]],
  ...["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map(
    (plural) =>
      [
        `${plural}.rbac.authorization.k8s.io`,
        ["rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1beta1"],
      ] as const,
  ),
  ...[
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
  ].map(
    (plural) =>
      [
        `${plural}.admissionregistration.k8s.io`,
        ["admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1"],
      ] as const,
  ),
  ["customresourcedefinitions.apiextensions.k8s.io", ["apiextensions.k8s.io/v1beta1"]],
  ["apiservices.apiregistration.k8s.io", ["apiregistration.k8s.io/v1beta1"]],
]);

/** `apiVersion`s whose managed fields are kept: those that the object can be converted to, served or not. */
export function knownVersions({ type, custom, table }: ServedKind): readonly string[] {
  return custom === undefined
    ? [apiVersionOf(type), ...(retiredVersions.get(table) ?? [])]
    : custom.definition.spec.versions.map(({ name }) => apiVersionOf({ group: type.group, version: name }));
}

/** Whether the sent or stored managed fields contain a version that the definition does not have. */
function namesUnknownVersion(kind: ServedKind, next: KubeObject): boolean {
  if (kind.custom === undefined) return false;
  const known = knownVersions(kind);
  return (next.metadata.managedFields ?? []).some(
    ({ apiVersion = "", operation }) => operation !== undefined && apiVersion !== "" && !known.includes(apiVersion),
  );
}

const emptyObjects = new WeakMap<ServedKind, JsonObject>();

/** Fields that a typed object always has; none for custom resources. */
export function emptyObject(kind: ServedKind): JsonObject {
  let empty = emptyObjects.get(kind);
  if (empty === undefined) {
    empty = kind.custom === undefined ? kind.decode({}).value : {};
    emptyObjects.set(kind, empty);
  }
  return empty;
}

/** `next` with the managed fields after a write by the manager. */
export function* withOwnership(
  kind: ServedKind,
  endpoint: WriteEndpoint,
  write: { readonly next: KubeObject; readonly old?: KubeObject; readonly manager: string; readonly now: string },
): Steps<KubeObject> {
  const { next, old, manager, now } = write;
  // kube-apiserver's converter of custom resources does not know the version, and drops all managed fields.
  const tracked =
    endpoint === "main" || old === undefined ? next : withManagedFields(next, old.metadata.managedFields ?? []);
  if (namesUnknownVersion(kind, tracked)) return withManagedFields(write.next, []);
  const written = [next, ...(old === undefined ? [] : [old])];
  for (const object of written)
    if ((yield* typeFaults(kind, object)).length > 0) return withManagedFields(write.next, []);
  // What others own is compared in their version, and what is converted must tell its items apart.
  const isConverted = (tracked.metadata.managedFields ?? []).some(
    ({ apiVersion }) => apiVersion !== apiVersionOf(kind.type),
  );
  for (const object of isConverted ? written : [])
    if ((yield* checkTyped(asJson(object), kind.mergeSchema(), "converted")).length > 0)
      return withManagedFields(write.next, []);
  yield;
  const managedFields = yield* updateManagedFields({
    ...(old === undefined ? {} : { old: asJson(old) }),
    next: asJson(tracked),
    manager,
    operation: "Update",
    apiVersion: apiVersionOf(kind.type),
    ...(endpoint === "main" ? {} : { subresource: endpoint }),
    schema: kind.mergeSchema(),
    empty: emptyObject(kind),
    now,
    resetFields: resetFields(kind, endpoint),
    knownVersions: knownVersions(kind),
  });
  return withManagedFields(write.next, managedFields);
}

/**
 * Why field ownership of the object cannot be computed: validation accepts some values of another type, such as a list
 * for a `date-time`. Built-in kinds are typed when decoded; of those only secrets of a ServiceAccount may lack their
 * key.
 */
export function* typeFaults(kind: ServedKind, object: KubeObject): Steps<readonly string[]> {
  if (kind.custom === undefined && kind.table !== "serviceaccounts") return [];
  const { metadata: _metadata, ...rest } = asJson(object);
  return yield* checkTyped(rest, kind.mergeSchema(), "stored");
}

/** The object with these entries, or with none. */
export function withManagedFields(object: KubeObject, managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  const { managedFields: _old, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}
