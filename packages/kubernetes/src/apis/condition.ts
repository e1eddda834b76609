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

/** `conditions` with the one of the same type replaced by `next`; the transition time changes only with the status. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const held = conditions ?? [];
  const before = findCondition(held, next.type);
  const lastTransitionTime = before !== undefined && before.status === next.status ? before.lastTransitionTime : now;
  const condition: Condition = { ...next, lastTransitionTime };
  return before === undefined
    ? [...held, condition]
    : held.map((existing) => (existing.type === next.type ? condition : existing));
}
