import type { Clock } from "@purser/kubernetes/clock";
import type { ExitCode } from "./exit-code.ts";
import { exitCodes } from "./exit-code.ts";

/** SIGHUP comes when the terminal is closed. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How often a process started by npm checks whether npm still runs, in milliseconds. */
const intervalMs = 1000;

export type StopRequest = (typeof signals)[number] | "npm ended";

/** The process to be ended: Node's own outside of tests. */
export interface StoppableProcess {
  /** Process id of the parent; it changes when the parent ends. */
  readonly ppid: number;
  on(signal: (typeof signals)[number], listener: () => void): unknown;
  exit(code: ExitCode): void;
}

export interface StopRequests {
  /** Aborted by the first request. */
  readonly signal: AbortSignal;
  /** The first request; undefined when there was none. */
  first(): StopRequest | undefined;
  /** Stops the watch on the parent so that the process can exit. Signals are still counted: npm's copy may arrive late. */
  close(): void;
}

/**
 * Handles requests to end this process. The first one aborts `signal`; a repeated one ends the process immediately, for
 * users whose shutdown hangs.
 *
 * npm forwards SIGINT and SIGTERM to its script, which also receives signals to the process group (Ctrl-C): under npm two
 * signals are one request. npm does not forward SIGHUP, and cannot forward anything when it is killed, so under npm the
 * end of the parent process is a request too. Without npm it is not: `purser up &` may outlive its shell.
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

/** Resolves when the parent process has ended; rejects when the signal aborts. */
async function parentEnds(process: StoppableProcess, clock: Clock, signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await clock.sleep(intervalMs, signal);
}
