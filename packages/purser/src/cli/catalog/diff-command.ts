import type { OptionSpec, SubcommandSpec } from "../command.ts";

/** Flags of commands that print what changed between two catalogs. */
export const diffOptions: readonly OptionSpec[] = [
  { flags: "--exit-code", summary: "end with 3 when there are changes" },
  { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml", "markdown"] },
];

export const diffCommand: SubcommandSpec = {
  name: "diff",
  summary: "What changed between two catalogs, and whose upgrade path is lost",
  description: [
    "Packages, channels, versions, edges, bundles and deprecations. A change is breaking (!) when users lose their path by",
    "the rules of OLM v0 or v1, or when a published bundle or channel was removed or changed.",
  ].join("\n"),
  arguments: [
    { name: "old", summary: "directory, file or image of the older catalog", required: true },
    { name: "new", summary: "directory, file or image of the newer one", required: true },
  ],
  options: diffOptions,
  examples: [
    ["purser catalog diff ./published ./catalog", "what a release would change"],
    ["purser catalog diff ./published ./catalog -o markdown", "as a comment for a pull request"],
  ],
  async run(invocation) {
    const { diffOutcome } = await import("./report/diff-outcome.ts");
    const { readView } = await import("./read-view.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    const [oldReference = "", newReference = ""] = invocation.arguments;
    return withLocalContent(invocation, [oldReference, newReference], "catalog", (older, newer) => {
      const old = readView(older);
      if (!old.ok) return { explanation: old.problem };
      const next = readView(newer);
      if (!next.ok) return { explanation: next.problem };
      return diffOutcome(invocation, old.value, next.value);
    });
  },
};
