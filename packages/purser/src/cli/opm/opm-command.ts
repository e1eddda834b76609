import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { goQuote } from "@purser/kubernetes/go-quote";
import { FlagError, type FlagSpec, type ParsedFlags } from "./flags.ts";

/** What every command of the `opm` tree says of itself. */
export interface OpmCommandLine {
  /** Words behind `opm`, such as `alpha list packages`. */
  readonly path: string;
  /** Arguments as help shows them. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  /** Fewest and most words it takes; "at most" for commands that upstream gives an upper bound only. */
  readonly words: readonly [least: number, most: number] | { readonly atMost: number };
  /** Flags of which at most one may be given, in upstream's order. */
  readonly exclusive?: readonly string[];
  /** Not shown by the help of its group. */
  readonly hidden?: true;
  /** Why not to use it any more; printed on each run. Help of its group does not show it. */
  readonly deprecated?: string;
  /** A warning that is logged when it runs. */
  readonly notice?: string;
  /** Shown by its help with HELP_ALPHA=true. */
  readonly alphaHelp?: string;
}

/** One command of the `opm` tree. */
export interface OpmCommand extends OpmCommandLine {
  /** Throws {@link FlagError} for wrong usage. */
  run(parsed: ParsedFlags, log: LogInfo): OpmAnswer;
}

/** Logs a message, of level info where none is given. */
export type LogInfo = (message: string, level?: "info" | "error") => void;

/** A command that takes its time, loads what only it needs, or writes more than one text holds. */
export interface LongOpmCommand extends OpmCommandLine {
  run(parsed: ParsedFlags, world: RunningWorld): Promise<OpmAnswer>;
}

export interface OpmWorld {
  readonly clock: Clock;
  /** Aborted when the command has to end. */
  readonly signal: AbortSignal;
  /** Command line of the process. */
  readonly argv: readonly string[];
  /** Writes to stdout while the command runs. */
  readonly out: (bytes: Uint8Array) => void;
  /** Writes to stderr while the command runs. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a running command gets: records that it hands over go to stderr at once, with the time. */
export interface RunningWorld extends OpmWorld {
  readonly log: (record: string) => void;
}

/** The last value of a flag; `fallback` when it was not given. */
export function flagText({ values }: ParsedFlags, name: string, fallback = ""): string {
  return values.get(name)?.at(-1) ?? fallback;
}

export function flagSet(parsed: ParsedFlags, name: string): boolean {
  return flagText(parsed, name) === "true";
}

/** Upstream's complaint about the words; undefined when they are right. */
export function wordsProblem({ path, words }: OpmCommandLine, given: readonly string[]): string | undefined {
  const count = given.length;
  if ("atMost" in words) {
    if (count <= words.atMost) return undefined;
    return `accepts at most ${words.atMost} arg(s), received ${count}`;
  }
  const [least, most] = words;
  if (count >= least && count <= most) return undefined;
  if (most === 0) return `unknown command ${goQuote(given[0] ?? "")} for ${goQuote(`opm ${path}`)}`;
  if (least === most) return `accepts ${least} arg(s), received ${count}`;
  if (most === Infinity) return `requires at least ${least} arg(s), only received ${count}`;
  return `accepts between ${least} and ${most} arg(s), received ${count}`;
}

/** Upstream's complaint about flags that are missing or do not go together; undefined when there is none. */
export function flagsProblem({ flags, exclusive = [] }: OpmCommandLine, { values }: ParsedFlags): string | undefined {
  const missing = flags.filter(({ name, required }) => required === true && !values.has(name)).map(({ name }) => name);
  if (missing.length > 0)
    return `required flag(s) ${missing
      .toSorted()
      .map((name) => `"${name}"`)
      .join(", ")} not set`;
  const given = exclusive.filter((name) => values.has(name)).toSorted();
  if (given.length < 2) return undefined;
  return `if any flags in the group [${exclusive.join(" ")}] are set none of the others can be; [${given.join(" ")}] were all set`;
}

/** Flags that say opposite things about TLS; given is given, whatever its value. Undefined when they agree. */
export function transportProblem(parsed: ParsedFlags): string | undefined {
  const isGiven = (name: string): boolean => parsed.values.has(name);
  const conflict = (text: string): string => `invalid flag combination: ${text}`;
  if (isGiven("skip-tls") && isGiven("use-http")) return conflict("cannot use --use-http with --skip-tls");
  if (isGiven("skip-tls") && isGiven("skip-tls-verify"))
    return conflict("cannot use --skip-tls-verify with --skip-tls");
  if (flagSet(parsed, "use-http") && flagSet(parsed, "skip-tls-verify"))
    return conflict("--use-http and --skip-tls-verify cannot both be true");
  return undefined;
}

/** Ends the command with `Error: <message>` and its usage. */
export function refuse(message: string): never {
  throw new FlagError(message);
}
