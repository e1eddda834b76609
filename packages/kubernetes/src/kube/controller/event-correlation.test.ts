import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../../apis/core.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { correlator, type RaisedEvent } from "./event-correlation.ts";

const event: RaisedEvent = { about: "a", part: "", type: "Warning", reason: "Failed", message: "m" };

/** The kinds of the decisions about these events, counted in their order. */
function decisions(clock: VirtualClock, correlate: ReturnType<typeof correlator>, times: number) {
  return (raised: RaisedEvent): readonly string[] =>
    Array.from({ length: times }, () => {
      clock.advance(1);
      return correlate.decide(raised).kind;
    });
}

test("an event that comes often is dropped from the eleventh on, and once in five minutes it is not", () => {
  const clock = new VirtualClock(0);
  const correlate = correlator(clock);
  const twelve = decisions(clock, correlate, 12)(event);
  assert.deepEqual(twelve, [...Array.from({ length: 10 }, () => "create"), "drop", "drop"]);
  clock.advance(300_000);
  assert.deepEqual(decisions(clock, correlate, 2)(event), ["create", "drop"]);
});

test("a reason that comes often starves no other reason and no other object", () => {
  const clock = new VirtualClock(0);
  const correlate = correlator(clock);
  decisions(clock, correlate, 12)(event);
  assert.equal(correlate.decide({ ...event, reason: "DisabledCopiedCSVs" }).kind, "create");
  assert.equal(correlate.decide({ ...event, about: "b" }).kind, "create");
  assert.equal(correlate.decide({ ...event, part: "status.plan[0]" }).kind, "drop");
});

test("an event that was stored is counted when it comes again", () => {
  const correlate = correlator(new VirtualClock(0));
  const first = correlate.decide(event);
  assert.ok(first.kind === "create");
  const stored = { metadata: { name: "e" } } as Event;
  correlate.sent(first.identity, stored, 1);
  assert.deepEqual(correlate.decide(event), {
    kind: "repeat",
    identity: first.identity,
    message: "m",
    event: stored,
    count: 2,
  });
});

test("the tenth message of one reason within ten minutes is combined with those after it", () => {
  const clock = new VirtualClock(0);
  const correlate = correlator(clock);
  const message = (number: number): string => {
    const decision = correlate.decide({ ...event, message: `m${number}` });
    return decision.kind === "drop" ? "drop" : decision.message;
  };
  const ten = Array.from({ length: 10 }, (_, number) => message(number));
  assert.deepEqual(ten.slice(8), ["m8", "(combined from similar events): m9"]);
  clock.advance(600_001);
  assert.equal(message(11), "m11");
});
