import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { OwnAnswer, OwnWorld } from "../command.ts";
import { isLongOpm, runLongOpm, runOpm } from "./run-opm.ts";

/** Answers `opm ARGS...` in this process: with its clock, its environment and its terminal. */
export async function answerOpm(args: readonly string[], { interrupt, out, err }: OwnWorld): Promise<OwnAnswer> {
  const { env, stderr } = process;
  const showing = {
    alpha: env["HELP_ALPHA"] === "true",
    terminal: stderr.isTTY,
    hints: stderr.isTTY && env["PURSER_NO_HINTS"] !== "1",
  };
  if (!isLongOpm(args)) return runOpm(args, systemClock, showing);
  const world = { clock: systemClock, signal: interrupt(), argv: process.argv, out, err, env };
  if (!showing.terminal) return runLongOpm(args, world, showing);
  const { systemTerminal } = await import("../output/terminal.ts");
  const terminal = systemTerminal({
    color: "never",
    ascii: true,
    accessible: false,
    progress: "auto",
    wide: true,
    paged: false,
  });
  return runLongOpm(args, { ...world, progress: (line) => terminal.progress(line) }, showing);
}
