import { scheduler } from "node:timers/promises";
import type { Resolution } from "../resolver/resolution.ts";
import { stepsPerSlice } from "../resolver/resolution.ts";

/** Runs a resolution to its end, giving the event loop a turn after every slice. */
export async function resolveInSlices<Answer>(resolution: Resolution<Answer>, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const progress = resolution.run(stepsPerSlice);
    if (progress.kind === "done") return progress.answer;
    signal.throwIfAborted();
    await scheduler.yield();
  }
}
