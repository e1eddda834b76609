import { basename } from "node:path";
import { Writable } from "node:stream";
import { formatTime } from "@purser/kubernetes/clock";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { fittedLines, plainCharacters } from "./fitted-lines.ts";
import { coloured, shown, written, writtenData } from "./shown.ts";
import type { Shown } from "./shown.ts";

export type Meaning = "good" | "attention" | "bad" | "link" | "detail" | "strong";

/**
 * The output of a command: results on `out`, everything else on `err`. Control characters in values (objects, catalogs,
 * file names, arguments) are escaped, as in `\u001b`; see `src/text/control-characters.ts` for the set.
 */
export interface Terminal {
  readonly isInteractive: boolean;
  /** Columns of the terminal that shows the result; absent when it goes to a pipe or a file. */
  readonly width?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes lines of the result in one write. Each argument is one line: line breaks inside of it are escaped. */
  out(...lines: readonly string[]): void;
  /** Writes the result as text, followed by a line break. */
  show(text: Shown): void;
  /** As {@link show}, through the pager of the user when the text is longer than the terminal. Absent: nothing is paged. */
  page?(text: Shown): Promise<void>;
  /** Writes data unchanged, without an added line break; on a terminal its control characters are escaped. */
  write(text: string, to?: "out" | "err"): void;
  /** As {@link out}, on `err`. */
  err(...lines: readonly string[]): void;
  /**
   * Shows progress in one line of `err` that the next call overwrites; "" clears it. No-op when `err` is not a terminal, unless
   * progress is asked for as lines: then at most one a second.
   */
  progress(text: string): void;
  /** A step of what lasts that stays on `err`: the line, or the facts as JSON where progress is asked for so. Absent: as {@link err}. */
  step?(line: string, facts: Readonly<Record<string, string>>): void;
  /** `text` in the colour of its meaning; unchanged when colours are off. */
  paint(meaning: Meaning, text: string): string;
  /** A symbol, or an ASCII word on terminals without UTF-8. */
  symbol(name: "ok" | "failed" | "attention" | "waiting" | "update"): string;
  /**
   * Asks a question on `err`; undefined when the input is not interactive or ends, also by Ctrl+C, which interrupts the process.
   * A secret answer is not shown while it is typed.
   */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string | undefined>;
}

const colours = {
  good: [32, 39],
  attention: [33, 39],
  bad: [31, 39],
  link: [34, 39],
  detail: [2, 22],
  strong: [1, 22],
} as const satisfies Readonly<Record<Meaning, readonly [on: number, off: number]>>;
const symbols = {
  ok: ["✓", "ok", "done:"],
  failed: ["✗", "FAIL", "failed:"],
  attention: ["!", "!", "warning:"],
  waiting: ["⏸", "||", "waiting:"],
  update: ["↑", "^", "update:"],
} as const;

export type ColorMode = "auto" | "always" | "never";

/** How a terminal is written to. */
export interface TerminalModes {
  readonly color: ColorMode;
  /** No characters beyond ASCII. */
  readonly ascii: boolean;
  /** For readers who hear the output: no symbols, trees, colours or redrawn lines. */
  readonly accessible: boolean;
  /** How what lasts is shown while it lasts: a redrawn line on a terminal, lines, lines of JSON, or not at all. */
  readonly progress: "auto" | "plain" | "json" | "none";
  /** Lines are never folded. */
  readonly wide: boolean;
  /** Long texts go through `PAGER`. */
  readonly paged: boolean;
}

/** What a terminal writes to and reads from. */
export type TerminalStreams = Pick<typeof process, "env" | "stdout" | "stderr" | "stdin">;

const progressModes = ["auto", "plain", "json", "none"] as const;
/** Between two lines of progress. */
const leastProgressMs = 1000;

/** The modes that flags ask for, else the environment (`PURSER_COLOR`, `PURSER_ACCESSIBLE`). */
export function terminalModes(
  options: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): TerminalModes {
  const { PURSER_COLOR: usual, PURSER_ACCESSIBLE: heard } = env;
  const isMode = (mode: unknown): mode is ColorMode => mode === "always" || mode === "never" || mode === "auto";
  const color = [options["color"], usual].find(isMode) ?? "auto";
  return {
    color,
    ascii: options["ascii"] === true,
    accessible: options["accessible"] === true || (heard !== undefined && heard !== "" && heard !== "0"),
    progress:
      options["quiet"] === true ? "none" : (progressModes.find((mode) => mode === options["progress"]) ?? "auto"),
    wide: options["output"] === "wide",
    paged: options["pager"] === true,
  };
}

