import type { Clock } from "@purser/kubernetes/clock";
import type { ExitCode } from "./exit-code.ts";
import { exitCodes } from "./exit-code.ts";

/** SIGHUP comes when the terminal is closed. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How often a process that npm started looks whether npm still runs, in ms. */
const intervalMs = 1000;

export type StopRequest = (typeof signals)[number] | "npm ended";

/** The process to be ended: Node's own outside of tests. */
export interface StoppableProcess {
  /** Of the parent; another one when that has ended. */
  readonly ppid: number;
  on(signal: (typeof signals)[number], listener: () => void): unknown;
  exit(code: ExitCode): void;
}

export interface StopRequests {
  /** Aborted by the first request. */
  readonly signal: AbortSignal;
  /** The first request; undefined when there was none. */
  first(): StopRequest | undefined;
  /** Lets the process end by itself. Signals are still counted: the second of a pair may come late. */
  close(): void;
}

/**
 * Requests to end this process. The first one aborts `signal`; a repeated one ends the process at once, as the user's way
 * out of a shutdown that hangs.
 *
 * npm forwards SIGINT and SIGTERM to the script it runs, which also gets those that go to the whole process group (Ctrl-C):
 * under npm two signals are one request. npm forwards no SIGHUP, and nothing when it is killed, so the end of the
 * parent process counts as a request there. Elsewhere it does not: `purser up &` outlives its shell.
 */
export function stopRequests(process: StoppableProcess, clock: Clock, startedByNpm: boolean): StopRequests {
  const stop = new AbortController();
  const closed = new AbortController();
  let first: StopRequest | undefined;
  let received = 0;
  const request = (what: StopRequest): void => {
    if (first !== undefined) return;
    first = what;
    stop.abort(new DOMException(`stopped: ${what}`, "AbortError"));
  };
  for (const name of signals)
    process.on(name, () => {
      received++;
      if (received > (startedByNpm ? 2 : 1)) process.exit(exitCodes.interrupted);
      else request(name);
    });
  if (startedByNpm)
    void parentEnds(process, clock, closed.signal).then(
      () => request("npm ended"),
      () => undefined,
    );
  return {
    signal: stop.signal,
    first: () => first,
    close: () => closed.abort(new Error("closed")),
  };
}

/** Rejects with the signal. */
async function parentEnds(process: StoppableProcess, clock: Clock, signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await clock.sleep(intervalMs, signal);
}
