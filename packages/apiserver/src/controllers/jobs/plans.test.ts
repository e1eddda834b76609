import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { noFailures, retryDelay, withEnded } from "./backoff.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { movesOf, type Moves } from "./moves.ts";
import { takeCensus, tracking } from "./pods.ts";
import { verdictOf } from "./verdict.ts";

const second = 1000;
const start = Date.parse("2026-01-01T00:00:00Z");

function at(seconds: number): string {
  return new Date(start + seconds * second).toISOString().replace(".000", "");
}

interface Held {
  readonly phase?: string;
  readonly code?: number;
  readonly index?: number;
  readonly failures?: number;
  readonly endedAfter?: number;
  readonly going?: boolean;
  readonly condition?: string;
}

let made = 0;
function pod({
  phase = "Running",
  code = 0,
  index,
  failures,
  endedAfter = 0,
  going = false,
  condition,
}: Held = {}): Pod {
  const ended = phase === "Failed" || phase === "Succeeded";
  const state = ended ? { terminated: { exitCode: code, finishedAt: at(endedAfter) } } : { running: {} };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: `p${++made}`,
      namespace: "ns",
      uid: `u${made}`,
      finalizers: [tracking],
      ...(going ? { deletionTimestamp: at(0) } : {}),
      annotations: {
        ...(index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": String(index) }),
        ...(failures === undefined ? {} : { "batch.kubernetes.io/job-index-failure-count": String(failures) }),
      },
    },
    status: {
      phase,
      containerStatuses: [{ name: "c", state }],
      conditions: condition === undefined ? [] : [{ type: condition, status: "True" }],
    },
  } as unknown as Pod;
}

const failed = (code = 1, more: Held = {}): Pod => pod({ phase: "Failed", code, ...more });
const succeeded = (index?: number): Pod => pod({ phase: "Succeeded", ...(index === undefined ? {} : { index }) });
const exit = (action: string, operator: string, ...values: readonly number[]): JsonObject => ({
  action,
  onExitCodes: { operator, values },
});
const policy = (...rules: readonly JsonObject[]): JsonObject => ({ podFailurePolicy: { rules } });
const indexed = (completions: number, more: JsonObject = {}): JsonObject => ({
  completionMode: "Indexed",
  completions,
  parallelism: completions,
  ...more,
});

