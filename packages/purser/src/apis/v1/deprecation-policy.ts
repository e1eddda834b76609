import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterExtensions } from "../olm-resources.ts";

const name = "clusterextension-serviceaccount-deprecated";

/** Warns clients that write a ClusterExtension with a service account; does not refuse the write. */
export const deprecationPolicy: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [clusterExtensions.group],
          apiVersions: [clusterExtensions.version],
          operations: ["CREATE", "UPDATE"],
          resources: [clusterExtensions.plural],
        },
      ],
    },
    validations: [
      {
        expression:
          "!has(object.spec) || !has(object.spec.serviceAccount) || !has(object.spec.serviceAccount.name) || object.spec.serviceAccount.name == ''",
        message:
          "spec.serviceAccount is deprecated, ignored, and will be removed in a future release. The operator-controller's cluster-admin service account is used for all cluster interactions.",
      },
    ],
  },
};

export const deprecationPolicyBinding: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName: name, validationActions: ["Warn"] },
};
