import { plainJson } from "@purser/kubernetes/json";
import type { JsonValue } from "@purser/kubernetes/json";
import { exitCodeOfOutcome, type Outcome } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

/** What became of a set of installations. */
interface DoneOneByOne {
  /** Of the first that failed. */
  readonly exitCode: ExitCode;
  readonly results: JsonValue;
  /** What each command printed; with failures a last line counts what was done. */
  readonly lines: readonly string[];
}

/**
 * Does `work` for one installation after the other; one that fails does not keep the others from being done.
 * @param counted names a number of what is done, such as `3 upgrades`
 */
export async function oneByOne<One>(
  terminal: Terminal,
  all: readonly One[],
  referenceOf: (one: One) => string,
  work: (one: One) => Promise<Outcome>,
  counted: (count: number) => string,
): Promise<DoneOneByOne> {
  const results: { readonly installation: string; readonly exitCode: ExitCode; readonly message: string }[] = [];
  for (const one of all) {
    const installation = referenceOf(one);
    const outcome = await work(one);
    const exitCode = exitCodeOfOutcome(outcome);
    const message =
      outcome.human ?? outcome.explanation?.summary ?? `exit code ${exitCode}; purser status ${installation}`;
    results.push({ installation, exitCode, message });
  }
  const failed = results.filter(({ exitCode }) => exitCode !== exitCodes.done);
  const ends = `${results.length - failed.length} of ${counted(results.length)} done`;
  return {
    exitCode: failed[0]?.exitCode ?? exitCodes.done,
    results: plainJson(results),
    lines: [
      ...results.flatMap(({ installation, exitCode, message }) =>
        exitCode === exitCodes.done
          ? message.split("\n")
          : [`${terminal.paint("bad", terminal.symbol("failed"))} ${installation}: ${message}`],
      ),
      ...(failed.length === 0 ? [] : [ends]),
    ],
  };
}
