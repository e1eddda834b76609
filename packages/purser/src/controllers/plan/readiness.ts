import { type Condition, findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import { stalledMessage } from "../../installation/stalled.ts";

/** What an object waits for, as the conditions that kstatus (`sigs.k8s.io/cli-utils`) reads show it. */
export type Readiness =
  /** As the spec wants it, also when it wants it switched off or archived. */
  | { readonly kind: "ready"; readonly reason: string; readonly message: string }
  | { readonly kind: "reconciling"; readonly reason: string; readonly message: string; readonly isUsable?: boolean }
  | Stalled
  /** Nothing is done until it is resumed, as asked: what was ready before stays ready, as with the suspended objects of Flux. */
  | { readonly kind: "paused"; readonly reason: string; readonly message: string };

export interface Stalled {
  readonly kind: "stalled";
  /** A cause code where there is one. */
  readonly reason: string;
  /** One line: the object or the cause that nothing gets past. */
  readonly blockedBy: string;
  /** When or upon what the next attempt is made; does not differ between attempts of the same kind. */
  readonly nextRetry: string;
  /** RFC 3339; absent: since the condition Stalled is True. */
  readonly stuckSince?: string;
  /** What was reached before still serves. */
  readonly isUsable?: boolean;
}

/**
 * The conditions with `Ready`, `Reconciling` and `Stalled`, all three always present; at most one of the last two is True. The
 * message of `Stalled` reads `stuckSince TIME; blockedBy CAUSE; nextRetry WHEN` and is the same until one of them changes.
 */
export function withReadiness(
  conditions: readonly Condition[],
  readiness: Readiness,
  { observedGeneration, time }: { readonly observedGeneration: number | undefined; readonly time: string },
): readonly Condition[] {
  const stalled = readiness.kind === "stalled" ? stalledText(conditions, readiness, time) : undefined;
  const { reason } = readiness;
  const message = readiness.kind === "stalled" ? readiness.blockedBy : readiness.message;
  const isReady =
    readiness.kind === "ready" ||
    (readiness.kind === "paused" && findCondition(conditions, "Ready")?.status === "True") ||
    ((readiness.kind === "stalled" || readiness.kind === "reconciling") && readiness.isUsable === true);
  const isReconciling = readiness.kind === "reconciling";
  const shown = [
    { type: "Ready", status: isReady, message },
    { type: "Reconciling", status: isReconciling, message: isReconciling ? message : "" },
    { type: "Stalled", status: stalled !== undefined, message: stalled ?? "" },
  ];
  return shown.reduce<readonly Condition[]>((list, { type, status, message: text }) => {
    const condition = { type, status: status ? "True" : "False", reason, message: text } as const;
    return withCondition(
      list,
      observedGeneration === undefined ? condition : { ...condition, observedGeneration },
      time,
    );
  }, conditions);
}

function stalledText(held: readonly Condition[], stalled: Stalled, time: string): string {
  const before = findCondition(held, "Stalled");
  const stuckSince = stalled.stuckSince ?? (before?.status === "True" ? before.lastTransitionTime : time);
  return stalledMessage({ ...stalled, stuckSince });
}
