import { coloured, shown, written, writtenData } from "./shown.ts";
import type { Shown } from "./shown.ts";

export type Meaning = "good" | "attention" | "bad" | "link" | "detail" | "strong";

/**
 * Where a command writes: results on `out`, everything else on `err`. No control character of a value (an object, a catalog, a
 * file's name, an argument) comes through: see `src/text/control-characters.ts` for the characters, which show as `\u001b`.
 */
export interface Terminal {
  readonly isInteractive: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lines of the result in one write. Each argument is one line: line breaks inside of it are escaped. */
  out(...lines: readonly string[]): void;
  /** The result as text for people, ended by a line break. */
  show(text: Shown): void;
  /** Data as it is, without a line break of ours; where it goes to a terminal its control characters are escaped. */
  write(text: string, to?: "out" | "err"): void;
  /** As {@link out}, on `err`. */
  err(...lines: readonly string[]): void;
  /** What is going on, in a line of `err` that the next one overwrites; "" clears it. Nothing where `err` is no terminal. */
  progress(text: string): void;
  /** `text` in the colour of its meaning, or as it is where colours are off. */
  paint(meaning: Meaning, text: string): string;
  /** A symbol and its word in ASCII for terminals without UTF-8. */
  symbol(name: "ok" | "failed" | "attention" | "waiting" | "update"): string;
  /** Asks on `err`; undefined when nobody can answer. */
  ask(question: string): Promise<string | undefined>;
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
  ok: ["✓", "ok"],
  failed: ["✗", "FAIL"],
  attention: ["!", "!"],
  waiting: ["⏸", "||"],
  update: ["↑", "^"],
} as const;

export type ColorMode = "auto" | "always" | "never";

export function systemTerminal(options: { readonly color: ColorMode; readonly ascii: boolean }): Terminal {
  const { env, stdout, stderr, stdin } = process;
  const wantsColor = (): boolean => {
    if (options.color !== "auto") return options.color === "always";
    if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
    if (env["CLICOLOR_FORCE"] === "1") return true;
    return env["TERM"] !== "dumb" && stdout.isTTY && stderr.isTTY;
  };
  const color = wantsColor();
  const locale = env["LC_ALL"] ?? env["LC_CTYPE"] ?? env["LANG"] ?? "";
  const ascii = options.ascii || !/utf-?8/i.test(locale);
  return {
    isInteractive: stdin.isTTY && stderr.isTTY,
    env,
    out: (...lines) => void stdout.write(`${written(shown(...lines))}\n`),
    show: (text) => void stdout.write(`${written(text)}\n`),
    write: (text, to = "out") => {
      const stream = to === "out" ? stdout : stderr;
      stream.write(stream.isTTY ? writtenData(text) : text);
    },
    err: (...lines) => void stderr.write(`${written(shown(...lines))}\n`),
    progress: (text) => {
      if (stderr.isTTY && env["TERM"] !== "dumb")
        stderr.write(`\r\u001b[2K${shown(text).slice(0, stderr.columns - 1)}`);
    },
    paint: (meaning, text) => (color ? coloured(text, colours[meaning][0], colours[meaning][1]) : text),
    symbol: (name) => symbols[name][ascii ? 1 : 0],
    ask: async (question) => {
      if (!stdin.isTTY) return undefined;
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(written(shown(question)));
      } finally {
        lines.close();
      }
    },
  };
}
