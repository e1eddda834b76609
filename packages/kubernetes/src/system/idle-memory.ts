import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../clock.ts";

/** Growth of the old generation between two collections, in percent. */
const growingPercent = 30;
/** The same while a load of seconds lasts, which collections of the old generation would lengthen by a tenth. */
const loadedGrowingPercent = 100;
/** Interval of the checks in ms; the process must have been idle for one interval. */
const intervalMs = 3000;
/** Maximum event loop utilization of an idle interval. */
const idleShare = 0.02;
/** Minimum garbage for a collection, which stops the process for about 0.1 s. */
const worthBytes = 4 * 2 ** 20;

export interface HeapReading {
  /** Bytes used by the heap. */
  readonly heldBytes: number;
  /** Bytes used after the last collection here; initially after the start. */
  readonly restBytes: number;
  /** 0 to 1, since the last reading. */
  readonly busyShare: number;
}

/** Whether the heap has grown and the process is idle. */
export function isWorthCollecting({ heldBytes, restBytes, busyShare }: HeapReading): boolean {
  return busyShare < idleShare && heldBytes > restBytes + worthBytes;
}

/**
 * V8 settings for a long-lived process that shares its machine. They disable only features that cost much memory for
 * little time: the young generation does not grow (it could reach 128 MB under load; the launcher of the package starts
 * with 2 MB) and is collected by the allocating thread, the old generation is collected before it has grown by a third,
 * freed memory is returned to the system immediately, and finished jobs of the mid-tier compiler are freed individually
 * instead of all at the end (hundreds of 100 kB each under load). Call it before the load starts.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  setFlagsFromString("--no-maglev-destroy-on-background");
  if (hasMemorySaver()) setFlagsFromString("--memory-saver-mode");
  isKeptSmall = true;
}

let isKeptSmall = false;
let loads = 0;

/**
 * Lets the heap double between two collections until the returned function is called, for a load that ends within
 * seconds and leaves garbage that {@link giveBackIdleMemory} collects. Several loads may overlap. Has no effect where
 * {@link keepHeapSmall} was not called.
 */
export function allowHeapGrowth(): () => void {
  if (!isKeptSmall) return () => {};
  if (loads++ === 0) setFlagsFromString(`--heap-growing-percent=${loadedGrowingPercent}`);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--loads === 0) setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
  };
}

/** V8 of Node 22 does not know the flag and would print a warning. */
function hasMemorySaver(): boolean {
  return Number.parseInt(process.versions.v8, 10) >= 13;
}

/**
 * Collects garbage of the start. V8 has no heap size estimate before its first full collection and would let the heap
 * grow to a multiple until then.
 */
export function collectAfterStart(): void {
  collect("regular");
}

/**
 * Returns memory to the system after a load: V8 keeps its young generation and garbage that no allocation forces it to
 * collect, some 100 MB after a burst of requests. `forgetOld` is called periodically; it drops what is no longer needed
 * and returns its size in bytes. Resolves when the signal aborts.
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
      return; // aborted: the caller knows the reason
    }
    // Now garbage; it was in use after the last collection.
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

/** The only way to request a collection that also shrinks the heap without a command-line flag. */
function collect(flavor: "regular" | "last-resort"): void {
  if (collector === undefined) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as (options: object) => void;
    setFlagsFromString("--no-expose-gc");
  }
  collector({ type: "major", execution: "sync", flavor });
}
