import { asJson } from "@purser/kubernetes/apis/object";
import { numberIn, objectIn } from "../kinds/decoding/json-parts.ts";
import { validatingAdmissionPolicies } from "../kinds/resource-types.ts";
import { ownKey, type BuiltInController } from "./runtime.ts";

/** In managed fields. */
const manager = "validatingadmissionpolicy-status";

/**
 * Says that a policy has been looked at. Its expressions are compiled when it is written; what they would find in the
 * types of the objects they match is not worked out.
 */
export const policyStatusController: BuiltInController = {
  name: "validatingadmissionpolicy-status-controller",
  watches: [{ table: "validatingadmissionpolicies.admissionregistration.k8s.io", keys: ownKey }],
  reconcile: async (name, pass) => {
    const policy = pass.get(validatingAdmissionPolicies, { name });
    if (policy === undefined) return undefined;
    const { generation = 1 } = policy.metadata;
    if (generation <= (numberIn(objectIn(asJson(policy), "status"), "observedGeneration") ?? 0)) return undefined;
    const { kind, apiVersion } = policy;
    const applied = {
      kind,
      apiVersion,
      metadata: { name },
      status: { observedGeneration: generation, typeChecking: {} },
    };
    await pass.writer.apply(validatingAdmissionPolicies, applied, { name }, manager, "status");
    return undefined;
  },
};
