import type { Log, LogLevel } from "@purser/kubernetes/kube/log";
import type { Clock } from "@purser/kubernetes/clock";
import type { Terminal } from "./output/terminal.ts";

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A log that writes records of level `least` and above to stderr, as one JSON object per line. */
export function logTo(terminal: Terminal, clock: Clock, least: LogLevel): Log {
  return (level, message, facts) => {
    if (rank[level] < rank[least]) return;
    terminal.err(JSON.stringify({ time: new Date(clock.now()).toISOString(), level, message, ...facts }));
  };
}
