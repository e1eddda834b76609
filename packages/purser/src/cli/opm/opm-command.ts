import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { FetchedImages } from "./fetched-images.ts";
import { FlagError, type FlagSpec, type ParsedFlags } from "./flags.ts";

/** Description of a command of the `opm` tree. */
export interface OpmCommandLine {
  /** The words after `opm`, such as `alpha list packages`. */
  readonly path: string;
  /** The arguments in the usage line. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  /** Minimum and maximum number of arguments; `atMost` for commands that have only an upper bound in upstream. */
  readonly words: readonly [least: number, most: number] | { readonly atMost: number };
  /** Mutually exclusive flags, in upstream's order. */
  readonly exclusive?: readonly string[];
  /** Not shown by the help of its group. */
  readonly hidden?: true;
  /** Deprecation message; printed on each run. The help of its group does not show the command. */
  readonly deprecated?: string;
  /** A warning that is logged when the command runs. */
  readonly notice?: string;
  /** Additional help text with HELP_ALPHA=true. */
  readonly alphaHelp?: string;
}

/** One command of the `opm` tree. */
export interface OpmCommand extends OpmCommandLine {
  /**
   * @param images those that the words name, pulled before; empty where nothing is pulled
   * @throws FlagError for wrong usage
   */
  run(parsed: ParsedFlags, log: LogInfo, images: FetchedImages): OpmAnswer;
}

/** Logs a message; the default level is info. */
export type LogInfo = (message: string, level?: "info" | "error") => void;

/** An asynchronous command: it runs long, imports modules of its own, or writes more than fits into one string. */
export interface LongOpmCommand extends OpmCommandLine {
  run(parsed: ParsedFlags, world: RunningWorld): Promise<OpmAnswer>;
}

export interface OpmWorld {
  readonly clock: Clock;
  /** Aborted when the command has to stop. */
  readonly signal: AbortSignal;
  /** Command line of the process. */
  readonly argv: readonly string[];
  /** Writes to stdout while the command runs. */
  readonly out: (bytes: Uint8Array) => void;
  /** Writes to stderr while the command runs. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shows progress in one line of stderr that the next call overwrites; "" clears it. Absent without a terminal. */
  readonly progress?: (line: string) => void;
}

/** As {@link OpmWorld}, with a log that adds the time to a record and writes it to stderr immediately. */
export interface RunningWorld extends OpmWorld {
  readonly log: (record: string) => void;
}

/** The last value of a flag; `fallback` when it is not set. */
export function flagText({ values }: ParsedFlags, name: string, fallback = ""): string {
  return values.get(name)?.at(-1) ?? fallback;
}

export function flagSet(parsed: ParsedFlags, name: string): boolean {
  return flagText(parsed, name) === "true";
}

/** Upstream's error text for a wrong number of arguments; undefined when the number is valid. */
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

/** Upstream's error text for missing required flags or mutually exclusive ones; undefined when there are none. */
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

/** Upstream's error text for contradictory TLS flags, whatever their values; undefined when they do not conflict. */
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
