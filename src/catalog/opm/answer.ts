import { goQuote } from "../../go-quote.ts";

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

/** A log line as logrus writes it where the output is no terminal. */
export function logRecord(level: "fatal" | "warning" | "info", message: string): string {
  const plain = /^[a-zA-Z0-9\-._/@^+]+$/.test(message);
  return `level=${level} msg=${plain ? message : goQuote(message)}\n`;
}

/** A failure that `opm` reports through Go's plain logger. */
export function logged(message: string, stdout = ""): OpmAnswer {
  return { exit: 1, stdout, stderr: `${message}\n` };
}
