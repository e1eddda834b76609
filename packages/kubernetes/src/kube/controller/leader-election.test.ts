import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../apis/coordination.ts";
import { leases } from "../../apis/resources.ts";
import type { Clock } from "../../clock.ts";
import { SeededEntropy } from "../../entropy.ts";
import type { JsonObject } from "../../json.ts";
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

const path = "/apis/coordination.k8s.io/v1/leases";
const status = (code: number, reason: string, message: string): JsonObject => ({
  kind: "Status",
  status: "Failure",
  code,
  reason,
  message,
});

class WithoutJitter extends SeededEntropy {
  override fraction(): number {
    return 0;
  }
}

interface Standing {
  readonly api: MemoryApi;
  /** From now on no request is answered; the function that is returned breaks them all off. */
  readonly hang: () => () => void;
  readonly clock: VirtualClock;
  readonly lines: string[];
  readonly stand: (identity?: string) => Candidate;
  readonly pass: (seconds: number) => Promise<void>;
  readonly lease: () => Promise<JsonObject | undefined>;
}

type LeaseSpec = NonNullable<Lease["spec"]>;

/** `before` is the Lease as it is found. */
async function standing(before?: LeaseSpec): Promise<Standing> {
  const api = new MemoryApi([path]);
  const clock = new VirtualClock();
  const lines: string[] = [];
  const key = { namespace: "demo", name: "purser" };
  let hanging: Promise<never> | undefined;
  const client = createClient((request, signal) => hanging ?? api.transport(request, signal));
  if (before !== undefined) {
    const object: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: key, spec: before };
    await client.write({ verb: "create", type: leases, object }, new AbortController().signal);
  }
  return {
    api,
    clock,
    lines,
    stand: (identity = "first") =>
      standForElection(
        client,
        {
          ...key,
          identity,
          clock,
          entropy: new WithoutJitter(1),
          log(level, message, facts) {
            const error = facts?.["error"];
            lines.push(`${level} ${message}${typeof error === "string" ? ` ${error}` : ""}`);
          },
        },
        (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      ),
    async pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000);
        await settle();
      }
    },
    lease: async () => (await client.get(leases, key))?.spec as JsonObject | undefined,
    hang() {
      let breakOff: (error: Error) => void = () => {};
      hanging = new Promise((_resolve, reject) => (breakOff = reject));
      hanging.catch(() => {});
      return () => {
        hanging = undefined;
        breakOff(new Error("broken off"));
      };
    },
  };
}

test("the lease names its holder, its times and how often it has changed hands; a release leaves it free", async () => {
  const { stand, pass, lease } = await standing();
  const first = stand();
  await settle();
  const began = "2026-01-01T00:00:00.000000Z";
  const held = { holderIdentity: "first", leaseDurationSeconds: 15, acquireTime: began, leaseTransitions: 0 };
  assert.deepEqual(await lease(), { ...held, renewTime: began });
  await pass(3);
  assert.deepEqual(await lease(), { ...held, renewTime: "2026-01-01T00:00:03.000000Z" });
  await first.stop();
  const released = { ...held, holderIdentity: "", leaseDurationSeconds: 1, renewTime: "2026-01-01T00:00:03.000000Z" };
  assert.deepEqual(await lease(), released);
  const second = stand("second");
  await settle();
  assert.deepEqual(await lease(), {
    holderIdentity: "second",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:03.000000Z",
    renewTime: "2026-01-01T00:00:03.000000Z",
    leaseTransitions: 1,
  });
  await second.stop();
});

test("a process that finds a lease of its own name keeps its time of acquisition", async () => {
  const acquireTime = "2025-12-31T00:00:00.000000Z";
  const { stand, lease } = await standing({ holderIdentity: "first", acquireTime, leaseTransitions: 4 });
  const first = stand();
  await settle();
  const found = await lease();
  assert.deepEqual([found?.["acquireTime"], found?.["leaseTransitions"]], [acquireTime, 4]);
  await first.stop();
});

test("an unrenewed lease of another process is acquired after its own duration, without one after ours", async () => {
  for (const [leaseDurationSeconds, after] of [
    [6, 6],
    [undefined, 15],
  ] as const) {
    const { stand, pass } = await standing({
      holderIdentity: "dead",
      ...(leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds }),
    });
    const first = stand();
    await settle();
    await pass(after - 1);
    assert.equal(first.leading(), false);
    await pass(1);
    assert.equal(first.leading(), true);
    await first.stop();
  }
});

