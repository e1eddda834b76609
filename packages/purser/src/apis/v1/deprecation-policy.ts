import { clusterExtensions } from "../olm-resources.ts";
import { writePolicy } from "../write-policy.ts";

/** Warns clients that write a ClusterExtension with a service account; does not refuse the write. */
export const deprecationPolicy = writePolicy("clusterextension-serviceaccount-deprecated", clusterExtensions, "Warn", {
  variables: [],
  validations: [
    {
      expression:
        "!has(object.spec) || !has(object.spec.serviceAccount) || !has(object.spec.serviceAccount.name) || object.spec.serviceAccount.name == ''",
      message:
        "spec.serviceAccount is deprecated, ignored, and will be removed in a future release. The operator-controller's cluster-admin service account is used for all cluster interactions.",
    },
  ],
});
