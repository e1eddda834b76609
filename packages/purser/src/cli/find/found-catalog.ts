import { goJson } from "@purser/kubernetes/text/documents";
import { formatBlob } from "../../catalog/opm/write-blobs.ts";
import type { FoundPackage } from "../../discovery/offers.ts";
import { listOf } from "../../explanation/summary.ts";
import { type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";

/**
 * The packages as one file-based catalog, each as its first source has it; stderr names those of which another source says something
 * else. Refused when a source has no blobs, as what the package API describes.
 * @throws UsageError for an output format other than JSON and YAML
 */
export function foundCatalog(invocation: Invocation, packages: readonly FoundPackage[]): Outcome {
  const format = textOption(invocation, "output") ?? "yaml";
  if (format !== "json" && format !== "yaml")
    throw new UsageError(`--as-catalog prints json or yaml, not ${format}`, "-o json, -o yaml, or without -o");
  const texts: string[] = [];
  const without: string[] = [];
  for (const { name, offers } of packages) {
    const [{ source }, ...others] = offers;
    const blobs = source.index.package(name)?.blobs ?? [];
    if (blobs.length === 0) without.push(`${name} of ${source.references[0] ?? source.name}`);
    for (const id of blobs) {
      const formatted = formatBlob(goJson(source.index.blob(id)), format);
      if (!formatted.ok)
        return { explanation: failure("Unexpected", `${name} cannot be printed: ${formatted.problem}`) };
      texts.push(formatted.value);
    }
    const alsoIn = others
      .filter((one) => one.source.index.digest !== source.index.digest)
      .map((one) => one.source.name);
    if (alsoIn.length > 0)
      invocation.terminal.err(
        `${name}: as ${source.name} has it, not ${listOf(alsoIn, 4)}; --source chooses another one`,
      );
  }
  if (without.length > 0)
    return {
      explanation: failure(
        "NotFound",
        `Only the package API describes ${listOf(without, 4)}, which has no catalog blobs`,
        [["purser search --as-catalog --catalog NAME=IMAGE", "read the catalog from its image"]],
      ),
    };
  return { exitCode: exitCodes.done, verbatim: texts.join("") };
}
