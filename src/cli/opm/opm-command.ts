import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "../../clock.ts";
import { FlagError, type FlagSpec, type ParsedFlags } from "./flags.ts";

/** What every command of the `opm` tree says of itself. */
export interface OpmCommandLine {
  /** Words behind `opm`, such as `alpha list packages`. */
  readonly path: string;
  /** Arguments as help shows them. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  /** Fewest and most words it takes. */
  readonly words: readonly [least: number, most: number];
  /** Shown by its help with HELP_ALPHA=true. */
  readonly alphaHelp?: string;
  /** Commands that may ask registries refuse flags that say opposite things about TLS, each in its way. */
  readonly refuseTransport?: (problem: string) => OpmAnswer;
}

/** One command of the `opm` tree. */
export interface OpmCommand extends OpmCommandLine {
  /** Throws {@link FlagError} for wrong usage. */
  run(parsed: ParsedFlags): OpmAnswer;
}

/** A command that goes on until it is stopped. */
export interface LongOpmCommand extends OpmCommandLine {
  run(parsed: ParsedFlags, world: OpmWorld): Promise<OpmAnswer>;
}

export interface OpmWorld {
  readonly clock: Clock;
  /** Aborted when the command has to end. */
  readonly signal: AbortSignal;
  /** Command line of the process. */
  readonly argv: readonly string[];
  /** Writes to stderr while the command runs. */
  readonly err: (text: string) => void;
}

/** The last value of a flag; `fallback` when it was not given. */
export function flagText({ values }: ParsedFlags, name: string, fallback = ""): string {
  return values.get(name)?.at(-1) ?? fallback;
}

export function flagSet(parsed: ParsedFlags, name: string): boolean {
  return flagText(parsed, name) === "true";
}

/** Upstream's complaint about the number of words; undefined when it is right. */
export function wordCountProblem(command: OpmCommandLine, given: number): string | undefined {
  const [least, most] = command.words;
  if (given >= least && given <= most) return undefined;
  if (least === most) return `accepts ${least} arg(s), received ${given}`;
  if (most === Infinity) return `requires at least ${least} arg(s), only received ${given}`;
  return `accepts between ${least} and ${most} arg(s), received ${given}`;
}

/** Ends the command with `Error: <message>` and its usage. */
export function refuse(message: string): never {
  throw new FlagError(message);
}
