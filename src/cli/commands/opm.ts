import { systemClock } from "../../engine/system-clock.ts";
import { type CommandSpec, UsageError } from "../command.ts";

export const opmCommand: CommandSpec = {
  name: "opm",
  group: "Author",
  summary: "Read, check and write file-based catalogs with the command lines of opm",
  description: [
    "Commands: validate, render, serve, migrate, init, version, generate dockerfile,",
    "completion, alpha list, alpha render-graph, alpha render-template, alpha convert-template,",
    "alpha bundle generate, build, validate and extract. Commands on images and SQLite catalogs say what to do instead.",
    "Flags, outputs and exit codes are those of opm; a link named opm to this program does the same.",
    "Catalogs are read from folders; image references are not read yet.",
  ].join("\n"),
  arguments: [{ name: "arguments", summary: "command and flags as opm takes them", variadic: true }],
  examples: [
    ["purser opm validate ./catalog", "silent when the catalog is valid"],
    ["purser opm serve ./catalog", "the registry API on port 50051"],
    ["purser opm render ./catalog -o yaml", "all blobs in canonical order"],
  ],
  answer: async (args, { interrupt, err }) => {
    const { isLongOpm, runLongOpm, runOpm } = await import("../opm/run-opm.ts");
    const { env, stderr } = process;
    const showing = {
      alpha: env["HELP_ALPHA"] === "true",
      terminal: stderr.isTTY,
      hints: stderr.isTTY && env["PURSER_NO_HINTS"] !== "1",
    };
    if (!isLongOpm(args)) return runOpm(args, systemClock, showing);
    return runLongOpm(args, { clock: systemClock, signal: interrupt(), argv: process.argv, err, env }, showing);
  },
  run: () => Promise.reject(new UsageError("flags stand behind the opm command", "purser opm --help")),
};
