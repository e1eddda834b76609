import { Readable } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import { noLongerNeeded } from "../time-limit.ts";

/** The body with a count of what was taken from it; it fails with the body, which ends with it. */
export function countedBody(body: Readable): { readonly body: Readable; readonly taken: () => number } {
  let taken = 0;
  async function* counted(): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      taken += chunk.length;
      yield chunk;
    }
  }
  const wrapped = Readable.from(counted(), { objectMode: false });
  // A generator that nobody has begun to read does not end what it would read.
  wrapped.on("close", () => body.destroy());
  return { body: wrapped, taken: () => taken };
}

/** Calls `onStalled` when `count` has not grown for a whole period, unless the function that it returns is called before. */
export function watchProgress(clock: Clock, periodMs: number, count: () => number, onStalled: () => void): () => void {
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    for (let before = -1; count() !== before;) {
      before = count();
      await clock.sleep(periodMs, stopped.signal);
    }
    onStalled();
  };
  watch().catch(() => undefined);
  return () => stopped.abort(noLongerNeeded);
}
