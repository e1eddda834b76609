import { flagOption, listOption, type SubcommandSpec, textOption } from "../command.ts";
import { catalogArgument, reportOutput } from "./validate-command.ts";

export const lintCommand: SubcommandSpec = {
  name: "lint",
  summary: "Advice about a catalog: upgrade paths, images, permissions, API changes",
  description: [
    "Reports what validate does, and for sound packages: versions without a way to the head, edges that OLM v0 and v1",
    "read differently, images by tag, rights and API changes between neighbours, and more.",
    "--against compares with the published catalog: bundles that changed, users who lost their path.",
    "Severities come from --rule, then .purser.yaml, then the rule. Ends with 10 when there are errors (--strict: or warnings).",
  ].join("\n"),
  arguments: [catalogArgument],
  options: [
    { flags: "--rule ID=SEVERITY", summary: "error, warn or off for one rule, by id or name", repeatable: true },
    { flags: "--against CATALOG", summary: "the older catalog to compare with" },
    { flags: "--strict", summary: "warnings count as errors" },
    {
      flags: "--fix",
      summary: "repair mechanical faults, also when other errors remain; the rest of the text stays unchanged",
    },
    reportOutput,
  ],
  examples: [
    ["purser catalog lint ./catalog", "all advice"],
    ["purser catalog lint ./catalog --rule z-stream-skips=off --rule PBN101=error", "with other severities"],
    ["purser catalog lint ./catalog --against ./published", "what published users would lose"],
  ],
  async run(invocation) {
    const { parseRuleFlag, readSettings } = await import("./author-settings.ts");
    const { reportOn } = await import("./report/report-outcome.ts");
    const flags = listOption(invocation, "rule").map(parseRuleFlag);
    const severities = new Map([...readSettings(".").severities, ...flags]);
    const judging = { soft: true, strict: flagOption(invocation, "strict"), severities };
    const old = textOption(invocation, "against");
    const { withLocalContent } = await import("../image/local-content.ts");
    const [reference = ""] = invocation.arguments;
    if (old === undefined)
      return withLocalContent(invocation, [reference], "catalog", (catalog) => reportOn(invocation, catalog, judging));
    const { readView } = await import("./read-view.ts");
    return withLocalContent(invocation, [reference, old], "catalog", (catalog, older) => {
      const against = readView(older);
      if (!against.ok) return { explanation: against.problem };
      return reportOn(invocation, catalog, { ...judging, against: against.value });
    });
  },
};
