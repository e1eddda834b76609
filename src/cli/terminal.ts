import { styleText } from "node:util";

export type Meaning = "good" | "attention" | "bad" | "link" | "detail" | "strong";

/** Where a command writes: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly isInteractive: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A line of the result. */
  out(text: string): void;
  /** A part of the result as it is, without a line break of ours. */
  write(text: string): void;
  err(text: string): void;
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
  good: "green",
  attention: "yellow",
  bad: "red",
  link: "blue",
  detail: "dim",
  strong: "bold",
} as const;
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
    out: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    err: (text) => void stderr.write(`${text}\n`),
    progress: (text) => {
      if (stderr.isTTY && env["TERM"] !== "dumb") stderr.write(`\r\u001b[2K${text.slice(0, stderr.columns - 1)}`);
    },
    paint: (meaning, text) => (color ? styleText(colours[meaning], text, { validateStream: false }) : text),
    symbol: (name) => symbols[name][ascii ? 1 : 0],
    ask: async (question) => {
      if (!stdin.isTTY) return undefined;
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}
