import assert from "node:assert/strict";
import { test } from "node:test";
import { SeededEntropy } from "../../entropy.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { createClient } from "../client.ts";
import { silent } from "../log.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { settle } from "../testing/settle.ts";
import { standForElection } from "./leader-election.ts";

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
