import { tiers } from "../../bundle/installer-manifests.ts";
import type { SubcommandSpec } from "../command.ts";

export const bundleRightsCommand: SubcommandSpec = {
  name: "rights",
  summary: "Write the ServiceAccount and roles with which an OperatorGroup installs a bundle",
  description: [
    "Writes manifests for review: the account that `spec.serviceAccountName` of an OperatorGroup names, with its rights by tier.",
    "least-privilege grants what this bundle needs and nothing else, including the rules of the operator itself: an account may",
    "not grant rights that it lacks. namespace-bounded grants everything in the namespace and nothing outside.",
  ].join("\n"),
  arguments: [{ name: "bundle", summary: "directory with manifests/ and metadata/, or an image", required: true }],
  options: [
    { flags: "-n, --namespace NS", summary: "namespace of the OperatorGroup and of the operator" },
    { flags: "--account NAME", summary: "name of the ServiceAccount (default installer)" },
    { flags: "--tier TIER", summary: "rights of the account (default least-privilege)", choices: [...tiers] },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json"] },
  ],
  examples: [
    ["purser bundle rights quay.io/org/operator-bundle:v1 -n tools", "review it, then: kubectl apply -f rights.yaml"],
    ["purser bundle rights ./bundle -n tools --tier namespace-bounded", "also print what this tier does not allow"],
  ],
  async run(invocation) {
    const { bundleRights } = await import("./rights.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "bundle", (bundle) =>
      bundleRights(invocation, bundle),
    );
  },
};
