import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import type { Steps } from "@purser/kubernetes/steps";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import { validation, type WriteContext, type WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { commonUpdateErrors, metadataErrors, ownUpdateErrors } from "./metadata-validation.ts";

/**
 * The parts of a kind's own validation of an update, in its order: `metadata` as on a create, the `change` of metadata, the
 * `rules` of the kind, or those that hold for a `new` object. Each of them reports every error it finds.
 */
type Look = "metadata" | "change" | "rules" | "new";

const usual: readonly Look[] = ["change", "rules"];
const changeFirst: readonly Look[] = ["change", "metadata", "rules"];
const metadataFirst: readonly Look[] = ["metadata", "change", "rules"];
const withoutChange: readonly Look[] = ["metadata", "rules"];

const looks: ReadonlyMap<string, readonly Look[]> = new Map([
  ["configmaps", ["change", "rules", "metadata"]],
  ["secrets", ["change", "rules", "metadata"]],
  ["serviceaccounts", changeFirst],
  ["services", changeFirst],
  ["persistentvolumeclaims", changeFirst],
  ["endpoints", changeFirst],
  ["apiservices.apiregistration.k8s.io", changeFirst],
  ["controllerrevisions.apps", changeFirst],
  ["namespaces", metadataFirst],
  ["nodes", metadataFirst],
  ["roles.rbac.authorization.k8s.io", metadataFirst],
  ["rolebindings.rbac.authorization.k8s.io", metadataFirst],
  ["clusterroles.rbac.authorization.k8s.io", metadataFirst],
  ["clusterrolebindings.rbac.authorization.k8s.io", metadataFirst],
  ["limitranges", withoutChange],
  ["endpointslices.discovery.k8s.io", withoutChange],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", withoutChange],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", withoutChange],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", withoutChange],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", withoutChange],
  ["persistentvolumes", ["metadata", "new", "metadata", "rules"]],
  ["poddisruptionbudgets.policy", ["rules"]],
  ["events", ["rules"]],
]);

const statusLooks: ReadonlyMap<string, readonly Look[]> = new Map([
  ["cronjobs.batch", ["rules"]],
  ["poddisruptionbudgets.policy", ["rules"]],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", ["rules"]],
  ["statefulsets.apps", ["rules", "change"]],
]);

/** Everything that is wrong with a changed object, repeated as often as kube-apiserver repeats it, in its order. */
export function* updateErrors(
  kind: ServedKind,
  next: KubeObject,
  old: KubeObject,
  endpoint: WriteEndpoint,
  context: WriteContext,
): Steps<readonly FieldError[]> {
  const table = endpoint === "status" || endpoint === "finalize" ? statusLooks : looks;
  const own = kind.custom === undefined ? (table.get(groupResource(kind.type)) ?? usual) : usual;
  let errors = yield* commonUpdateErrors(kind, next, old);
  for (const look of own) {
    yield;
    errors = [...errors, ...(yield* errorsOf(look, errors))];
  }
  return errors;

  function* errorsOf(look: Look, earlier: readonly FieldError[]): Steps<readonly FieldError[]> {
    switch (look) {
      case "metadata":
        return yield* metadataErrors(kind, next);
      case "change":
        return yield* ownUpdateErrors(kind, next, old);
      case "rules":
        return yield* validation(kind, asJson(next), context, asJson(old), endpoint, earlier);
      case "new":
        return yield* validation(kind, asJson(next), context);
    }
  }
}
