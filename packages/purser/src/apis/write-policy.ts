import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { apiVersionOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";

/** A ValidatingAdmissionPolicy with its one binding. */
export interface WritePolicy {
  readonly policy: KubeObject;
  readonly binding: KubeObject;
}

export interface PolicyRules {
  readonly validations: readonly JsonObject[];
  readonly variables: readonly JsonObject[];
  /** All must hold for a request to be validated. */
  readonly matchConditions?: readonly JsonObject[];
  /** Resources and subresources to check; by default the type's own resource. */
  readonly resources?: readonly string[];
  /** Every object of this type in the request's namespace is a parameter; without any, the request is accepted. */
  readonly params?: ResourceType;
  /** What happens to a write that the policy cannot judge, as while its parameters' type is not served. Default: `Fail`, it is refused. */
  readonly failurePolicy?: "Fail" | "Ignore";
}

/**
 * A policy that checks every create and update of `type`, in all namespaces.
 * @param action what a failed validation does: `Deny` refuses the write, `Warn` accepts it with a warning
 */
export function writePolicy(
  name: string,
  { group, version, plural }: ResourceType,
  action: "Deny" | "Warn",
  rules: PolicyRules,
): WritePolicy {
  const { params, matchConditions, resources = [plural], failurePolicy = "Fail" } = rules;
  const apiVersion = "admissionregistration.k8s.io/v1";
  const written = { apiGroups: [group], apiVersions: [version], operations: ["CREATE", "UPDATE"], resources };
  return {
    policy: {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy,
        ...(params === undefined ? {} : { paramKind: { apiVersion: apiVersionOf(params), kind: params.kind } }),
        matchConstraints: { resourceRules: [written] },
        ...(matchConditions === undefined ? {} : { matchConditions }),
        ...(rules.variables.length === 0 ? {} : { variables: rules.variables }),
        validations: rules.validations,
      },
    } as KubeObject,
    binding: {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: {
        policyName: name,
        ...(params === undefined ? {} : { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } }),
        validationActions: [action],
      },
    } as KubeObject,
  };
}
