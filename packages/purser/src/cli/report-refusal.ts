import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { Outcome } from "./command.ts";
import type { ExitCode } from "./exit-code.ts";
import { exitCodes } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";

/** The exit code for a write that the API server refused. */
export function exitCodeOfRefusal(kind: WriteRefusal["kind"]): ExitCode {
  switch (kind) {
    case "forbidden":
      return exitCodes.forbidden;
    case "notFound":
      return exitCodes.notFound;
    case "alreadyExists":
    case "conflict":
    case "gone":
      return exitCodes.conflict;
    case "invalid":
    case "busy":
    case "other":
      return exitCodes.failed;
  }
}

/** Prints why the API server refused a write, with a command to run where there is one. */
export function reportRefusal(terminal: Terminal, what: string, refusal: WriteRefusal, reference: string): Outcome {
  terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} Cannot ${what}: ${refusal.status.message}`);
  if (refusal.kind === "alreadyExists") terminal.err(`  do    purser status ${reference}`);
  return { exitCode: exitCodeOfRefusal(refusal.kind) };
}
