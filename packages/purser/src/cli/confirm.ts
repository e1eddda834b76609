import type { Invocation, Outcome } from "./command.ts";
import { flagOption, UsageError } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { shown } from "./output/shown.ts";

/** Asks for confirmation of what a command does. @throws UsageError when the terminal is not interactive and `--yes` is not set */
export async function confirm(
  invocation: Invocation,
  question: string,
  does = "changes the cluster",
): Promise<boolean> {
  if (flagOption(invocation, "yes")) return true;
  const { terminal, signal } = invocation;
  if (!terminal.isInteractive)
    throw new UsageError(`this ${does}, and there is no terminal to ask for confirmation`, "add --yes");
  const answer = await terminal.ask(`${question} [y/N] `);
  signal.throwIfAborted();
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** The outcome of a command whose change was not confirmed. */
export function notConfirmed(what: "approved" | "changed" | "removed" | "written"): Outcome {
  return { exitCode: exitCodes.failed, human: shown(`Nothing was ${what}.`) };
}
