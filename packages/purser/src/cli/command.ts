import type { Explanation } from "../explanation/explanation.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { exitCodeOf, type ExitCode } from "./exit-code.ts";
import { exitCodeOfFailure, type Failure, isFailure } from "./failure.ts";
import type { Shown } from "./output/shown.ts";
import type { Terminal } from "./output/terminal.ts";

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Name of a flag that stands in for a required argument. */
  readonly unless?: string;
  readonly variadic?: boolean;
}

export interface OptionSpec {
  /** As shown in help: `-n, --namespace NS`, `--fresh`. With a value name, the flag takes a value. */
  readonly flags: string;
  readonly summary: string;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
}

export type OptionValue = string | boolean | readonly string[];

export interface Invocation {
  readonly arguments: readonly string[];
  /** By long flag name without dashes. */
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
  readonly terminal: Terminal;
  /** Aborted by SIGINT, SIGTERM or SIGHUP, and when the npm process that started this process ends. */
  readonly signal: AbortSignal;
}

/** Why the command refuses; printed to stderr. The exit code follows from the cause. */
export interface RefusedOutcome {
  readonly explanation: Explanation | Failure;
  readonly exitCode?: undefined;
  readonly data?: undefined;
  readonly human?: undefined;
  readonly verbatim?: undefined;
}

/**
 * The result of a command. `data` is printed for `-o json|yaml`, `human` otherwise; an explanation goes to stderr.
 * `verbatim` is printed instead of both, unchanged and in every format, for documents such as catalogs; on a terminal its
 * control characters are escaped.
 */
export interface ReportedOutcome {
  readonly exitCode: ExitCode;
  readonly data?: JsonValue;
  readonly human?: Shown;
  readonly verbatim?: string;
  readonly explanation?: Explanation | Failure;
}

export type Outcome = ReportedOutcome | RefusedOutcome;

/** The process exit code of an outcome. */
export function exitCodeOfOutcome(outcome: Outcome): ExitCode {
  if (outcome.exitCode !== undefined) return outcome.exitCode;
  const { explanation } = outcome;
  return isFailure(explanation) ? exitCodeOfFailure(explanation.code) : exitCodeOf(explanation.code);
}

/** A command without its name: its arguments, flags, help and function. */
export interface CommandSpec {
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** With `-o json` it writes on stderr while it runs, such as logs and events: nothing waits for the end. */
  readonly reportsWhileRunning?: true;
  /** The command works on files only: help omits the cluster flags, which are still accepted. */
  readonly onFiles?: true;
  /** Complete command lines, each with a description. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** Gets the raw arguments and returns the whole output: for commands that keep the command line of another tool. */
  readonly answer?: (args: readonly string[], world: OwnWorld) => Promise<OwnAnswer>;
  readonly run: (invocation: Invocation) => Promise<Outcome>;
}

/** A group of subcommands, such as `purser catalog`, without its name. Families can be nested. */
export interface CommandFamily {
  readonly description?: string;
  /** All members work on files only; see {@link CommandSpec.onFiles}. */
  readonly onFiles?: true;
  readonly members: readonly (Subcommand | LazyCommand)[];
  /** What the family's name does without the name of a member; absent: it shows the help. Takes flags, no arguments. */
  readonly alone?: CommandSpec;
}

interface Named {
  readonly name: string;
  readonly summary: string;
}

export type SubcommandSpec = CommandSpec & Named;
export type SubcommandFamily = CommandFamily & Named;
export type Subcommand = SubcommandSpec | SubcommandFamily;

/** What lists of commands show, and how to get the rest: the code of a command is loaded when it is chosen. */
export interface LazyCommand extends Named {
  readonly load: () => Promise<CommandSpec | CommandFamily>;
}

export type CommandGroup = "Find" | "Change" | "Look" | "Govern" | "Care" | "Author" | "Run" | "Other";

/** A command or family directly below `purser`. */
export interface RootCommand extends LazyCommand {
  readonly group: CommandGroup;
}

export const isFamily = (command: CommandSpec | CommandFamily): command is CommandFamily => "members" in command;

/** The command with all its parts. */
export async function loaded(command: Subcommand | LazyCommand): Promise<Subcommand> {
  if (!("load" in command)) return command;
  const { name, summary } = command;
  return { name, summary, ...(await command.load()) };
}

/** The process, as a command with {@link CommandSpec.answer} sees it. */
export interface OwnWorld {
  /** Installs the signal handlers: after the first call SIGINT, SIGTERM and SIGHUP abort the returned signal. */
  readonly interrupt: () => AbortSignal;
  /** Writes to stdout immediately; for results that are too large for one string. */
  readonly out: (bytes: Uint8Array) => void;
  /** Writes to stderr immediately. */
  readonly err: (text: string) => void;
}

export interface OwnAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Wrong usage: exit code 2. Printed with the hints (usually the nearest correct form), a line each. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hints: readonly string[];
  constructor(message: string, ...hints: readonly (string | undefined)[]) {
    super(message);
    this.hints = hints.filter((hint) => hint !== undefined);
  }
}

export function textOption(invocation: Pick<Invocation, "options">, name: string): string | undefined {
  const value = invocation.options[name];
  return typeof value === "string" ? value : undefined;
}

export function flagOption(invocation: Invocation, name: string): boolean {
  return invocation.options[name] === true;
}

export function listOption(invocation: Invocation, name: string): readonly string[] {
  const value = invocation.options[name];
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : value;
}
