import { setTimeout as sleep } from "node:timers/promises";

/** Only a row that fails waits as long: a real namespace controller that is behind takes more than half a minute. */
const patienceMs = 120_000;

/** Polls until the check holds; its last failure is the case's. */
export async function eventually(check: () => Promise<void>, withinMs = patienceMs): Promise<void> {
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
