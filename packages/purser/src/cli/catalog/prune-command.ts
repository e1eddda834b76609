import type { SubcommandSpec } from "../command.ts";
import { listOption, textOption, UsageError } from "../command.ts";
import { directoryOutput, targetDirectory } from "./target-directory.ts";
import { catalogArgument } from "./validate-command.ts";

export const pruneCommand: SubcommandSpec = {
  name: "prune",
  summary: "A smaller catalog with some packages and versions, which still validates",
  description: [
    "Keeps the versions asked for, what they require (the highest provider and its way to the head), and their channels.",
    "Gaps in chains of replacements are closed, which may allow an update over the versions between. A default channel",
    "without versions gives way to the channel with the highest one. Reports what was dropped and why, and which users lose their upgrade path.",
  ].join("\n"),
  arguments: [catalogArgument],
  options: [
    {
      flags: "--keep PACKAGE[@RANGE]",
      summary: "versions to keep; all of the package without a range",
      repeatable: true,
    },
    { flags: "--to DIR", summary: "directory to write: empty, or new" },
    { flags: "--format FORMAT", summary: "of the files written", choices: ["yaml", "json"] },
    directoryOutput,
  ],
  examples: [
    [
      "purser catalog prune ./catalog --keep etcd@'>=0.9' --keep prometheus --to ./small",
      "two packages, one of them in part",
    ],
  ],
  async run(invocation) {
    const keeps = listOption(invocation, "keep");
    const directory = targetDirectory(invocation);
    if (keeps.length === 0) throw new UsageError("nothing to keep is named", "--keep PACKAGE[@RANGE]");
    const { readValidBlobs } = await import("./read-view.ts");
    const { pruneTo } = await import("./prune-to.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "catalog", (catalog) => {
      const blobs = readValidBlobs(catalog);
      if (!blobs.ok) return { explanation: blobs.problem };
      return pruneTo(blobs.value, keeps, directory, textOption(invocation, "format") === "json" ? "json" : "yaml");
    });
  },
};
