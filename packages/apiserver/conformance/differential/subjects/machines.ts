import type { JsonObject } from "@purser/kubernetes/json";
import { annotated, labelled, metadata, plainPod, quantities, template } from "./fragments.ts";
import type { Subject } from "./subject.ts";

const account: JsonObject = { automountServiceAccountToken: false, schedulerName: "nobody" };

/** Kinds of the cluster and its controllers. Writes that would change the cluster are dry runs. */
export const machineSubjects: readonly Subject[] = [
  {
    apiVersion: "v1",
    kind: "Node",
    collection: "/api/v1/nodes",
    weight: 0.7,
    names: ["{ns}-x", "{ns}-y"],
    dryRunOnly: true,
    base: {},
    fragments: [
      labelled,
      annotated,
      (draw) => ({
        spec: {
          taints: draw.some(["k", "k", "bad key"], 0, 2).map((key) => ({
            key,
            effect: draw.one(["NoSchedule", "NoExecute", "Foo", ""]),
            ...(draw.chance(0.3) ? { value: draw.one(["v", "no good"]) } : {}),
          })),
        },
      }),
      (draw) => ({ spec: { unschedulable: draw.chance(0.5) } }),
      (draw) => (draw.chance(0.3) ? { spec: { podCIDR: draw.one(["10.9.0.0/24", "x"]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { providerID: draw.one(["p", ""]) } } : {}),
      (draw) => ({ status: { capacity: { cpu: draw.one(quantities), "x.io/a": draw.one(["1", "1.5"]) } } }),
    ],
    status: [],
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    collection: "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
    weight: 0.7,
    names: ["cr-x", "cr-y"],
    base: { revision: 1, data: { a: "b" } },
    fragments: [
      ...metadata,
      (draw) => ({ revision: draw.one([1, 2, 0, -1]) }),
      (draw) => (draw.chance(0.4) ? { data: draw.one<JsonObject>([{ a: "c" }, { b: [1] }, {}]) } : {}),
    ],
    status: [],
  },
  {
    // spec.managedBy names another controller, so the built-in one leaves its status alone.
    apiVersion: "batch/v1",
    kind: "Job",
    collection: "/apis/batch/v1/namespaces/{ns}/jobs",
    weight: 1,
    names: ["managed-x", "managed-y"],
    base: {
      spec: { managedBy: "x.io/c", template: { spec: { restartPolicy: "Never", ...plainPod, ...account } } },
    },
    always: { spec: { managedBy: "x.io/c" } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { parallelism: draw.one([0, 1, 2]), completions: draw.one([1, 2, 0]) } }),
      (draw) => (draw.chance(0.4) ? { spec: { completionMode: "Indexed", completions: 2 } } : {}),
      (draw) => ({ spec: { suspend: draw.chance(0.5) } }),
      (draw) => (draw.chance(0.3) ? { spec: { backoffLimitPerIndex: draw.one([0, 1]) } } : {}),
      (draw) => (draw.chance(0.3) ? { spec: { maxFailedIndexes: draw.one([0, 1, 9]) } } : {}),
      (draw) =>
        draw.chance(0.3)
          ? {
              spec: {
                podFailurePolicy: {
                  rules: [
                    {
                      action: draw.one(["FailJob", "Ignore", "Count", "FailIndex", "Foo", ""]),
                      ...draw.one<JsonObject>([
                        {
                          onExitCodes: {
                            operator: draw.one(["In", "NotIn"]),
                            values: draw.one([[1, 2], [2, 1], [0], []]),
                          },
                        },
                        { onPodConditions: [{ type: "DisruptionTarget", status: draw.one(["True", "Foo"]) }] },
                        {},
                      ]),
                    },
                  ],
                },
              },
            }
          : {},
      (draw) =>
        draw.chance(0.2)
          ? {
              spec: {
                successPolicy: { rules: draw.one([[{ succeededCount: 1 }], [{ succeededIndexes: "0-9" }], []]) },
              },
            }
          : {},
      (draw) => (draw.chance(0.2) ? { spec: { selector: { matchLabels: { a: "b" } } } } : {}),
      (draw) =>
        draw.chance(0.2)
          ? { spec: { manualSelector: true, selector: { matchLabels: { a: "b" } }, template: template({}) } }
          : {},
    ],
    status: [
      (draw) => ({
        status: { active: draw.one([0, 1, -1]), failed: draw.one([0, 1]), succeeded: draw.one([0, 1, 2]) },
      }),
      (draw) => ({ status: { ready: draw.one([0, 1]), terminating: draw.one([0, 1]) } }),
      (draw) => ({ status: { startTime: draw.one(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]) } }),
      (draw) => ({ status: { completionTime: draw.one(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]) } }),
      (draw) => ({
        status: {
          conditions: draw
            .some(["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget", "Suspended"], 0, 3)
            .map((type) => ({ type, status: draw.one(["True", "True", "False"]) })),
        },
      }),
      (draw) => ({ status: { completedIndexes: draw.one(["0", "0-1", "1,0", "9", "x", ""]) } }),
      (draw) => (draw.chance(0.4) ? { status: { failedIndexes: draw.one(["1", "0-1", ""]) } } : {}),
      (draw) =>
        draw.chance(0.3) ? { status: { uncountedTerminatedPods: { succeeded: draw.some(["a", "a", ""], 0, 2) } } } : {},
    ],
  },
];
