import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import { limitsOf } from "./numbers.ts";
import { grownNewest, isScaling, rescale, shrinkOld, type Resize } from "./resizing.ts";
import { annotationsOfReused, desiredAnnotation, maxAnnotation, revisionAnnotation } from "./revisions.ts";

interface Size {
  readonly replicas: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
}

function deployment(replicas: number, maxSurge: number | string, maxUnavailable: number | string): Deployment {
  return {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: { name: "d" },
    spec: { replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
  } as unknown as Deployment;
}

function sets(...sizes: readonly Size[]): readonly ReplicaSet[] {
  return sizes.map(
    ({ replicas, available = replicas, desired, max }, index) =>
      ({
        kind: "ReplicaSet",
        apiVersion: "apps/v1",
        metadata: {
          name: `d-${index}`,
          creationTimestamp: `2026-01-01T00:00:0${index}Z`,
          annotations: {
            ...(desired === undefined ? {} : { [desiredAnnotation]: String(desired) }),
            ...(max === undefined ? {} : { [maxAnnotation]: String(max) }),
          },
        },
        spec: { replicas },
        status: { availableReplicas: available },
      }) as unknown as ReplicaSet,
  );
}

const summary = (resizes: readonly Resize[]): readonly string[] =>
  resizes.map(({ set, to }) => `${set.metadata.name ?? ""} ${to}`);

describe("a change of replicas", () => {
  for (const [what, holder, all, expected] of [
    ["scales the only ReplicaSet with pods", deployment(5, 1, 1), sets({ replicas: 3 }, { replicas: 0 }), ["d-0 5"]],
    [
      "scales the newest ReplicaSet when none has pods",
      deployment(5, 1, 1),
      sets({ replicas: 0 }, { replicas: 0 }),
      ["d-1 5"],
    ],
    [
      "is distributed by size, the remainder goes to the largest",
      deployment(15, 3, 2),
      sets({ replicas: 8, desired: 10, max: 13 }, { replicas: 5, available: 0, desired: 10, max: 13 }),
      ["d-0 11", "d-1 7"],
    ],
    [
      "scales down the oldest of equal ReplicaSets first",
      deployment(4, 0, 1),
      sets({ replicas: 5, desired: 10, max: 10 }, { replicas: 5, available: 0, desired: 10, max: 10 }),
      ["d-0 2", "d-1 2"],
    ],
    [
      "to zero scales all to zero",
      deployment(0, 1, 0),
      sets({ replicas: 3, max: 5 }, { replicas: 2, max: 5 }),
      ["d-0 0", "d-1 0"],
    ],
    [
      "scales old ReplicaSets to zero once the newest is complete",
      deployment(3, 1, 1),
      sets({ replicas: 2 }, { replicas: 3, desired: 3 }),
      ["d-0 0"],
    ],
  ] as const)
    test(what, () => {
      assert.deepEqual(
        summary(rescale(holder, all[1] ?? all[0], all[1] === undefined ? [] : all.slice(0, 1))),
        expected,
      );
    });

  test("is detected by a ReplicaSet with pods that was scaled for another number", () => {
    assert.equal(isScaling(deployment(3, 1, 1), sets({ replicas: 2, desired: 2 })), true);
    assert.equal(isScaling(deployment(3, 1, 1), sets({ replicas: 0, desired: 2 }, { replicas: 3, desired: 3 })), false);
    assert.equal(isScaling(deployment(3, 1, 1), sets({ replicas: 2 })), false);
  });

  test("keeps at most replicas plus maxSurge pods", () => {
    const size = fc.integer({ min: 1, max: 30 });
    const surges = fc.integer({ min: 0, max: 5 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), surges, size, size, (replicas, surge, a, b) => {
        const max = a + b;
        const all = sets({ replicas: a, max }, { replicas: b, available: 0, max });
        const holder = deployment(replicas, surge, 1);
        const resizes = rescale(holder, all[1], all.slice(0, 1));
        assert.ok(resizes.every(({ to }) => to >= 0));
        const sum = resizes.reduce((total, { to }) => total + to, 0);
        assert.equal(sum, replicas === 0 ? 0 : replicas + limitsOf(holder).maxSurge);
      }),
    );
  });
});

