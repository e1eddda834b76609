export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where a part of the engine says what it does; `facts` are plain values, never secrets. */
export type Log = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;

export const silent: Log = () => {};
