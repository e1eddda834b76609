import type { JsonObject } from "@purser/kubernetes/json";
import { networkPolicies } from "@purser/kubernetes/apis/resources";
import { networkPolicyPrinter } from "../printing/plain-printers.ts";
import { defineKind, specOf } from "./define-kind.ts";
import { validateNetworkPolicy } from "./network-policy-validation.ts";
import { hasMember, mapList, mapMember, objectIn, textsIn, withDefaults } from "./decoding/json-parts.ts";

export const networkPolicyKind = defineKind(networkPolicies, {
  shortNames: ["netpol"],
  versionedExactly: true,
  versioned: specOf,
  defaults: (policy) =>
    mapMember(policy, "spec", (spec) => {
      const rule = (held: JsonObject): JsonObject =>
        mapList(held, "ports", (port) => withDefaults(port, { protocol: "TCP" }));
      const filled = mapList(mapList(spec, "ingress", rule), "egress", rule);
      const types =
        textsIn(filled, "egress").length > 0 || hasMember(filled, "egress") ? ["Ingress", "Egress"] : ["Ingress"];
      return withDefaults(filled, { policyTypes: types });
    }),
  validate: (policy) => validateNetworkPolicy(objectIn(policy, "spec")),
  printer: networkPolicyPrinter,
});
