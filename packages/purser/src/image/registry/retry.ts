import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { Result } from "@purser/kubernetes/result";
import type { RegistryFailure } from "./registry-failure.ts";

export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly tries: number;
  /** Milliseconds before the second try; doubles for each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A registry that asks for a longer pause than this is not waited for. */
  readonly longestRetryAfterMs: number;
  /** No try begins later than this after the first. */
  readonly totalMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 4,
  firstDelayMs: 500,
  longestDelayMs: 8_000,
  longestRetryAfterMs: 30_000,
  totalMs: 120_000,
};

/** What a registry may ask for at most; a longer wish is cut. */
const longestWishMs = 3_600_000;

/** Milliseconds of a `Retry-After` header: seconds, or a date compared with `now` (epoch milliseconds). Undefined when unreadable. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (!/^\d+$|^[A-Z][a-z]{2}, /.test(text)) return undefined;
  const wish = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wish) ? undefined : Math.min(Math.max(0, wish), longestWishMs);
}

/** How long to wait after the failed try number `tried` (from 1); undefined: do not try again. `fraction` is in [0, 1). */
export function delayAfter(
  failure: RegistryFailure,
  tried: number,
  policy: RetryPolicy,
  fraction: number,
): number | undefined {
  if (!failure.isPassing || tried >= policy.tries) return undefined;
  if (failure.retryAfterMs !== undefined && failure.retryAfterMs > policy.longestRetryAfterMs) return undefined;
  const backOff = Math.min(policy.firstDelayMs * 2 ** (tried - 1), policy.longestDelayMs) * (0.5 + fraction / 2);
  return Math.max(backOff, failure.retryAfterMs ?? 0);
}

/** Runs `attempt` until it succeeds, fails for good, or the policy ends it. Rejects when the signal aborts. */
export async function withRetries<Value>(
  attempt: () => Promise<Result<Value, RegistryFailure>>,
  {
    clock,
    entropy,
    policy,
    signal,
  }: { readonly clock: Clock; readonly entropy: Entropy; readonly policy: RetryPolicy; readonly signal: AbortSignal },
): Promise<Result<Value, RegistryFailure>> {
  const start = clock.monotonic();
  for (let tried = 1; ; tried++) {
    const result = await attempt();
    if (result.ok) return result;
    const delay = delayAfter(result.problem, tried, policy, entropy.fraction());
    if (delay === undefined || clock.monotonic() - start + delay > policy.totalMs) return result;
    await clock.sleep(delay, signal);
  }
}
