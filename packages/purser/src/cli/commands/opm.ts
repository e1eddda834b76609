import { type CommandSpec, UsageError } from "../command.ts";

export const opmCommand: CommandSpec = {
  description: [
    "Commands: validate, render, serve, migrate, init, version, generate dockerfile,",
    "completion, alpha list, alpha render-graph, alpha render-template, alpha convert-template,",
    "alpha bundle generate, build, validate, unpack and extract. Commands on SQLite catalogs say what to do instead.",
    "Flags, outputs and exit codes are those of opm; a link named opm to this program does the same.",
    "A reference is a directory, an image with its registry, oci:DIR, oci-archive:FILE or docker-archive:FILE.",
  ].join("\n"),
  arguments: [{ name: "arguments", summary: "command and flags as opm takes them", variadic: true }],
  examples: [
    ["purser opm validate ./catalog", "silent when the catalog is valid"],
    ["purser opm serve ./catalog", "the registry API on port 50051"],
    ["purser opm render ./catalog -o yaml", "all blobs in canonical order"],
    ["purser opm render quay.io/acme/catalog:v1", "the same from an image"],
  ],
  answer: async (args, world) => (await import("../opm/answer-opm.ts")).answerOpm(args, world),
  run: () => Promise.reject(new UsageError("flags come after the opm command", "purser opm --help")),
};
