import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import { shellWord } from "../../explanation/summary.ts";
import { failure, type Failure } from "../failure.ts";

/** How commands name a policy: `clusterupdatepolicy/NAME` or `updatepolicy/NAMESPACE/NAME`. */
export const policyTextReference = ({
  metadata: { namespace, name = "" },
}: UpdatePolicy | ClusterUpdatePolicy): string =>
  namespace === undefined ? `clusterupdatepolicy/${name}` : `updatepolicy/${namespace}/${name}`;

/** No policy has the name; `near` are names that resemble it. */
export function policyNotFound(wanted: string, near: readonly string[]): Failure {
  return failure("NotFound", `There is no update policy "${wanted}"`, [
    ...near.map((one) => [`purser policy show ${shellWord(one)}`, "did you mean this one?"] as const),
    ["purser policy list -A", "all of them"],
  ]);
}
