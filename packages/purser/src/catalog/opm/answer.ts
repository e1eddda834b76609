import { goQuote } from "@purser/kubernetes/go-quote";

/** What an `opm` command prints and how it ends. Log records carry no time; the entrance puts it in front. */
export interface OpmAnswer {
  readonly exit: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

/** A failure that `opm` reports as a fatal log record. */
export function fatal(message: string): OpmAnswer {
  return { exit: 1, stdout: "", stderr: logRecord("fatal", message) };
}

/** A log line as logrus writes it where the output is no terminal; fields follow sorted by name. */
export function logRecord(
  level: "fatal" | "error" | "warning" | "info",
  message: string,
  fields: Readonly<Record<string, string>> = {},
): string {
  const shown = Object.entries(fields)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}=${logValue(value)}`);
  return `level=${level} msg=${logValue(message)}${shown.join("")}\n`;
}

function logValue(text: string): string {
  return /^[a-zA-Z0-9\-._/@^+]+$/.test(text) ? text : goQuote(text);
}

/** A failure that `opm` reports through Go's plain logger. */
export function logged(message: string, stdout = ""): OpmAnswer {
  return { exit: 1, stdout, stderr: `${message}\n` };
}
