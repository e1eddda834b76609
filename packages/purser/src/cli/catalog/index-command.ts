import { shown } from "../output/shown.ts";
import type { SubcommandSpec } from "../command.ts";
import { UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { namedContent } from "../image/named-content.ts";
import { directoryOutput, targetDirectory } from "./target-directory.ts";
import { sizeText } from "../../explanation/summary.ts";
import { catalogArgument } from "./validate-command.ts";

export const indexCommand: SubcommandSpec = {
  name: "index",
  summary: "Build the on-disk index that servers and controllers open",
  description: "The file is named after the digest of the content; an existing index is reused.",
  arguments: [catalogArgument],
  options: [{ flags: "--to DIR", summary: "directory to write the index to" }, directoryOutput],
  examples: [["purser catalog index ./catalog --to ./indexes", "prints digest, size and time"]],
  async run(invocation) {
    const directory = targetDirectory(invocation);
    if (namedContent(directory).kind === "image")
      throw new UsageError(`--to ${directory} is an image; an index can only be written to a directory`, "--to DIR");
    const { statSync } = await import("node:fs");
    const { buildIndex } = await import("../../catalog-store/build.ts");
    const { systemClock } = await import("@purser/kubernetes/system/system-clock");
    const { problemInContent, refuseCatalog } = await import("./catalog-reference.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    const { readValidBlobs } = await import("./read-view.ts");
    const [reference = ""] = invocation.arguments;
    return withLocalContent(invocation, [reference], "catalog", async (catalog) => {
      const refusal = refuseCatalog(catalog);
      if (refusal !== undefined) return { explanation: refusal };
      const started = systemClock.now();
      invocation.terminal.progress(`building the index of ${reference}`);
      const built = await buildIndex({ directory: catalog.path, into: directory, signal: invocation.signal });
      invocation.terminal.progress("");
      if (!built.ok) {
        const again = readValidBlobs(catalog);
        const isUnwritable = built.problem[0]?.rule === "unwritable";
        const first = built.problem[0] && problemInContent(catalog, built.problem[0]);
        return {
          explanation: again.ok
            ? {
                code: isUnwritable ? "CatalogUnavailable" : "CatalogInvalid",
                summary:
                  `the catalog ${JSON.stringify(reference)} cannot be indexed: ${first?.message ?? "no reason given"}`.slice(
                    0,
                    200,
                  ),
                facts: { catalog: reference },
                derivation: [],
                remedies: isUnwritable ? [{ summary: `free space there, or name another directory with --to` }] : [],
              }
            : again.problem,
        };
      }
      const { digest, file } = built.value;
      const bytes = statSync(file).size;
      const seconds = Math.round(systemClock.now() - started) / 1000;
      const data = { apiVersion: "purser.dev/v1alpha1", kind: "CatalogIndex", digest, file, bytes, seconds };
      const size = sizeText(bytes);
      return { exitCode: exitCodes.done, data, human: shown(`${digest}  ${size}  ${seconds.toFixed(1)} s`, file) };
    });
  },
};
