import { secrets } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { DoctorFinding, DoctorFix } from "../../engine/doctor/plan/check.ts";
import {
  type CommandSpec,
  exitCodeOfOutcome,
  flagOption,
  type Invocation,
  isFamily,
  type Outcome,
} from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { renderFailure } from "../output/render-failure.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";

/** What became of a fix: it was carried out, refused by the cluster, or not wanted. */
export interface CarriedOut {
  readonly object: string;
  readonly command: string;
  readonly outcome: "done" | "failed" | "skipped";
}

/** The fix as a command line. */
function fixCommand(fix: DoctorFix): string {
  switch (fix.kind) {
    case "applyDefinitions":
      return "purser crds apply";
    case "deleteSecret":
      return `kubectl -n ${fix.namespace} delete secret ${fix.name}`;
    case "refresh":
      return `purser source refresh ${fix.source}`;
    case "adopt":
      return `purser adopt ${fix.reference}`;
  }
}

/**
 * Carries out what can be done about the findings, each after a question; with `--yes` without. Several findings with the same fix
 * get it once. A fix that fails is reported, and the next one goes on.
 * @throws UsageError when nobody can be asked
 */
export async function carryOutFixes(
  invocation: Invocation,
  client: KubeClient,
  findings: readonly DoctorFinding[],
): Promise<readonly CarriedOut[]> {
  const { terminal, signal } = invocation;
  const done = new Map<string, CarriedOut>();
  for (const { object, summary, fix } of findings) {
    if (fix === undefined) continue;
    const command = fixCommand(fix);
    if (done.has(command)) continue;
    signal.throwIfAborted();
    terminal.err(`${object} ${summary}`, `  do    ${command}`);
    if (!(await confirm(invocation, "Do it?"))) {
      done.set(command, { object, command, outcome: "skipped" });
      continue;
    }
    const outcome = await carriedOut(invocation, client, fix);
    if (outcome.explanation !== undefined) terminal.err(...renderFailure(terminal, outcome.explanation, false));
    else if (outcome.human !== undefined && !flagOption(invocation, "quiet"))
      terminal.err(...outcome.human.split("\n"));
    const isDone = exitCodeOfOutcome(outcome) === exitCodes.done;
    done.set(command, { object, command, outcome: isDone ? "done" : "failed" });
  }
  return [...done.values()];
}

/** The command is not asked about again, and it decides about namespaces by its argument. */
async function carriedOut(invocation: Invocation, client: KubeClient, fix: DoctorFix): Promise<Outcome> {
  const { terminal, signal, options } = invocation;
  const { namespace: _n, "all-namespaces": _all, fix: _fix, "fix-only": _only, ...kept } = options;
  const run = (command: CommandSpec, ...args: readonly string[]): Promise<Outcome> =>
    command.run({ terminal, signal, arguments: args, options: { ...kept, yes: true } });
  switch (fix.kind) {
    case "applyDefinitions": {
      const { crdsCommand } = await import("../deploy/crds-command.ts");
      const [apply] = crdsCommand.members;
      if (apply === undefined || "load" in apply || isFamily(apply)) throw new Error("crds apply is no command");
      return run(apply);
    }
    case "deleteSecret": {
      const { namespace, name } = fix;
      const deleted = await client.write({ verb: "delete", type: secrets, key: { namespace, name } }, signal);
      const what = `Secret ${namespace}/${name}`;
      if (!deleted.ok && deleted.problem.kind !== "notFound")
        return refusedWrite(`delete ${what}`, deleted.problem, what);
      return { exitCode: exitCodes.done, human: shown(`${what} is deleted; Purser issues another certificate`) };
    }
    case "refresh": {
      const { sourceRefreshCommand } = await import("../sources/source-refresh.ts");
      return run(sourceRefreshCommand, fix.source);
    }
    case "adopt": {
      const { adoptCommand } = await import("../commands/adopt.ts");
      return run(adoptCommand, fix.reference);
    }
  }
}
