import type { LogLevel } from "@purser/kubernetes/kube/log";
import { done, failed, type Result } from "@purser/kubernetes/result";

export const logFormats = ["json", "text"] as const;
export type LogFormat = (typeof logFormats)[number];

/** Which lines are written, and how. */
export interface LogSettings {
  readonly format: LogFormat;
  readonly level: LogLevel;
  /** Levels of single rooms, which go before `level`. */
  readonly rooms: ReadonlyMap<string, LogLevel>;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const isLevel = (word: string): word is LogLevel => (levels as readonly string[]).includes(word);

/**
 * Parses `LEVEL[,ROOM=LEVEL]...`, e.g. `warn,install-plan=debug`. A room is what a line shows as `room`: a controller's name or a
 * part of the process.
 */
export function parseLogLevels(text: string): Result<Pick<LogSettings, "level" | "rooms">, string> {
  let level: LogLevel = "info";
  const rooms = new Map<string, LogLevel>();
  for (const word of text.split(",").map((part) => part.trim())) {
    const [room = "", given] = word.includes("=") ? word.split("=", 2) : ["", word];
    if (given === undefined || !isLevel(given) || (word.includes("=") && room === ""))
      return failed(`"${word}" is not a level; write debug, info, warn or error, or ROOM=LEVEL`);
    if (room === "") level = given;
    else rooms.set(room, given);
  }
  return done({ level, rooms });
}

/** Whether a line is written. */
export function isLogged({ level, rooms }: LogSettings, room: string | undefined, asked: LogLevel): boolean {
  const least = (room === undefined ? undefined : rooms.get(room)) ?? level;
  return levels.indexOf(asked) >= levels.indexOf(least);
}