/** Commands as users of the kubectl plugin type them. */
const asPlugin = (text: string): string =>
  text.replaceAll(/(^|\[\d+m|(?<!kubectl)[^\w./@-])purser (?=[a-z<[-])/gm, "$1kubectl purser ");

export function systemTerminal(
  options: TerminalModes,
  { env, stdout, stderr, stdin }: TerminalStreams = process,
): Terminal {
  const isPlugin = basename(process.argv[1] ?? "") === "kubectl-purser";
  const wantsColor = (): boolean => {
    if (options.accessible) return false;
    if (options.color !== "auto") return options.color === "always";
    if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
    if (env["CLICOLOR_FORCE"] === "1") return true;
    return env["TERM"] !== "dumb" && stdout.isTTY && stderr.isTTY;
  };
  const color = wantsColor();
  const locale = env["LC_ALL"] ?? env["LC_CTYPE"] ?? env["LANG"] ?? "";
  const ascii = options.ascii || !/utf-?8/i.test(locale);
  const mode = options.accessible ? "accessible" : ascii ? "ascii" : undefined;
  /** Lines as this stream shows them: folded on a terminal. */
  const fit = (text: string, stream: NodeJS.WriteStream): string => {
    const named = isPlugin ? asPlugin(text) : text;
    const readable = mode === undefined ? named : plainCharacters(named, mode);
    return stream.isTTY && !options.wide && stream.columns > 0 ? fittedLines(readable, stream.columns) : readable;
  };
  let reportedAt = -Infinity;
  const reportProgress = (text: string): void => {
    const now = systemClock.monotonic();
    if (text === "" || now - reportedAt < leastProgressMs) return;
    reportedAt = now;
    if (options.progress === "json") stderr.write(progressLine({ text }));
    else stderr.write(`${formatTime(systemClock.now()).slice(11, 19)}  ${written(fit(shown(text), stderr))}\n`);
  };
  return {
    isInteractive: stdin.isTTY && stderr.isTTY,
    ...(stdout.isTTY ? { width: stdout.columns } : {}),
    env,
    out: (...lines) => void stdout.write(`${written(fit(shown(...lines), stdout))}\n`),
    show: (text) => void stdout.write(`${written(fit(text, stdout))}\n`),
    page: async (text) => {
      const whole = `${written(fit(text, stdout))}\n`;
      const { page, pagerFor } = await import("./pager.ts");
      const isPaged = options.paged && !options.accessible && stdout.isTTY;
      const pager = isPaged ? pagerFor({ text: whole, rows: stdout.rows, env }) : undefined;
      if (pager === undefined || !(await page(pager, whole, env))) stdout.write(whole);
    },
    write: (text, to = "out") => {
      const stream = to === "out" ? stdout : stderr;
      stream.write(stream.isTTY ? writtenData(text) : text);
    },
    err: (...lines) => void stderr.write(`${written(fit(shown(...lines), stderr))}\n`),
    progress: (text) => {
      if (options.progress === "none") return;
      if (options.progress !== "auto") return reportProgress(text);
      if (stderr.isTTY && env["TERM"] !== "dumb" && !options.accessible)
        stderr.write(`\r\u001b[2K${shown(text).slice(0, (stderr.columns || 80) - 1)}`);
    },
    step: (line, facts) => {
      if (options.progress === "none") return;
      stderr.write(options.progress === "json" ? progressLine(facts) : `${written(fit(shown(line), stderr))}\n`);
    },
    paint: (meaning, text) => (color ? coloured(text, colours[meaning][0], colours[meaning][1]) : text),
    symbol: (name) => symbols[name][options.accessible ? 2 : ascii ? 1 : 0],
    ask: async (question, { isSecret = false } = {}) => {
      if (!stdin.isTTY) return undefined;
      const { createInterface } = await import("node:readline/promises");
      // The editor of a terminal echoes what is typed: to nowhere, when that is a secret.
      const echo = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
      const lines = createInterface({ input: stdin, output: echo, terminal: isSecret || stderr.isTTY });
      if (isSecret) stderr.write(written(shown(question)));
      // Not `question`: what was typed when the input ends is an answer too, and is no answer of that.
      const answer = new Promise<string | undefined>((resolve) => {
        lines.once("line", resolve);
        lines.once("close", () => resolve(undefined));
      });
      const close = (): void => lines.close();
      // A terminal whose lines are edited sends the key, not the signal.
      lines.on("SIGINT", () => {
        process.once("SIGINT", close);
        process.kill(process.pid, "SIGINT");
      });
      try {
        lines.setPrompt(written(shown(question)));
        lines.prompt();
        return await answer;
      } finally {
        close();
        process.off("SIGINT", close);
        if (isSecret) stderr.write("\n");
      }
    },
  };
}

/** One document for each step, as `--progress json` prints it. */
const progressLine = (facts: Readonly<Record<string, string>>): string =>
  `${JSON.stringify({ kind: "Progress", time: formatTime(systemClock.now()), ...facts })}\n`;
