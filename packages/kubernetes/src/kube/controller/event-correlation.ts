import type { Event } from "../../apis/core.ts";
import type { Clock } from "../../clock.ts";

/** An event to be recorded; `about` identifies source and object. */
export interface RaisedEvent {
  readonly about: string;
  /** Field path within the object; empty for the whole. Events about different parts are counted apart, limits are per object and reason. */
  readonly part: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export type Decision =
  /** Rate limit per object and reason: a burst of 10 events, then one every five minutes. */
  | { readonly kind: "drop" }
  | { readonly kind: "create"; readonly identity: string; readonly message: string }
  | {
      readonly kind: "repeat";
      readonly identity: string;
      readonly message: string;
      readonly event: Event;
      readonly count: number;
    };

const burst = 10;
const refillMs = 300_000;
const similarBeforeCombined = 10;
const similarWindowMs = 600_000;
const mostRemembered = 4096;

/**
 * Decides how to record an event by client-go's rules (`tools/record/events_cache.go`), with the limit of OLM v0
 * (`event.NewRecorder`): a reason that comes often starves no other one of the object.
 */
export function correlator(clock: Clock): {
  decide(raised: RaisedEvent): Decision;
  /** Called after an event was stored, so that repetitions find it. */
  sent(identity: string, event: Event, count: number): void;
} {
  const budgets = new Map<string, { tokens: number; at: number }>();
  const similar = new Map<string, { readonly messages: Set<string>; at: number }>();
  const known = new Map<string, { readonly event: Event; count: number }>();

  function mayRaise({ about, reason }: RaisedEvent): boolean {
    const now = clock.monotonic();
    const key = [about, reason].join("\n");
    const budget = budgets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / refillMs);
    const allowed = tokens >= 1;
    remember(budgets, key, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed;
  }

  /** Whether so many different messages with one reason have occurred that they are combined. */
  function isCombined({ about, type, reason, message }: RaisedEvent): boolean {
    const now = clock.monotonic();
    const group = [about, type, reason].join("\n");
    const before = similar.get(group);
    const held =
      before === undefined || now - before.at > similarWindowMs ? { messages: new Set<string>(), at: now } : before;
    held.at = now;
    if (held.messages.size < similarBeforeCombined) {
      held.messages.add(message);
      remember(similar, group, held);
      return held.messages.size >= similarBeforeCombined;
    }
    remember(similar, group, held);
    return true;
  }

  return {
    decide(raised) {
      const combined = isCombined(raised);
      const message = combined ? `(combined from similar events): ${raised.message}` : raised.message;
      const identity = [raised.about, raised.part, raised.type, raised.reason, combined ? "" : raised.message].join(
        "\n",
      );
      if (!mayRaise(raised)) return { kind: "drop" };
      const before = known.get(identity);
      if (before === undefined) return { kind: "create", identity, message };
      before.count++;
      return { kind: "repeat", identity, message, event: before.event, count: before.count };
    },
    sent(identity, event, count) {
      remember(known, identity, { event, count });
    },
  };
}

/** Keeps the latest entries, by insertion order. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
