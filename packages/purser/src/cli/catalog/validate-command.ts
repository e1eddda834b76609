import { flagOption, type SubcommandSpec } from "../command.ts";

export const reportOutput = {
  flags: "-o, --output FORMAT",
  summary: "how to print",
  choices: ["table", "json", "yaml", "sarif"],
};
export const catalogArgument = {
  name: "catalog",
  summary: "directory, file or image of a file-based catalog",
  required: true,
};

export const validateCommand: SubcommandSpec = {
  name: "validate",
  summary: "All problems that make a catalog unusable, with places, causes and remedies",
  description: [
    "Reads everything before it reports: several problems of one file, one channel or one bundle come together.",
    "Warnings are about what OLM accepts and a server, a mirror or a console has trouble with.",
    "Ends with 10 when there are errors. docs/catalog-rules.md lists the rules.",
  ].join("\n"),
  arguments: [catalogArgument],
  options: [
    { flags: "--strict", summary: "warnings count as errors" },
    {
      flags: "--fix",
      summary: "repair mechanical faults, also when other errors remain; the rest of the text stays unchanged",
    },
    reportOutput,
  ],
  examples: [
    ["purser catalog validate ./catalog", "every problem, with file and line"],
    ["purser catalog validate quay.io/acme/catalog:v1", "the same for an image"],
    ["purser catalog validate ./catalog -o sarif", "for code review"],
    ["purser catalog validate ./catalog --fix", "and repair the mechanical ones"],
  ],
  async run(invocation) {
    const { reportOn } = await import("./report/report-outcome.ts");
    const { readSettings } = await import("./author-settings.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    const judging = {
      soft: false,
      strict: flagOption(invocation, "strict"),
      severities: readSettings(".").severities,
    };
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "catalog", (catalog) =>
      reportOn(invocation, catalog, judging),
    );
  },
};
