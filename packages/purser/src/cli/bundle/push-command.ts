import { existsSync } from "node:fs";
import type { SubcommandSpec } from "../command.ts";
import { pushOptions, targetArgument } from "../image/push-options.ts";
import { exitCodes } from "../exit-code.ts";

export const bundlePushCommand: SubcommandSpec = {
  name: "push",
  summary: "Build the image of a bundle without a container engine, and write it",
  description: [
    "Validates first; with errors nothing is written, the findings are those of `purser bundle validate`, and it ends with 10.",
    "The image holds /manifests, /metadata and, where it exists, /tests/scorecard; its labels are the annotations of",
    "metadata/annotations.yaml. The same bundle gives the same digest, whatever the order and times of its files.",
    "Registries are reached as podman and opm do: registries.conf, certs.d, proxies, and logins of docker and podman.",
    "--sign adds a signature in cosign's form under the tag sha256-DIGEST.sig; signatures that are there stay.",
  ].join("\n"),
  arguments: [
    { name: "directory", summary: "directory with manifests/ and metadata/", required: true },
    targetArgument,
  ],
  options: pushOptions,
  examples: [
    ["purser bundle push ./bundle registry.example.com/acme/kiln-bundle:v1.0.0", "to a registry"],
    ["purser bundle push ./bundle oci-archive:kiln.tar:v1.0.0", "to a file"],
  ],
  async run(invocation) {
    const { validateLocalBundle } = await import("./validate.ts");
    const { invalidFrom, readLocalBundle } = await import("./bundle-reference.ts");
    const { contentAt } = await import("../image/local-content.ts");
    const { missingReference } = await import("../image/missing-reference.ts");
    const { readBundle } = await import("../../bundle/read-bundle.ts");
    const { pushImage } = await import("../image/push-image.ts");
    const { bundleImage } = await import("../../image/build/bundle-image.ts");
    const [directory = ""] = invocation.arguments;
    if (!existsSync(directory)) return missingReference("bundle", directory);
    const files = readLocalBundle(contentAt(directory));
    if (!files.ok) return { explanation: files.problem };
    const bundle = readBundle(files.value);
    return pushImage(invocation, {
      content: "bundle",
      refusal: () => {
        const report = validateLocalBundle(invocation, contentAt(directory));
        if (report.exitCode !== exitCodes.done) return report;
        return bundle.ok ? undefined : { explanation: invalidFrom(directory, bundle.problem) };
      },
      build: (options) => bundleImage(directory, bundle.ok ? bundle.value.annotations : {}, options),
    });
  },
};
