import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ProgressionProbe } from "../../apis/v1/cluster-object-set.ts";
import { defaultProbes } from "./default-probes.ts";
import { probeFaults } from "./probes.ts";

const available = { type: "Available", status: "True" };

/** A Deployment of generation 2. */
function deployment(status: object | undefined, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", namespace: "ns", generation: 2, labels },
    ...(status === undefined ? {} : { status }),
  };
}

const ready = { updatedReplicas: 1, replicas: 1, conditions: [available] };
const labelled: ProgressionProbe = {
  selector: { type: "Label", label: { matchLabels: { probed: "yes" } } },
  assertions: [{ type: "FieldValue", fieldValue: { fieldPath: "status.phase", value: "Active" } }],
};
const table: readonly (readonly [string, KubeObject, readonly string[]])[] = [
  ["a Deployment that is ready passes", deployment({ ...ready, observedGeneration: 2 }), []],
  ["a Deployment whose status names no generation is judged by it", deployment(ready), []],
  [
    "a status of an older generation says nothing, also where it looks ready",
    deployment({ ...ready, observedGeneration: 1 }),
    [".status outdated"],
  ],
  [
    "a status of a newer generation says nothing either",
    deployment({ ...ready, observedGeneration: 3 }),
    [".status outdated"],
  ],
  [
    "a status of an older generation is reported once, not its faults",
    deployment({ updatedReplicas: 0, replicas: 1, observedGeneration: 1 }),
    [".status outdated"],
  ],
  [
    "a condition of an older generation is outdated, also where it is as wanted",
    deployment({ ...ready, observedGeneration: 2, conditions: [{ ...available, observedGeneration: 1 }] }),
    ['.status.condition["Available"] outdated'],
  ],
  [
    "a condition of this generation is judged",
    deployment({ ...ready, conditions: [{ ...available, observedGeneration: 2 }] }),
    [],
  ],
  [
    "each fault is reported",
    deployment({ updatedReplicas: 1, replicas: 2, conditions: [{ type: "Available", status: "False" }] }),
    ['"status.updatedReplicas" != "status.replicas" expected: 1 got: 2', '.status.condition["Available"] is False'],
  ],
  [
    "a Deployment without a status lacks all of it",
    deployment(undefined),
    ['"status.updatedReplicas" missing', "missing .status.conditions"],
  ],
  [
    "a list without the condition lacks it",
    deployment({ ...ready, conditions: [] }),
    ['missing .status.condition["Available"]'],
  ],
  [
    "an object that a label selects is asked for its field",
    deployment({ ...ready, phase: "Gone" }, { probed: "yes" }),
    ['value at key "status.phase" != "Active"; expected: "Active" got: "Gone"'],
  ],
  ["an object that no probe selects passes", { ...deployment({ observedGeneration: 1 }), kind: "DaemonSet" }, []],
];

for (const [what, object, faults] of table)
  test(what, () => assert.deepEqual(probeFaults(object, [...defaultProbes, labelled]), faults));