test("a leader whose lease was changed reads it again: its own is renewed, a deleted one is created", async () => {
  for (const [code, reason] of [
    [409, "Conflict"],
    [404, "NotFound"],
  ] as const) {
    const { api, stand, pass, lines } = await standing();
    const first = stand();
    await settle();
    let refused = 0;
    api.refuse = ({ method }) => (method === "PUT" && refused++ === 0 ? status(code, reason, "changed") : undefined);
    await pass(12);
    assert.equal(first.leading(), true);
    assert.deepEqual(lines, ["info Leading"]);
    assert.ok(refused > 1);
    await first.stop();
  }
});

test("a leader ends when another process holds the lease, and says so", async () => {
  const { api, stand, pass, lines } = await standing();
  const first = stand();
  await settle();
  const client = createClient(api.transport);
  const held = await client.get(leases, { namespace: "demo", name: "purser" });
  assert.ok(held);
  const { resourceVersion: _any, ...metadata } = held.metadata;
  const object = { ...held, metadata, spec: { ...held.spec, holderIdentity: "other" } };
  await client.write({ verb: "replace", type: leases, object }, new AbortController().signal);
  await pass(3);
  assert.equal(first.leading(), false);
  assert.deepEqual(lines.slice(0, 3), [
    "info Leading",
    "info Waiting for the lease of another process",
    "warn Another process has acquired the lease",
  ]);
  await first.stop();
});

test("a refused write is logged, and the next attempt may succeed", async () => {
  const { api, stand, pass, lines } = await standing();
  api.refuse = ({ method }) => (method === "POST" ? status(403, "Forbidden", "not allowed") : undefined);
  const first = stand();
  await settle();
  assert.equal(first.leading(), false);
  api.refuse = () => undefined;
  await pass(3);
  assert.equal(first.leading(), true);
  assert.deepEqual(lines, [
    'warn Cannot acquire the lease NotLeadingError: Cannot write the lease "demo/purser": not allowed',
    "info Leading",
  ]);
  api.refuse = ({ method }) => (method === "GET" ? status(500, "InternalError", "no answer") : undefined);
  await first.stop();
  assert.match(lines.at(-1) ?? "", /^warn Cannot release the lease .*no answer/);
});

test("a renewal without an answer is given up at the deadline", async () => {
  const { stand, pass, lines, hang } = await standing();
  const first = stand();
  await settle();
  const breakOff = hang();
  await pass(9);
  assert.equal(first.leading(), true);
  await pass(1);
  assert.equal(first.leading(), false);
  assert.deepEqual(lines, [
    "info Leading",
    "warn Cannot renew the lease NotLeadingError: The renew deadline has passed",
  ]);
  breakOff();
  await first.stop();
});

test("a renew deadline that does not end before the lease is refused", () => {
  const options = { namespace: "demo", name: "purser", identity: "first", entropy: new SeededEntropy(1), log: silent };
  const client = createClient(new MemoryApi([path]).transport);
  const stand = (renewDeadlineMs: number): Candidate =>
    standForElection(client, { ...options, clock: new VirtualClock(), leaseDurationMs: 10_000, renewDeadlineMs }, () =>
      Promise.resolve(),
    );
  assert.throws(() => stand(10_000), /^RangeError: The renew deadline must end before the lease does$/);
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

test("a candidate's annotations are on the lease that it holds, beside those of others", async () => {
  const api = new MemoryApi(["/apis/coordination.k8s.io/v1/leases"]);
  const client = createClient(api.transport);
  const key = { namespace: "demo", name: "purser" };
  const metadata = { ...key, annotations: { "example.com/mine": "kept", "purser.dev/leader": "first 0.1.0" } };
  const object: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity: "" } };
  await client.write({ verb: "create", type: leases, object }, new AbortController().signal);
  const candidate = standForElection(
    client,
    {
      ...key,
      identity: "second",
      annotations: { "purser.dev/leader": "second 0.2.0" },
      clock: new VirtualClock(),
      entropy: new SeededEntropy(1),
      log: silent,
    },
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  );
  await settle();
  assert.ok(candidate.leading());
  assert.deepEqual((await client.get(leases, key))?.metadata.annotations, {
    "example.com/mine": "kept",
    "purser.dev/leader": "second 0.2.0",
  });
  await candidate.stop();
});
