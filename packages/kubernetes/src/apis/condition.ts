/** `metav1.Condition`; lists of it are keyed by `type`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** The condition of that type, of which an object has at most one; undefined when there is none or no list. */
export function findCondition<Held extends { readonly type: string }>(
  conditions: readonly Held[] | undefined,
  type: string,
): Held | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Schemas of conditions allow so many characters; the API server refuses the whole status for one more. */
const messageLimit = 32_768;
const cutMark = "\n\n... [message truncated]";

/** A message as long as a condition may have; a longer one is cut and marked as OLM v1 does. */
export function boundedMessage(text: string): string {
  return text.length <= messageLimit ? text : text.slice(0, messageLimit - cutMark.length) + cutMark;
}

/** `conditions` with the one of the same type replaced by `next`; the transition time changes only with the status. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const held = conditions ?? [];
  const before = findCondition(held, next.type);
  const lastTransitionTime = before !== undefined && before.status === next.status ? before.lastTransitionTime : now;
  const condition: Condition = { ...next, message: boundedMessage(next.message), lastTransitionTime };
  return before === undefined
    ? [...held, condition]
    : held.map((existing) => (existing.type === next.type ? condition : existing));
}
