import type { Entropy } from "../../entropy.ts";

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Doubles from `firstMs` with every failure, up to `longestMs`, plus a jitter of up to a fifth. */
export function backoffMs({ firstMs, longestMs }: BackoffLimits, failures: number, entropy: Entropy): number {
  const exponent = Math.min(Math.max(0, failures - 1), 40);
  return Math.min(longestMs, firstMs * 2 ** exponent) * (1 + entropy.fraction() / 5);
}
