import { setTimeout as sleep } from "node:timers/promises";

/** Only a failing row waits this long: a busy namespace controller takes more than half a minute. */
const timeoutMs = 120_000;

/** Polls until the check passes; rejects with its last failure. */
export async function eventually(check: () => Promise<void>, withinMs = timeoutMs): Promise<void> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (failure) {
      if (performance.now() > until) throw failure;
      await sleep(25);
    }
  }
}
