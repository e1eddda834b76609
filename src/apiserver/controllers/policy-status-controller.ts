import { asJson, parseKey } from "../../apis/object.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { objectIn } from "../kinds/json-parts.ts";
import { validatingAdmissionPolicies } from "../kinds/resource-types.ts";
import { ownKey, type BuiltInController } from "./runtime.ts";

/**
 * Says that a policy has been looked at. Its expressions are compiled when it is written; what they would find in the
 * types of the objects they match is not worked out.
 */
export const policyStatusController: BuiltInController = {
  name: "validatingadmissionpolicy-status-controller",
  watches: [{ table: "validatingadmissionpolicies.admissionregistration.k8s.io", keys: ownKey }],
  reconcile: async (key, pass) => {
    const policy = pass.get(validatingAdmissionPolicies, parseKey(key));
    if (policy === undefined) return undefined;
    const before = objectIn(asJson(policy), "status");
    const status = { ...before, observedGeneration: policy.metadata.generation ?? 1, typeChecking: {} };
    if (deepEqual(status, before)) return undefined;
    await pass.writer.replace(validatingAdmissionPolicies, { ...policy, status }, "status");
    return undefined;
  },
};
