import type { Log, LogLevel } from "@purser/kubernetes/kube/log";
import type { Clock } from "@purser/kubernetes/clock";
import { currentRequestId } from "@purser/kubernetes/system/request-id";
import type { Terminal } from "./output/terminal.ts";
import { logLine } from "./settings/log-line.ts";
import { isLogged, type LogSettings } from "./settings/log-settings.ts";

/**
 * A log to stderr, one line for each record that the settings of that moment let through, with the id of the pass or request that
 * it belongs to as `request`.
 */
export function logTo(terminal: Terminal, clock: Clock, settings: () => LogSettings): Log {
  return (level, message, facts = {}) => {
    const now = settings();
    // Lines of a controller come through the log of the part that runs it.
    const room = facts["controller"] ?? facts["room"];
    if (!isLogged(now, typeof room === "string" ? room : undefined, level)) return;
    const request = currentRequestId();
    const time = new Date(clock.now()).toISOString();
    terminal.err(
      logLine({ time, level, message, facts: { ...facts, ...(request === undefined ? {} : { request }) } }, now.format),
    );
  };
}

/** JSON lines of a level and above, from every room. */
export const jsonLines = (level: LogLevel) => (): LogSettings => ({ format: "json", level, rooms: new Map() });
