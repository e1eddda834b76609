import type { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { World } from "./world.ts";

/** Advances the engine's clock to each next due time and waits until the engine is idle. */
export async function timePasses(world: World, clock: VirtualClock, durationMs: number): Promise<void> {
  const end = clock.now() + durationMs;
  while (clock.now() < end) {
    await world.settled();
    const due = Math.min(clock.nextDue() ?? end, end);
    clock.advance(Math.max(1, due - clock.now()));
  }
  await world.settled();
}
