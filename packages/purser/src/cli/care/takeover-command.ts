import { systemClock } from "@purser/kubernetes/system/system-clock";
import { plainJson } from "@purser/kubernetes/json";
import { parseCompat } from "../../compat.ts";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import { takeoverSeverities, type TakeoverFinding, type TakeoverSeverity } from "../../engine/takeover/plan/finding.ts";
import { connect } from "../cluster/connect.ts";
import type { Invocation, Outcome, SubcommandSpec } from "../command.ts";
import { textOption, UsageError } from "../command.ts";
import { compatOption, familiesOf, familiesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";
import { counted } from "../../explanation/summary.ts";

export const takeoverCommand: SubcommandSpec = {
  name: "takeover",
  summary: "Report what changes when Purser takes over a cluster from OLM",
  description: [
    "Reads the cluster and computes the first actions of the controllers. Writes nothing.",
    "Exit code 10 while OLM runs or something would change, 0 when only notes are left (docs/takeover.md).",
  ].join("\n"),
  options: [
    {
      flags: "--global-namespace NAMESPACE",
      summary: "namespace whose CatalogSources serve every namespace (default olm; on OpenShift openshift-marketplace)",
    },
    familiesOption,
    compatOption,
  ],
  examples: [
    ["purser doctor takeover", "before purser run"],
    ["purser doctor takeover --compat=strict -o json", "the same as JSON, for controllers that keep OLM's behaviour"],
  ],
  run,
};

async function run(invocation: Invocation): Promise<Outcome> {
  const compat = parseCompat(textOption(invocation, "compat") ?? "");
  if (!compat.ok) throw new UsageError(compat.problem);
  const connection = connect(invocation);
  try {
    // Loaded only here: most commands need no controllers.
    const { observeTakeover } = await import("../../engine/takeover/observe-takeover.ts");
    const { takeoverFindings } = await import("../../engine/takeover/plan/takeover-findings.ts");
    const options = {
      client: connection.client,
      compat: compat.value,
      families: familiesOf(invocation),
      globalNamespace: textOption(invocation, "global-namespace") ?? globalNamespace,
    };
    const findings = takeoverFindings(await observeTakeover(options, invocation.signal), systemClock.now());
    return {
      exitCode: findings.some(({ severity }) => severity !== "note") ? exitCodes.findings : exitCodes.done,
      data: plainJson({ apiVersion: "purser.dev/v1alpha1", kind: "TakeoverReport", findings }),
      human: shown(...lines(findings, invocation.terminal)),
    };
  } finally {
    connection.close();
  }
}

const symbols = { blocker: "failed", change: "attention", note: "ok" } as const;
const meanings = { blocker: "bad", change: "attention", note: "detail" } as const;

function lines(findings: readonly TakeoverFinding[], terminal: Terminal): readonly string[] {
  const symbol = (severity: TakeoverSeverity): string =>
    terminal.paint(meanings[severity], terminal.symbol(symbols[severity]));
  return [
    ...findings.flatMap(({ code, severity, object, summary, remedy }) => [
      `${symbol(severity)} ${code}  ${object} ${summary}`,
      ...(remedy === undefined ? [] : [`    do    ${remedy}`]),
    ]),
    verdict(findings),
  ];
}

function verdict(findings: readonly TakeoverFinding[]): string {
  const count = (severity: TakeoverSeverity): number => findings.filter((one) => one.severity === severity).length;
  const counts = takeoverSeverities.map((severity) => counted(count(severity), severity)).join(", ");
  if (count("blocker") > 0) return `Do not start Purser yet: ${counts}`;
  if (count("change") > 0) return `Purser can be started, and changes what is listed above: ${counts}`;
  return `Purser can be started, and nothing changes: ${counts}`;
}
