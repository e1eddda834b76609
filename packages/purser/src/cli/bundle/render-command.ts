import type { SubcommandSpec } from "../command.ts";

export const bundleRenderCommand: SubcommandSpec = {
  name: "render",
  summary: "The objects that installing a bundle puts on a cluster",
  description: [
    "The same objects in the same order as the controller of ClusterExtensions applies, as YAML. Secrets and authorities of",
    "webhook certificates are created at installation and are shown here without content.",
  ].join("\n"),
  arguments: [{ name: "bundle", summary: "directory with manifests/ and metadata/, or an image", required: true }],
  options: [
    { flags: "-n, --namespace NS", summary: "namespace of the operator" },
    { flags: "--watch NS", summary: "namespace to watch; its own one counts too", repeatable: true },
    { flags: "--config FILE", summary: "YAML or JSON of spec.config.inline" },
    {
      flags: "--webhook-certificates PROVIDER",
      summary: "who makes the certificates of webhooks",
      choices: ["own", "cert-manager"],
    },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json"] },
  ],
  examples: [
    ["purser bundle render ./bundle --namespace tools", "what would be applied"],
    ["purser bundle render ./bundle -n tools --watch data", "for an operator that watches another namespace"],
  ],
  async run(invocation) {
    const { renderLocalBundle } = await import("./render.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "bundle", (bundle) =>
      renderLocalBundle(invocation, bundle),
    );
  },
};
