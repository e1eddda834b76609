import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";

/** A ValidatingAdmissionPolicy with its one binding. */
export interface WritePolicy {
  readonly policy: KubeObject;
  readonly binding: KubeObject;
}

/**
 * A policy that checks every create and update of `type`, in all namespaces.
 * @param action what a failed validation does: `Deny` refuses the write, `Warn` accepts it with a warning
 */
export function writePolicy(
  name: string,
  { group, version, plural }: ResourceType,
  action: "Deny" | "Warn",
  rules: Readonly<Record<"validations" | "variables", readonly JsonObject[]>>,
): WritePolicy {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const written = { apiGroups: [group], apiVersions: [version], operations: ["CREATE", "UPDATE"], resources: [plural] };
  return {
    policy: {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { resourceRules: [written] },
        ...(rules.variables.length === 0 ? {} : { variables: rules.variables }),
        validations: rules.validations,
      },
    } as KubeObject,
    binding: {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: [action] },
    } as KubeObject,
  };
}
