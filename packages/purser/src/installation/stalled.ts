import type { Condition } from "@purser/kubernetes/apis/condition";

/** What cannot go on, as the message of a condition `Stalled` has it. */
export interface Stall {
  /** RFC 3339. */
  readonly stuckSince: string;
  /** One line: the object or the cause that nothing gets past. */
  readonly blockedBy: string;
  /** When or upon what the next attempt is made. */
  readonly nextRetry: string;
}

/** The message of a condition `Stalled`. */
export function stalledMessage({ stuckSince, blockedBy, nextRetry }: Stall): string {
  return `stuckSince ${stuckSince}; blockedBy ${blockedBy}; nextRetry ${nextRetry}`;
}

type Shown = Partial<Pick<Condition, "type" | "status">> & { readonly reason?: string; readonly message?: string };

/** The cause and the next attempt that the condition Stalled of an object names; undefined unless it is True and one of ours. */
export function stalledOf(conditions: readonly Shown[] | undefined): (Stall & { readonly reason: string }) | undefined {
  const condition = conditions?.find(({ type }) => type === "Stalled");
  if (condition?.status !== "True") return undefined;
  const [, stuckSince, blockedBy, nextRetry] =
    /^stuckSince (\S+); blockedBy (.*); nextRetry (.*)$/s.exec(condition.message ?? "") ?? [];
  if (stuckSince === undefined || blockedBy === undefined || nextRetry === undefined) return undefined;
  return { reason: condition.reason ?? "", stuckSince, blockedBy, nextRetry };
}
