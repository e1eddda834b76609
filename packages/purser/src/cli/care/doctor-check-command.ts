import { plainJson } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { DoctorCheck, DoctorFinding } from "../../engine/doctor/plan/check.ts";
import { counted } from "../../explanation/summary.ts";
import { connect } from "../cluster/connect.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { carryOutFixes } from "./carry-out-fixes.ts";
import { familiesOf, familiesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";
import { ownVersion } from "../own-version.ts";

/** `purser doctor` without another word. */
export const doctorCheckCommand: CommandSpec = {
  description: [
    "Checks rights, CustomResourceDefinitions, versions, other managers, the clock, certificates, catalogs,",
    "OperatorGroups, webhooks, stuck and orphaned installations, and deletions that do not end. What the user may not read is left out and",
    "named. Writes nothing without --fix. Exit code 10 when it found something, else 0.",
  ].join("\n"),
  options: [
    {
      ...familiesOption,
      summary: "API families to check: v0,v1, v0 or v1 (default: those of the cluster's Purser, else both)",
    },
    {
      flags: "--fix",
      summary:
        "do what can be done about the findings, each after a question: it deletes no data and stops no operator",
    },
    { flags: "--fix-only OBJECT", summary: "the same for the findings about one object, as they name it" },
  ],
  examples: [
    ["purser doctor", "the cluster of the current context"],
    ["purser doctor -o json", "for a pipeline"],
    ['purser doctor --fix-only "Secret data/tls"', "one finding alone"],
    ["purser doctor --fix", "repair definitions, certificates and catalogs, adopt orphans; then check again"],
  ],
  run,
};

async function run(invocation: Invocation): Promise<Outcome> {
  const connection = connect(invocation);
  try {
    // Loaded only here: most commands need neither controllers nor certificates.
    const { observeDoctor } = await import("../../engine/doctor/observe-doctor.ts");
    const { doctorChecks } = await import("../../engine/doctor/plan/doctor-checks.ts");
    const { client, transport } = connection;
    const given = textOption(invocation, "apis") === undefined ? {} : { families: familiesOf(invocation) };
    const options = { client, transport, clock: systemClock, ...given, version: ownVersion() };
    const examine = async (): Promise<readonly DoctorCheck[]> =>
      doctorChecks(await observeDoctor(options, invocation.signal));
    const before = await examine();
    const findings = before.flatMap((check) => check.findings);
    const only = textOption(invocation, "fix-only");
    const isFixing = flagOption(invocation, "fix") || only !== undefined;
    const chosen = only === undefined ? findings : findings.filter(({ object }) => object === only);
    if (only !== undefined && chosen.length === 0)
      throw new UsageError(`no finding is about "${only}"`, "purser doctor lists the findings with their objects");
    const fixes = isFixing ? await carryOutFixes(invocation, client, chosen) : [];
    const checks = fixes.some(({ outcome }) => outcome === "done") ? await examine() : before;
    const left = checks.flatMap((check) => check.findings);
    return {
      exitCode: left.length > 0 ? exitCodes.findings : exitCodes.done,
      data: plainJson({
        apiVersion: "purser.dev/v1alpha1",
        kind: "DoctorReport",
        checks,
        ...(isFixing ? { fixes } : {}),
      }),
      human: shown(
        ...lines(checks, invocation.terminal),
        ...(isFixing && fixes.length === 0 && left.length > 0 ? ["None of them can be fixed by a command"] : []),
        ...(!isFixing && left.some(({ fix }) => fix !== undefined) ? ["Next: purser doctor --fix"] : []),
      ),
    };
  } finally {
    connection.close();
  }
}

const signs = { problem: ["bad", "failed"], warning: ["attention", "attention"] } as const;

function lines(checks: readonly DoctorCheck[], terminal: Terminal): readonly string[] {
  const sign = ({ severity }: DoctorFinding): string =>
    terminal.paint(signs[severity][0], terminal.symbol(signs[severity][1]));
  const found = checks.flatMap(({ findings }) => findings);
  const count = (severity: DoctorFinding["severity"]): string =>
    counted(found.filter((one) => one.severity === severity).length, severity);
  return [
    ...checks.flatMap(({ name, summary, findings }) =>
      findings.length === 0
        ? [`${terminal.paint("detail", terminal.symbol("ok"))} ${name}  ${summary}`]
        : findings.flatMap((one) => [`${sign(one)} ${name}  ${one.object} ${one.summary}`, `    do    ${one.remedy}`]),
    ),
    found.length === 0 ? "Nothing was found" : `${count("problem")}, ${count("warning")}`,
  ];
}
