import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ContainerStatus, Pod } from "@purser/kubernetes/apis/core";
import { podSentence, troubleRemedies, workloadTroubles } from "./workload-trouble.ts";

const deployment = (status: Deployment["status"], replicas = 1): Deployment =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "manager", namespace: "ns" },
    spec: { replicas, selector: { matchLabels: { app: "manager" } }, template: { spec: { containers: [] } } },
    status,
  }) as unknown as Deployment;

const pod = (status: Pod["status"], metadata: Partial<Pod["metadata"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", labels: { app: "manager" }, ...metadata },
  status: status ?? {},
});
const container = (state: ContainerStatus["state"], more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: "c",
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  ...(state === undefined ? {} : { state }),
  ...more,
});
const unavailable: Deployment["status"] = {
  conditions: [{ type: "Available", status: "False", message: "no minimum availability" }],
};

const cases: readonly (readonly [what: string, status: Pod["status"], sentence: string, remedy: string])[] = [
  [
    "crashes",
    {
      containerStatuses: [
        container({ waiting: { reason: "CrashLoopBackOff", message: "back-off 10s\nmore" } }, { restartCount: 3 }),
      ],
    },
    "Pod p, container c: CrashLoopBackOff after 3 restarts, back-off 10s",
    "kubectl -n ns logs p -c c --previous",
  ],
  [
    "has no image",
    { containerStatuses: [container({ waiting: { reason: "ImagePullBackOff", message: "not found" } })] },
    "Pod p, container c: ImagePullBackOff, not found",
    "kubectl -n ns describe pod p",
  ],
  [
    "refers to what is not there",
    { containerStatuses: [container({ waiting: { reason: "CreateContainerConfigError", message: "no secret" } })] },
    "Pod p, container c: CreateContainerConfigError, no secret",
    "kubectl -n ns describe pod p",
  ],
  [
    "ended",
    { containerStatuses: [container({ terminated: { exitCode: 2, reason: "Error" } }, { restartCount: 1 })] },
    "Pod p, container c: Error after 1 restart, it ended with exit code 2",
    "kubectl -n ns logs p -c c --previous",
  ],
  [
    "is stopped by a container before",
    {
      initContainerStatuses: [container({ waiting: { reason: "CrashLoopBackOff" } }, { name: "i" })],
      containerStatuses: [container({ waiting: { reason: "PodInitializing" } })],
    },
    "Pod p, container i: CrashLoopBackOff",
    "kubectl -n ns logs p -c i",
  ],
  ...["ContainerCreating", "PodInitializing"].map(
    (reason) =>
      [
        `is starting (${reason})`,
        { phase: "Pending", containerStatuses: [container({ waiting: { reason } })] },
        "Pod p: Pending",
        "kubectl -n ns describe pod p",
      ] as const,
  ),
  [
    "finds no node",
    {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1" }],
    },
    "Pod p: Unschedulable, 0/1",
    "kubectl -n ns describe pod p",
  ],
  [
    "was evicted",
    { phase: "Failed", reason: "Evicted", message: "low on memory" },
    "Pod p: Evicted, low on memory",
    "kubectl -n ns describe pod p",
  ],
  [
    "is never ready",
    { phase: "Running", containerStatuses: [container({ running: {} }, { restartCount: 2 })] },
    "Pod p, container c: NotReady after 2 restarts, its readiness probe does not pass",
    "kubectl -n ns logs p -c c",
  ],
];
for (const [what, status, sentence, remedy] of cases)
  test(`a pod that ${what} is named with its reason and a command to inspect it`, () => {
    const [trouble, ...others] = workloadTroubles([deployment(unavailable)], [pod(status)]);
    assert.ok(trouble !== undefined && others.length === 0);
    assert.deepEqual(trouble.pods.map(podSentence), [sentence]);
    assert.equal(troubleRemedies(trouble)[0]?.command, remedy);
  });

test("available Deployments, pods of others, ready pods and pods being deleted are not reported", () => {
  assert.deepEqual(workloadTroubles([deployment({ availableReplicas: 1 })], [pod({ phase: "Pending" })]), []);
  const [trouble] = workloadTroubles(
    [deployment(unavailable, 3)],
    [
      pod({ phase: "Pending" }, { labels: { app: "other" } }),
      pod({ phase: "Pending" }, { namespace: "other" }),
      pod({ phase: "Pending" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      pod({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] }),
    ],
  );
  assert.deepEqual(trouble, {
    namespace: "ns",
    deployment: "manager",
    available: 0,
    wanted: 3,
    message: "no minimum availability",
    pods: [],
  });
});

test("a Deployment whose pods are refused is reported without a pod", () => {
  const status = { conditions: [{ type: "ReplicaFailure", status: "True", message: "exceeded quota" }] };
  const [trouble] = workloadTroubles([deployment(status)], []);
  assert.equal(trouble?.message, "exceeded quota");
  assert.equal(
    trouble === undefined ? "" : troubleRemedies(trouble)[0]?.command,
    "kubectl -n ns describe deployment manager",
  );
});
