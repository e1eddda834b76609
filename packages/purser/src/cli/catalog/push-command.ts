import { existsSync } from "node:fs";
import type { SubcommandSpec } from "../command.ts";
import { pushOptions, targetArgument } from "../image/push-options.ts";
import { exitCodes } from "../exit-code.ts";
import { catalogArgument } from "./validate-command.ts";

export const catalogPushCommand: SubcommandSpec = {
  name: "push",
  summary: "Build the image of a catalog without a container engine, and write it",
  description: [
    "Validates first; with errors nothing is written, the findings are those of `purser catalog validate`, and it ends with 10.",
    "The image holds what the Dockerfile of `purser opm generate dockerfile` copies to /configs, with the same label, and no",
    "other content: no base image with opm, no cache. OLM v1 and purser need nothing else. A CatalogSource that OLM v0 runs as",
    "a pod needs spec.grpcPodConfig.extractContent with catalogDir /configs.",
    "The same catalog gives the same digest, whatever the order and times of its files.",
    "Registries are reached as podman and opm do: registries.conf, certs.d, proxies, and logins of docker and podman.",
    "--sign adds a signature in cosign's form under the tag sha256-DIGEST.sig; signatures that are there stay.",
  ].join("\n"),
  arguments: [{ ...catalogArgument, summary: "directory or file of a file-based catalog" }, targetArgument],
  options: pushOptions,
  examples: [
    ["purser catalog push ./catalog registry.example.com/acme/catalog:v1", "to a registry"],
    ["purser catalog push ./catalog oci:./layout:v1 -o json", "to an OCI layout; reference, digest and size as data"],
  ],
  async run(invocation) {
    const { reportOn } = await import("./report/report-outcome.ts");
    const { readSettings } = await import("./author-settings.ts");
    const { pushImage } = await import("../image/push-image.ts");
    const { catalogImage } = await import("../../image/build/catalog-image.ts");
    const { contentAt } = await import("../image/local-content.ts");
    const { missingReference } = await import("../image/missing-reference.ts");
    const [catalog = ""] = invocation.arguments;
    return pushImage(invocation, {
      content: "catalog",
      refusal: () => {
        if (!existsSync(catalog)) return missingReference("catalog", catalog);
        const report = reportOn(invocation, contentAt(catalog), {
          soft: false,
          strict: false,
          severities: readSettings(".").severities,
        });
        return report.exitCode === exitCodes.done ? undefined : report;
      },
      build: (options) => catalogImage(catalog, options),
    });
  },
};
