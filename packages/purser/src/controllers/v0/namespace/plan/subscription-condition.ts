import type { SubscriptionCondition, SubscriptionConditionType } from "../../../../apis/v0/subscription.ts";

type Conditions = readonly SubscriptionCondition[];

export function conditionOf(
  conditions: Conditions | undefined,
  type: SubscriptionConditionType,
): SubscriptionCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** `next` in the place of the condition of its type; one that says the same stays as it is, times included. */
export function setCondition(conditions: Conditions | undefined, next: SubscriptionCondition): Conditions {
  const held = conditions ?? [];
  const before = conditionOf(held, next.type);
  if (before === undefined) return [...held, next];
  const same = before.status === next.status && before.reason === next.reason && before.message === next.message;
  return same ? held : held.map((condition) => (condition === before ? next : condition));
}

export function withoutConditions(
  conditions: Conditions | undefined,
  ...types: readonly SubscriptionConditionType[]
): Conditions {
  return (conditions ?? []).filter((condition) => !types.includes(condition.type));
}

/** What is reported until resolution and unpacking have ended with an InstallPlan. */
export const endedByPlan = [
  "BundleUnpacking",
  "BundleUnpackFailed",
  "ResolutionFailed",
] as const satisfies readonly SubscriptionConditionType[];
