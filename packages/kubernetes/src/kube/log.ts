export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured log function; `facts` are plain values, never secrets. */
export type Log = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;

/** A log that drops everything. */
export const silent: Log = () => {};
