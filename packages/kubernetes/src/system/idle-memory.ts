import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../clock.ts";

/** What the old generation may grow by between two collections. */
const growingPercent = 30;
/** How often we look, and how long the process must have been idle, in ms. */
const intervalMs = 3000;
/** Share of the interval in which the event loop may have had work. */
const idleShare = 0.02;
/** A collection stops the process for about 0.1 s: less than this is not worth it. */
const worthBytes = 4 * 2 ** 20;

export interface HeapReading {
  /** What the heap occupies, in bytes. */
  readonly heldBytes: number;
  /** What it occupied after the last collection of ours; at first after the start. */
  readonly restBytes: number;
  /** 0 to 1, since the last reading. */
  readonly busyShare: number;
}

/** A load has passed that made the heap grow, and nothing happens now. */
export function isWorthCollecting({ heldBytes, restBytes, busyShare }: HeapReading): boolean {
  return busyShare < idleShare && heldBytes > restBytes + worthBytes;
}

/**
 * For a process that lives long beside others. Of everything V8 only gives up what costs much memory and little time: the
 * young generation stays as small as it is (it would grow to 128 MB under load; the package's launcher begins with 2 MB)
 * and is collected by the thread that fills it, the old one is collected before it has grown by a third, and what a collection
 * frees goes back to the system at once. A finished job of the middle compiler is freed when its code is taken over: it
 * would wait for all the others, hundreds of 100 kB each when a load begins. To be called before the load comes; V8 reads
 * all of this whenever it decides.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  setFlagsFromString("--no-maglev-destroy-on-background");
  if (hasMemorySaver()) setFlagsFromString("--memory-saver-mode");
}

/** The V8 of Node 22 would complain about a flag that it does not know. */
function hasMemorySaver(): boolean {
  return Number.parseInt(process.versions.v8, 10) >= 13;
}

/**
 * Collects what the start left behind. V8 has no measure of the heap before its first whole collection, and would let
 * it grow to a multiple until then.
 */
export function collectAfterStart(): void {
  collect("regular");
}

/**
 * Gives memory back to the system when a load is over: V8 keeps what it once took for its young generation and for
 * garbage that no allocation forces it to collect, here some 100 MB after a burst of requests. `forgetOld` is called again
 * and again, and lets go what is not needed any more, with its bytes as the result. Ends with the signal.
 */
export async function giveBackIdleMemory(
  clock: Clock,
  signal: AbortSignal,
  forgetOld: () => number = () => 0,
): Promise<void> {
  let restBytes = getHeapStatistics().total_heap_size;
  let since = performance.eventLoopUtilization();
  while (!signal.aborted) {
    try {
      await clock.sleep(intervalMs, signal);
    } catch {
      return; // The signal's reason; the caller knows it.
    }
    // Garbage now, where it was in use after the last collection.
    restBytes -= forgetOld();
    const now = performance.eventLoopUtilization();
    const busyShare = performance.eventLoopUtilization(now, since).utilization;
    since = now;
    if (!isWorthCollecting({ heldBytes: getHeapStatistics().total_heap_size, restBytes, busyShare })) continue;
    collect("last-resort");
    restBytes = getHeapStatistics().total_heap_size;
    since = performance.eventLoopUtilization();
  }
}

let collector: ((options: object) => void) | undefined;

/** The only way to ask V8 for a collection that also shrinks the heap, short of starting Node with a flag. */
function collect(flavor: "regular" | "last-resort"): void {
  if (collector === undefined) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as (options: object) => void;
    setFlagsFromString("--no-expose-gc");
  }
  collector({ type: "major", execution: "sync", flavor });
}
