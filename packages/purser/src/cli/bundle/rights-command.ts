import { tiers } from "../../bundle/installer-manifests.ts";
import type { SubcommandSpec } from "../command.ts";

export const bundleRightsCommand: SubcommandSpec = {
  name: "rights",
  summary: "The ServiceAccount and roles with which an OperatorGroup installs a bundle",
  description: [
    "Writes manifests for review: the account that `spec.serviceAccountName` of an OperatorGroup names, with its rights by tier.",
    "least-privilege is what this bundle needs and nothing else; it includes the rules of the operator itself, as nobody may grant",
    "what they do not have. namespace-bounded is everything in the namespace and nothing outside.",
  ].join("\n"),
  arguments: [{ name: "bundle", summary: "folder with manifests/ and metadata/, or an image", required: true }],
  options: [
    { flags: "-n, --namespace NS", summary: "namespace of the OperatorGroup and of the operator" },
    { flags: "--account NAME", summary: "name of the ServiceAccount (default installer)" },
    { flags: "--tier TIER", summary: "how much it may do (default least-privilege)", choices: [...tiers] },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json"] },
  ],
  examples: [
    ["purser bundle rights quay.io/org/operator-bundle:v1 -n tools", "review it, then: kubectl apply -f rights.yaml"],
    ["purser bundle rights ./bundle -n tools --tier namespace-bounded", "and what this tier does not allow"],
  ],
  async run(invocation) {
    const { bundleRights } = await import("./rights.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "bundle", (bundle) =>
      bundleRights(invocation, bundle),
    );
  },
};
