import { Session } from "node:inspector/promises";
import type { Readable } from "node:stream";
import { getHeapSnapshot } from "node:v8";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";

const longestProfileSeconds = 300;
const defaultProfileSeconds = 10;

/** The length of a profile that was asked for, in seconds; the problem is one sentence. */
export function profileSeconds(text: string | null): Result<number, string> {
  if (text === null) return done(defaultProfileSeconds);
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > longestProfileSeconds)
    return failed(`seconds must be a number from 1 to ${longestProfileSeconds}`);
  return done(seconds);
}

/** A CPU profile of this process over `seconds`, as JSON that Chrome's developer tools read. */
export async function cpuProfile(seconds: number, clock: Clock, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(seconds * 1000, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

/** A heap snapshot for Chrome's developer tools. It holds every text in memory, Secrets included. */
export function heapSnapshot(): Readable {
  return getHeapSnapshot();
}
