import { asJson } from "@purser/kubernetes/apis/object";
import { numberIn, objectIn } from "../kinds/decoding/json-parts.ts";
import { validatingAdmissionPolicies } from "../kinds/resource-types.ts";
import { ownKey, type BuiltInController } from "./runtime.ts";

/** Field manager. */
const manager = "validatingadmissionpolicy-status";

/**
 * Writes observedGeneration of policies. Expressions are compiled when a policy is written; type checking against the
 * matched resources is not implemented, so `typeChecking` is empty.
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
