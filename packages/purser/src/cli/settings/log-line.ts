import type { LogLevel } from "@purser/kubernetes/kube/log";
import type { LogFormat } from "./log-settings.ts";

export interface LogRecord {
  /** RFC 3339. */
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** One line: an object of JSON, or `TIME LEVEL message key=value`, where values with spaces are quoted as in JSON. */
export function logLine({ time, level, message, facts }: LogRecord, format: LogFormat): string {
  switch (format) {
    case "json":
      return JSON.stringify({ time, level, message, ...facts });
    case "text": {
      const words = Object.entries(facts).flatMap(([key, value]) =>
        value === undefined ? [] : [`${key}=${wordOf(value)}`],
      );
      return [time, level.toUpperCase().padEnd(5), message.replaceAll("\n", " "), ...words].join(" ");
    }
  }
}

function wordOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
