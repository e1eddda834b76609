import type { Explanation } from "../explanation/explanation.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { exitCodeOf, type ExitCode } from "./exit-code.ts";
import type { Shown } from "./output/shown.ts";
import type { Terminal } from "./output/terminal.ts";

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly variadic?: boolean;
}

export interface OptionSpec {
  /** As in help: `-n, --namespace NS`, `--fresh`. A value name makes it take a value. */
  readonly flags: string;
  readonly summary: string;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
}

export type OptionValue = string | boolean | readonly string[];

export interface Invocation {
  readonly arguments: readonly string[];
  /** By long name without dashes. */
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
  readonly terminal: Terminal;
  /** Aborted by SIGINT, SIGTERM or SIGHUP, and by the end of the npm that started the process. */
  readonly signal: AbortSignal;
}

/** Why the command could not do what it was asked for; printed to stderr. The exit code follows from the cause. */
export interface RefusedOutcome {
  readonly explanation: Explanation;
  readonly exitCode?: undefined;
  readonly data?: undefined;
  readonly human?: undefined;
  readonly verbatim?: undefined;
}

/**
 * What a command came to. `data` is printed for `-o json|yaml`, `human` otherwise; an explanation goes to stderr.
 * `verbatim` is printed alone and byte for byte, whatever the format: texts that have a form of their own, such as catalogs;
 * only a terminal gets its control characters escaped.
 */
export interface ReportedOutcome {
  readonly exitCode: ExitCode;
  readonly data?: JsonValue;
  readonly human?: Shown;
  readonly verbatim?: string;
  readonly explanation?: Explanation;
}

export type Outcome = ReportedOutcome | RefusedOutcome;

/** What the shell is told. */
export const exitCodeOfOutcome = (outcome: Outcome): ExitCode =>
  outcome.exitCode === undefined ? exitCodeOf(outcome.explanation.code) : outcome.exitCode;

/** One command line: what it takes and what it does. */
export interface SubcommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Works on files only: help leaves out the flags that are about a cluster. They are still taken. */
  readonly onFiles?: true;
  /** Full command lines with what they do. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  readonly run: (invocation: Invocation) => Promise<Outcome>;
}

export type CommandGroup = "Find" | "Change" | "Look" | "Govern" | "Care" | "Author" | "Run" | "Other";

export interface CommandSpec extends SubcommandSpec {
  readonly group: CommandGroup;
  /** Takes its arguments unread and answers for itself: command lines that keep the grammar of another tool. */
  readonly answer?: (args: readonly string[], world: OwnWorld) => Promise<OwnAnswer>;
}

/** `purser catalog`: a word that does nothing itself and stands before the commands of its members. Families may nest. */
export interface SubcommandFamily {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** All members work on files only. */
  readonly onFiles?: true;
  readonly members: readonly (SubcommandSpec | SubcommandFamily)[];
}

export interface CommandFamily extends SubcommandFamily {
  readonly group: CommandGroup;
}

/** What may stand as the first word after `purser`. */
export type RootCommand = CommandSpec | CommandFamily;

export const isFamily = (command: SubcommandSpec | SubcommandFamily): command is SubcommandFamily =>
  "members" in command;

/** What a command that answers for itself may need while it runs. */
export interface OwnWorld {
  /** From the first call on SIGINT, SIGTERM and SIGHUP abort this signal; before, they end the process. */
  readonly interrupt: () => AbortSignal;
  /** Writes to stdout at once; for results that are too large for one text. */
  readonly out: (bytes: Uint8Array) => void;
  /** Writes to stderr at once. */
  readonly err: (text: string) => void;
}

export interface OwnAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Wrong usage: exit code 2, the sentence, the nearest correct form, where the help is. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export function textOption(invocation: Invocation, name: string): string | undefined {
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
