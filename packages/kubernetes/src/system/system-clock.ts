import type { Clock } from "../clock.ts";

/** `setTimeout` fires immediately for longer delays. */
const longestTimeoutMs = 0x7fff_ffff;

/** The machine's clock; the only code that reads time or sets timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(durationMs, signal) {
    const end = performance.now() + durationMs;
    do {
      await nap(Math.min(Math.max(0, end - performance.now()), longestTimeoutMs), signal);
    } while (performance.now() < end - 1);
  },
};

function nap(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, durationMs);
    signal.addEventListener("abort", abort, { once: true });
  });
}
