import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { startTimeLimit } from "../time-limit.ts";
import { type Answer, seconds } from "./answer.ts";
import { failureOfError, invalidAnswer, type RegistryFailure, tooSlow } from "./registry-failure.ts";
import type { RegistryLimits } from "./registry-limits.ts";

/**
 * The body of an answer, read while it stays within the bounds. `what` names it in problems. Rejects when the signal aborts.
 */
export async function readBounded(
  { body, header, host, status }: Answer,
  bounds: { readonly maxBytes: number; readonly maxMs: number; readonly what: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<Uint8Array, RegistryFailure>> {
  const { maxBytes, maxMs, what } = bounds;
  const tooLarge = (): Result<never, RegistryFailure> => {
    body.destroy();
    return failed({
      ...invalidAnswer(`${host} sends more than ${maxBytes} bytes as ${what}`, host, status),
      kind: "limit",
    });
  };
  if (Number(header("content-length") ?? 0) > maxBytes) return tooLarge();
  let isLate = false;
  const stopLimit = startTimeLimit(clock, maxMs, () => {
    isLate = true;
    body.destroy();
  });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return tooLarge();
      chunks.push(chunk);
    }
    return done(Buffer.concat(chunks));
  } catch (error) {
    signal.throwIfAborted();
    if (isLate) return failed(tooSlow(`${host} sent only ${size} bytes of ${what} within ${seconds(maxMs)}`, host));
    return failed(failureOfError(error, host));
  } finally {
    stopLimit();
  }
}

const discardedBytes = 64 * 1024;

/** Reads what is of no interest, so that the connection can be used again; breaks it when that takes too long. */
export async function discard(
  answer: Answer,
  { clock, limits }: { readonly clock: Clock; readonly limits: RegistryLimits },
  signal: AbortSignal,
): Promise<void> {
  await readBounded(answer, { maxBytes: discardedBytes, maxMs: limits.errorMs, what: "an answer" }, clock, signal);
}