describe("a failure policy", () => {
  for (const [what, rules, held, action, counted] of [
    ["applies the first matching rule", [exit("Ignore", "In", 2), exit("Count", "In", 1)], failed(1), "Count", true],
    ["ignores a failure that a rule ignores", [exit("Ignore", "In", 1)], failed(1), "Ignore", false],
    ["does not match containers that succeeded", [exit("Ignore", "NotIn", 5)], failed(0), undefined, true],
    ["matches exit codes by NotIn", [exit("FailIndex", "NotIn", 5)], failed(1), "FailIndex", true],
    [
      "matches pod conditions",
      [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
      failed(1, { condition: "DisruptionTarget" }),
      "Ignore",
      false,
    ],
    [
      "matches only the named container",
      [{ action: "Ignore", onExitCodes: { containerName: "other", operator: "In", values: [1] } }],
      failed(1),
      undefined,
      true,
    ],
  ] as const)
    test(what, () => {
      const match = matchFailurePolicy(policy(...rules), held);
      assert.deepEqual([match.action, match.counted], [action, counted]);
    });

  test("names the container or condition and the rule that fail the Job", () => {
    const held = failed(42, { condition: "Broken" });
    const name = held.metadata.name ?? "";
    assert.equal(
      matchFailurePolicy(policy(exit("Count", "In", 1), exit("FailJob", "In", 42)), held).message,
      `Container c for pod ns/${name} failed with exit code 42 matching FailJob rule at index 1`,
    );
    const rule = { action: "FailJob", onPodConditions: [{ type: "Broken", status: "True" }] };
    assert.equal(
      matchFailurePolicy(policy(rule), held).message,
      `Pod ns/${name} has condition Broken matching FailJob rule at index 0`,
    );
  });
});

describe("a job ends", () => {
  const verdict = (spec: JsonObject, pods: readonly Pod[], status: JsonObject = {}, seconds = 0): string => {
    const census = takeCensus(spec, status, pods);
    const found = verdictOf(spec, status, pods, census, start + seconds * second);
    return found === undefined ? "" : `${found.type} ${found.reason}`;
  };
  const since = { startTime: at(0) };
  const announced = {
    conditions: [{ type: "FailureTarget", status: "True", reason: "PodFailurePolicy", message: "m" }],
  };
  for (const [what, spec, pods, status, expected] of [
    ["not while failures are within backoffLimit", { backoffLimit: 1 }, [failed()], {}, ""],
    ["when failures exceed backoffLimit", { backoffLimit: 1 }, [failed(), failed()], {}, "Failed BackoffLimitExceeded"],
    [
      "when earlier and new failures together exceed backoffLimit",
      { backoffLimit: 2 },
      [failed()],
      { failed: 2 },
      "Failed BackoffLimitExceeded",
    ],
    ["not by ignored failures", { backoffLimit: 0, ...policy(exit("Ignore", "In", 1)) }, [failed()], {}, ""],
    [
      "by its failure policy before any limit",
      { backoffLimit: 0, ...policy(exit("FailJob", "In", 1)) },
      [failed()],
      {},
      "Failed PodFailurePolicy",
    ],
    ["after activeDeadlineSeconds", { activeDeadlineSeconds: 10 }, [], since, "Failed DeadlineExceeded"],
    ["not while it is suspended", { activeDeadlineSeconds: 10, suspend: true }, [], since, ""],
    ["as an earlier pass decided", {}, [], announced, "Failed PodFailurePolicy"],
    [
      "when too many indexes failed",
      indexed(3, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
      [failed(1, { index: 0 }), failed(1, { index: 2 })],
      {},
      "Failed MaxFailedIndexesExceeded",
    ],
    [
      "when all indexes are finished and one has failed",
      indexed(2, { backoffLimitPerIndex: 0 }),
      [failed(1, { index: 0 }), succeeded(1)],
      {},
      "Failed FailedIndexes",
    ],
    [
      "not while an index may be retried",
      indexed(2, { backoffLimitPerIndex: 1 }),
      [failed(1, { index: 0, failures: 0 }), succeeded(1)],
      {},
      "",
    ],
    [
      "when the indexes of its success policy succeeded",
      indexed(3, { successPolicy: { rules: [{ succeededIndexes: "0,2" }] } }),
      [succeeded(0), succeeded(2)],
      {},
      "Complete SuccessPolicy",
    ],
    [
      "when succeededCount of its success policy is reached",
      indexed(3, { successPolicy: { rules: [{ succeededIndexes: "0-2", succeededCount: 1 }] } }),
      [succeeded(2)],
      {},
      "Complete SuccessPolicy",
    ],
    [
      "not by indexes outside its success policy",
      indexed(3, { successPolicy: { rules: [{ succeededIndexes: "0", succeededCount: 1 }] } }),
      [succeeded(2)],
      {},
      "",
    ],
  ] as const satisfies readonly (readonly [string, JsonObject, readonly Pod[], JsonObject, string])[])
    test(what, () => assert.equal(verdict(spec, pods, status, 10), expected));

  test("when its containers were restarted too often", () => {
    const spec = { backoffLimit: 2, template: { spec: { restartPolicy: "OnFailure" } } };
    const restarted = (restartCount: number): Pod =>
      ({ ...pod(), status: { phase: "Running", containerStatuses: [{ name: "c", restartCount }] } }) as unknown as Pod;
    assert.equal(verdict(spec, [restarted(1)]), "");
    assert.equal(verdict(spec, [restarted(1), restarted(1)]), "Failed BackoffLimitExceeded");
  });
});

describe("the pods of a job", () => {
  const moves = (spec: JsonObject, pods: readonly Pod[], status: JsonObject = {}, seconds = 0): string => {
    const census = takeCensus(spec, status, pods);
    const failures = withEnded(noFailures, census.newSucceeded, census.newFailed);
    return describeMoves(movesOf(spec, pods, census, failures, start + seconds * second));
  };
  const describeMoves = (found: Moves): string => {
    switch (found.kind) {
      case "none":
        return "none";
      case "wait":
        return `wait ${found.ms / second}`;
      case "delete":
        return `delete ${found.pods.length}`;
      case "create":
        return `create ${found.indexes.map((index) => index ?? "-").join(" ")}`;
    }
  };
  for (const [what, spec, pods, status, seconds, expected] of [
    ["are as many as parallelism", { parallelism: 2, completions: 5 }, [], {}, 0, "create - -"],
    [
      "are no more than the missing completions",
      { parallelism: 3, completions: 4 },
      [pod()],
      { succeeded: 2 },
      0,
      "create -",
    ],
    ["are deleted when they are surplus", { parallelism: 1, completions: 4 }, [pod(), pod(), pod()], {}, 0, "delete 2"],
    [
      "are all deleted when it is suspended",
      { parallelism: 2, completions: 2, suspend: true },
      [pod(), pod()],
      {},
      0,
      "delete 2",
    ],
    ["of a work queue with a success are left alone", { parallelism: 1 }, [pod(), pod(), succeeded()], {}, 0, "none"],
    ["wait ten seconds after a failure", { parallelism: 1, completions: 1 }, [failed()], {}, 4, "wait 6"],
    ["are created again after the backoff", { parallelism: 1, completions: 1 }, [failed()], {}, 10, "create -"],
    [
      "wait for terminating pods under podReplacementPolicy Failed",
      { parallelism: 1, completions: 1, podReplacementPolicy: "Failed" },
      [pod({ going: true })],
      {},
      0,
      "none",
    ],
    [
      "take the first free indexes",
      indexed(5, { parallelism: 3 }),
      [pod({ index: 1 })],
      { completedIndexes: "0,3" },
      0,
      "create 2 4",
    ],
    [
      "with a duplicate index are reduced to one",
      indexed(2),
      [pod({ index: 0 }), pod({ index: 0 })],
      {},
      0,
      "delete 1",
    ],
    [
      "of an index wait only for the backoff of that index",
      indexed(2, { backoffLimitPerIndex: 2 }),
      [failed(1, { index: 0, failures: 0 })],
      {},
      5,
      "create 1",
    ],
    [
      "of an index have a backoff that grows",
      indexed(1, { backoffLimitPerIndex: 3 }),
      [failed(1, { index: 0, failures: 1 })],
      {},
      5,
      "wait 15",
    ],
    [
      "are not created for a failed index",
      indexed(2, { backoffLimitPerIndex: 0 }),
      [failed(1, { index: 0 }), pod({ index: 1 })],
      {},
      60,
      "none",
    ],
  ] as const satisfies readonly (readonly [string, JsonObject, readonly Pod[], JsonObject, number, string])[])
    test(what, () => assert.equal(moves(spec, pods, status, seconds), expected));
});

test("the backoff doubles up to ten minutes and is reset by a success", () => {
  const waits = [1, 2, 3, 7, 30].map((count) => retryDelay({ count, lastMs: start }, start) / second);
  assert.deepEqual(waits, [10, 20, 40, 600, 600]);
  const before = { count: 3, lastMs: start };
  assert.deepEqual(withEnded(before, [], [failed(1, { endedAfter: 5 })]), { count: 4, lastMs: start + 5 * second });
  const late = pod({ phase: "Succeeded", endedAfter: 6 });
  assert.deepEqual(withEnded(before, [late], [failed(1, { endedAfter: 5 })]), noFailures);
  assert.deepEqual(withEnded(before, [late], [failed(1, { endedAfter: 7 })]), { count: 1, lastMs: start + 7 * second });
  assert.equal(retryDelay(noFailures, start), 0);
});
