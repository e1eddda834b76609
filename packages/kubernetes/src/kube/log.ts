export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured log function; `facts` are plain values, never secrets. */
export type Log = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;

/** The log of a part of the process: lines that name neither a room nor a controller show this room. */
export function inRoom(log: Log, room: string): Log {
  return (level, message, facts = {}) =>
    log(level, message, "room" in facts || "controller" in facts ? facts : { room, ...facts });
}

/** A log that drops everything. */
export const silent: Log = () => {};
