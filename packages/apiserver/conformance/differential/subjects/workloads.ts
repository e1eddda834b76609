import type { JsonObject } from "@purser/kubernetes/json";
import { below, condition, labelled, metadata, plainPod, podSpec, selector, template, textMap } from "./fragments.ts";
import { volumeSubjects } from "./volumes.ts";
import type { Fragment, Subject } from "./subject.ts";

/** A pod that neither the scheduler nor the token controller changes. */
const quietPod: JsonObject = {
  spec: { ...plainPod, schedulerName: "nobody", automountServiceAccountToken: false },
};

const templateFragments: readonly Fragment[] = [
  (draw) => ({ spec: { template: { spec: podSpec(draw) } } }),
  (draw) => ({ spec: { template: { metadata: { labels: { a: "b", ...textMap(draw) } } } } }),
  (draw) => (draw.chance(0.1) ? { spec: { selector: { matchLabels: { a: "c" } } } } : {}),
  (draw) => (draw.chance(0.1) ? { spec: { template: { metadata: { labels: { a: "c" } } } } } : {}),
];

const policies = ["Never", "OnFailure", "Always", "Foo"] as const;

/** Workloads that never create a Pod: zero replicas, no matching node, or suspended. */
export const workloadSubjects: readonly Subject[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    collection: "/apis/apps/v1/namespaces/{ns}/deployments",
    weight: 3,
    controlled: true,
    scale: true,
    base: { spec: { replicas: 0, paused: true, selector, template: template(plainPod) } },
    fragments: [
      ...metadata,
      ...templateFragments,
      (draw) => ({
        spec: {
          strategy: draw.one([
            { type: "Recreate" },
            { rollingUpdate: { maxSurge: 1 } },
            { type: "Foo" },
            { rollingUpdate: { maxSurge: "x", maxUnavailable: "10%" } },
            { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
          ]),
        },
      }),
      (draw) => (draw.chance(0.2) ? { spec: { minReadySeconds: draw.one([0, 1, -1, 601]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { progressDeadlineSeconds: draw.one([0, 1, -1, 601]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { revisionHistoryLimit: draw.one([0, 3, -1]) } } : {}),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    collection: "/apis/apps/v1/namespaces/{ns}/replicasets",
    weight: 1,
    names: ["rs-x", "rs-y"],
    controlled: true,
    scale: true,
    base: { spec: { replicas: 0, selector, template: template(plainPod) } },
    fragments: [
      ...metadata,
      ...templateFragments,
      (draw) => (draw.chance(0.2) ? { spec: { minReadySeconds: draw.one([0, 1, -1]) } } : {}),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    collection: "/apis/apps/v1/namespaces/{ns}/statefulsets",
    weight: 1,
    controlled: true,
    scale: true,
    base: { spec: { replicas: 0, serviceName: "s", selector, template: template(plainPod) } },
    fragments: [
      ...metadata,
      ...templateFragments,
      (draw) => ({
        spec: {
          updateStrategy: draw.one([
            { type: "OnDelete" },
            { rollingUpdate: { partition: draw.one([0, 1, -1]) } },
            { type: "Foo" },
          ]),
        },
      }),
      (draw) => (draw.chance(0.2) ? { spec: { serviceName: draw.one(["s", "t", "", "BAD!"]) } } : {}),
      (draw) =>
        draw.chance(0.2) ? { spec: { podManagementPolicy: draw.one(["Parallel", "OrderedReady", "Foo"]) } } : {},
      (draw) => (draw.chance(0.2) ? { spec: { minReadySeconds: draw.one([0, 1, -1]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { ordinals: { start: draw.one([0, 1, -1]) } } } : {}),
      (draw) => ({
        spec: {
          volumeClaimTemplates: [
            {
              metadata: { name: draw.one(["v", "w"]) },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      }),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    collection: "/apis/apps/v1/namespaces/{ns}/daemonsets",
    weight: 1,
    controlled: true,
    base: { spec: { selector, template: template({ ...plainPod, nodeSelector: { none: "none" } }) } },
    fragments: [
      ...metadata,
      ...templateFragments,
      (draw) => ({
        spec: {
          updateStrategy: draw.one([
            { type: "OnDelete" },
            { rollingUpdate: { maxUnavailable: draw.one([1, "10%", 0, "x"]) } },
            { type: "Foo" },
          ]),
        },
      }),
      (draw) => (draw.chance(0.2) ? { spec: { minReadySeconds: draw.one([0, 1, -1]) } } : {}),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    collection: "/apis/batch/v1/namespaces/{ns}/jobs",
    weight: 1,
    controlled: true,
    base: { spec: { suspend: true, template: { spec: { restartPolicy: "Never", ...plainPod } } } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { template: { spec: podSpec(draw) } } }),
      (draw) => (draw.chance(0.2) ? { spec: { template: { spec: { restartPolicy: draw.one(policies) } } } } : {}),
      (draw) => ({ spec: { parallelism: draw.one([0, 1, 2, -1]) } }),
      (draw) => (draw.chance(0.3) ? { spec: { completions: draw.one([1, 2, -1]) } } : {}),
      (draw) => ({ spec: { backoffLimit: draw.one([0, 6, -1]) } }),
      (draw) => (draw.chance(0.2) ? { spec: { completionMode: draw.one(["Indexed", "NonIndexed", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { activeDeadlineSeconds: draw.one([0, 1000, -1]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { podReplacementPolicy: draw.one(["Failed", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.1) ? { spec: { ttlSecondsAfterFinished: draw.one([1000, -1]) } } : {}),
    ],
    status: [],
    mergeLists: below(["spec", "template", "spec"]),
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    collection: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    weight: 2,
    base: {
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", ...plainPod } } } },
      },
    },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { jobTemplate: { spec: { template: { spec: podSpec(draw) } } } } }),
      (draw) => ({ spec: { concurrencyPolicy: draw.one(["Allow", "Forbid", "Foo"]) } }),
      (draw) =>
        draw.chance(0.3)
          ? {
              spec: { schedule: draw.one(["*/5 * * * *", "@daily", "nonsense", "", "TZ=UTC 0 0 * * *", "61 * * * *"]) },
            }
          : {},
      (draw) => (draw.chance(0.2) ? { spec: { timeZone: draw.one(["Etc/UTC", "Local", "", "Nowhere/x"]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { successfulJobsHistoryLimit: draw.one([0, 1, -1]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { startingDeadlineSeconds: draw.one([0, 1, -1]) } } : {}),
    ],
    status: [(draw) => ({ status: { lastScheduleTime: draw.one(["2026-01-01T00:00:00Z", "nonsense", null]) } })],
    mergeLists: below(["spec", "jobTemplate", "spec", "template", "spec"]),
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    collection: "/api/v1/namespaces/{ns}/pods",
    weight: 2,
    base: quietPod,
    always: { spec: { schedulerName: "nobody", automountServiceAccountToken: false } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: podSpec(draw) }),
      (draw) => ({ spec: { restartPolicy: draw.one(policies) } }),
      (draw) => (draw.chance(0.3) ? { spec: { activeDeadlineSeconds: draw.one([1000, 500, 0]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { dnsPolicy: draw.one(["Default", "None", "Foo"]) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { securityContext: { runAsUser: draw.one([0, 1000, -1]) } } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { hostNetwork: draw.chance(0.5) } } : {}),
      (draw) => (draw.chance(0.2) ? { spec: { serviceAccountName: draw.one(["default", "nobody"]) } } : {}),
      (draw) =>
        draw.chance(0.2)
          ? { spec: { initContainers: [{ name: draw.one(["i1", "c1"]), image: "i", restartPolicy: "Always" }] } }
          : {},
    ],
    status: [
      (draw) => ({ status: { phase: draw.one(["Pending", "Foo"]), message: "m" } }),
      (draw) => ({ status: { conditions: [{ ...condition(draw), type: draw.one(["x.io/a", "x.io/b"]) }] } }),
      labelled,
    ],
    mergeLists: below(["spec"]),
    posts: [
      [
        "eviction",
        (draw) => ({
          apiVersion: draw.one(["policy/v1", "policy/v1", "policy/v1beta1"]),
          kind: draw.one(["Eviction", "Eviction", "Foo"]),
          ...(draw.chance(0.4)
            ? { deleteOptions: { preconditions: draw.one([{ uid: "zz" }, { uid: "{{uid}}" }, {}]) } }
            : {}),
        }),
      ],
      [
        "binding",
        (draw) => ({
          apiVersion: "v1",
          kind: "Binding",
          target: { kind: draw.one(["Node", "Node", "Pod", ""]), name: draw.one(["nobody", ""]) },
        }),
      ],
    ],
  },
  ...volumeSubjects,
];
