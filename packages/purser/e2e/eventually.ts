import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@purser/kubernetes/system/system-clock";

/** Longer than any wait on a busy machine. */
const patienceMs = 300_000;

/**
 * Asks until `look` says nothing is wrong (undefined), or fails with its last words after five minutes.
 * Only for what happens in another process: nothing in this process can say when it is settled.
 */
export async function eventually(what: string, look: () => Promise<string | undefined>): Promise<void> {
  const deadline = systemClock.monotonic() + patienceMs;
  for (;;) {
    const wrong = await look();
    if (wrong === undefined) return;
    if (systemClock.monotonic() > deadline) throw new Error(`${what}: ${wrong}`);
    await pause(100);
  }
}
