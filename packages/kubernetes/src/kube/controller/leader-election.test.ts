import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../clock.ts";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient } from "../client.ts";
import { silent } from "../log.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import { type Candidate, standForElection } from "./leader-election.ts";

test("the time for which a leader may act begins with its request, not with the answer", async () => {
  const api = new MemoryApi(["/apis/coordination.k8s.io/v1/leases"]);
  const clock = new VirtualClock();
  let cut = false;
  const client = createClient(async (request, signal) => {
    if (cut) throw new Error("network down");
    const answer = await api.transport(request, signal);
    if (request.method !== "GET") await clock.sleep(4000, new AbortController().signal);
    return answer;
  });
  const candidate = standForElection(
    client,
    {
      namespace: "demo",
      name: "purser",
      identity: "first",
      renewDeadlineMs: 10_000,
      retryPeriodMs: 3000,
      clock,
      entropy: new SeededEntropy(1),
      log: silent,
    },
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  );
  const leadingAfter: number[] = [];
  await settle();
  for (let second = 1; second <= 20; second++) {
    clock.advance(1000);
    await settle();
    if (candidate.leading()) leadingAfter.push(second);
    if (second === 4) cut = true;
  }
  assert.deepEqual(leadingAfter, [4, 5, 6, 7, 8, 9]);
  assert.throws(candidate.fence, /^NotLeadingError: The lease "demo\/purser" is not ours$/);
  await candidate.stop();
});

test("a candidate that waits logs the holder of the lease once, and again when another one holds it", async () => {
  const api = new MemoryApi(["/apis/coordination.k8s.io/v1/leases"]);
  const clock = new VirtualClock();
  const lines: string[] = [];
  const stand = (identity: string): Candidate =>
    standForElection(
      createClient(api.transport),
      {
        namespace: "demo",
        name: "purser",
        identity,
        clock,
        entropy: new SeededEntropy(1),
        log: (level, message, facts) =>
          lines.push(`${identity}: ${level} ${message} ${JSON.stringify(facts?.["holder"] ?? "")}`),
      },
      (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    );
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      await settle();
    }
  };
  const first = stand("first");
  await settle();
  const second = stand("second");
  await pass(10);
  const third = stand("third");
  await pass(10);
  await first.stop();
  await pass(10);
  await Promise.all([second.stop(), third.stop()]);
  assert.deepEqual(lines, [
    'first: info Leading ""',
    'second: info Waiting for the lease of another process "first"',
    'third: info Waiting for the lease of another process "first"',
    'second: info Leading ""',
    'third: info Waiting for the lease of another process "second"',
  ]);
});

/** A clock whose wall time is off and whose pace differs, as of another machine. */
function skewed(clock: VirtualClock, byMs: number, pace: number): Clock {
  return {
    now: () => clock.now() + byMs,
    monotonic: () => clock.monotonic() * pace,
    sleep: (durationMs, signal) => clock.sleep(durationMs / pace, signal),
  };
}

const minute = 60_000;
for (const [title, byMs, pace] of [
  ["an hour ahead", 60 * minute, 1],
  ["an hour behind", -60 * minute, 1],
  ["a fifth faster", 0, 1.2],
  ["a fifth slower", 0, 0.8],
] as const)
  test(`a replica whose clock is ${title} never leads beside another one, and takes over when that one is cut off`, async () => {
    const api = new MemoryApi(["/apis/coordination.k8s.io/v1/leases"]);
    const clock = new VirtualClock();
    let cut = "";
    const stand = (identity: string, own: Clock, seed: number): Candidate =>
      standForElection(
        createClient(async (request, signal) => {
          if (cut === identity) throw new Error("network down");
          return api.transport(request, signal);
        }),
        { namespace: "demo", name: "purser", identity, clock: own, entropy: new SeededEntropy(seed), log: silent },
        (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      );
    const candidates = { first: stand("first", clock, 1), second: stand("second", skewed(clock, byMs, pace), 2) };
    const leading = (): readonly string[] =>
      Object.entries(candidates).flatMap(([name, candidate]) => (candidate.leading() ? [name] : []));
    const seen: string[] = [];
    const pass = async (seconds: number): Promise<void> => {
      for (let tenth = 0; tenth < seconds * 10; tenth++) {
        clock.advance(100);
        await settle(2);
        const now = leading().join(" and ");
        if (seen.at(-1) !== now) seen.push(now);
      }
    };
    await settle();
    await pass(120);
    const [leader = ""] = leading();
    const other = leader === "first" ? "second" : "first";
    assert.deepEqual(seen, [leader], "one replica leads all the time");
    cut = leader;
    await pass(60);
    assert.deepEqual(seen, [leader, "", other]);
    cut = other;
    await pass(60);
    assert.deepEqual(seen, [leader, "", other, "", leader]);
    await Promise.all([candidates.first.stop(), candidates.second.stop()]);
  });