describe("a rolling update", () => {
  for (const [what, holder, old, newest, expected] of [
    [
      "removes pods that never became available first",
      deployment(3, 1, 0),
      [{ replicas: 3, available: 1 }],
      { replicas: 1, available: 0 },
      [],
    ],
    ["replaces one available pod by one", deployment(3, 1, 0), [{ replicas: 3 }], { replicas: 1 }, ["d-0 2"]],
    [
      "waits while the newest ReplicaSet is not available",
      deployment(3, 1, 0),
      [{ replicas: 3 }],
      { replicas: 1, available: 0 },
      [],
    ],
    ["may go below replicas by maxUnavailable", deployment(4, 0, 2), [{ replicas: 4 }], { replicas: 0 }, ["d-0 2"]],
    [
      "removes unhealthy pods of one ReplicaSet and scales down the next",
      deployment(3, 2, 1),
      [{ replicas: 2, available: 0 }, { replicas: 3 }],
      { replicas: 0 },
      ["d-0 0", "d-1 2"],
    ],
    [
      "does nothing while the status of a scaled ReplicaSet is outdated",
      deployment(7, 3, 2),
      [{ replicas: 6, available: 11 }],
      { replicas: 4, available: 0 },
      [],
    ],
  ] as const)
    test(what, () => {
      const all = sets(...old, newest);
      const last = all.at(-1);
      assert.ok(last !== undefined);
      assert.deepEqual(summary(shrinkOld(holder, all.slice(0, -1), last)), expected);
    });

  for (const [percent, replicas, surge, unavailable] of [
    ["30%", 7, 3, 2],
    ["25%", 3, 1, 0],
    ["0%", 3, 0, 1],
    ["100%", 3, 3, 3],
    ["0%", 0, 0, 0],
  ] as const)
    test(`of ${replicas} replicas by ${percent}`, () => {
      assert.deepEqual(limitsOf(deployment(replicas, percent, percent)), {
        replicas,
        maxSurge: surge,
        maxUnavailable: unavailable,
      });
    });

  test("scales up the newest ReplicaSet within maxSurge", () => {
    const all = sets({ replicas: 3 }, { replicas: 1 });
    assert.equal(grownNewest(deployment(3, 1, 0), all, all[1]), 1);
    assert.equal(grownNewest(deployment(3, 2, 0), all, all[1]), 2);
    assert.equal(grownNewest(deployment(3, 9, 0), all, all[1]), 3);
    assert.equal(grownNewest(deployment(0, 1, 0), all, all[1]), 0);
  });
});

test("a ReplicaSet that becomes the newest again keeps its revision history, up to the length limit", () => {
  const holder = deployment(1, 1, 0);
  const [set] = sets({ replicas: 1 });
  assert.ok(set !== undefined);
  const withAnnotations = (annotations: Record<string, string>): ReplicaSet => ({
    ...set,
    metadata: { ...set.metadata, annotations },
  });
  const history = "deployment.kubernetes.io/revision-history";
  const first = annotationsOfReused(holder, withAnnotations({ [revisionAnnotation]: "1" }), 3);
  assert.deepEqual(first, { [revisionAnnotation]: "3", [history]: "1" });
  const second = annotationsOfReused(holder, withAnnotations({ ...first }), 5);
  assert.deepEqual(second, { [revisionAnnotation]: "5", [history]: "1,3" });
  assert.deepEqual(annotationsOfReused(holder, withAnnotations({ ...second }), 4), second);
  const long = Array.from({ length: 500 }, (_, index) => String(1000 + index)).join(",");
  const trimmed = annotationsOfReused(holder, withAnnotations({ [revisionAnnotation]: "2000", [history]: long }), 2001);
  assert.ok((trimmed[history] ?? "").length <= 2000);
  assert.ok(trimmed[history]?.endsWith(",1499,2000"));
  assert.deepEqual(annotationsOfReused(holder, withAnnotations({ [revisionAnnotation]: "x" }), 2), {
    [revisionAnnotation]: "x",
  });
});
