import assert from "node:assert/strict";
import type { JsonValue } from "@purser/kubernetes/json";
import { exitCodeOfOutcome } from "../command.ts";
import { commands } from "../commands.ts";
import { renderFailure } from "../output/render-failure.ts";
import { shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";
import { parseArguments, runCommand } from "../program.ts";

/** What a command printed. */
export interface Ran {
  readonly exitCode: number;
  /** The result as text, without colours. */
  readonly text: string;
  /** Everything on stderr, an explanation included. */
  readonly errors: string;
  readonly data: JsonValue | undefined;
}

export interface RunOptions {
  readonly env: Terminal["env"];
  /** Of the terminal; absent: a pipe. */
  readonly width?: number;
  /** What is typed at a question, or what happens before it is typed; absent: there is nobody to ask. */
  readonly answer?: string | (() => Promise<string>);
  readonly signal?: AbortSignal;
  /** Gets what a command that follows prints meanwhile. */
  readonly onShow?: (text: string) => void;
}

/** Runs a command line of `purser` in this process. @throws UsageError as the command does */
export async function runPurser(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { env, width, answer, signal = new AbortController().signal } = options;
  const parsed = await parseArguments("purser", commands, args);
  assert.ok(parsed.kind === "run");
  const errors: string[] = [];
  const printed: string[] = [];
  const terminal: Terminal = {
    isInteractive: answer !== undefined,
    ...(width === undefined ? {} : { width }),
    env,
    out: (...lines) => {
      printed.push(...lines);
      options.onShow?.(lines.join("\n"));
    },
    show: (text) => {
      printed.push(text);
      options.onShow?.(text);
    },
    write: (text) => {
      assert.ok(options.onShow !== undefined, "commands return what they print");
      options.onShow(text);
    },
    // As a terminal does: a line break inside a line is escaped.
    err: (...lines) => void errors.push(shown(...lines)),
    progress: () => undefined,
    paint: (_, text) => text,
    symbol: (name) => name,
    ask: async (question) => {
      errors.push(question);
      return typeof answer === "function" ? answer() : answer;
    },
  };
  const outcome = await runCommand(parsed, { signal, terminal });
  if (outcome.explanation !== undefined) errors.push(...renderFailure(terminal, outcome.explanation, false));
  return {
    exitCode: exitCodeOfOutcome(outcome),
    text: [...printed, outcome.human ?? outcome.verbatim ?? ""].join("\n"),
    errors: errors.join("\n"),
    data: outcome.data,
  };
}
