import type { Clock } from "../clock.ts";
import type { Resolution } from "../resolver/resolution.ts";

/** A slice stays under 10 ms, so that watches and lease renewal go on while a large world is decided. */
const stepsPerSlice = 20_000;

/** Runs a resolution to its end, giving the event loop a turn after every slice. */
export async function resolveInSlices<Answer>(
  resolution: Resolution<Answer>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    const progress = resolution.run(stepsPerSlice);
    if (progress.kind === "done") return progress.answer;
    signal.throwIfAborted();
    await clock.sleep(0, signal);
  }
}
