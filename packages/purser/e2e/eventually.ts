import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@purser/kubernetes/system/system-clock";

/**
 * Asks until `look` says nothing is wrong (undefined) or time is up; then fails with its last words.
 * Only for what happens in another process: nothing in this process can say when it is settled.
 */
export async function eventually(
  what: string,
  look: () => Promise<string | undefined>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = systemClock.monotonic() + timeoutMs;
  for (;;) {
    const wrong = await look();
    if (wrong === undefined) return;
    if (systemClock.monotonic() > deadline) throw new Error(`${what}: ${wrong}`);
    await pause(100);
  }
}
