import type { ReplicaSet } from "@purser/kubernetes/apis/apps";
import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { pods, replicaSets } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectAt } from "../kinds/decoding/json-parts.ts";
import { withCondition, withoutCondition, type Conditions } from "./deployments/status.ts";
import { claim, controlled, controlledByUid, controllerOf, controllerReference } from "./ownership.ts";
import { scaleDownOrder } from "./deletion-order.ts";
import { createPod, deletePod, podFrom, retryLater } from "./pod-control.ts";
import { isActive, isAvailable, isReady, untilAvailable } from "./pod-state.ts";
import { replicasOf } from "./deployments/numbers.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "./runtime.ts";
import type { Refusal } from "./writer.ts";

const component = "replicaset-controller";

async function createPods(pass: Pass, set: ReplicaSet, count: number): Promise<Refusal | undefined> {
  const template = objectAt(asJson(set), "spec", "template");
  for (let made = 0; made < count; made++) {
    const pod = podFrom(set, template, { ownerReferences: [controllerReference(set)] });
    const refusal = await createPod(pass, set, component, pod);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The first `count` pods in deletion order. */
async function surplusOf(pass: Pass, set: ReplicaSet, active: readonly Pod[], count: number): Promise<readonly Pod[]> {
  if (count <= 0 || count >= active.length) return active.slice(0, Math.max(0, count));
  const owner = controllerOf(set);
  const siblings = owner === undefined ? [] : await controlledByUid(pass, owner.uid, replicaSets);
  const related: Pod[] = [];
  for (const sibling of siblings) related.push(...(await controlled(pass, sibling, pods)));
  return active.toSorted(scaleDownOrder(related, pass.nowMs())).slice(0, count);
}

function minimumMs(set: ReplicaSet): number {
  return (set.spec?.minReadySeconds ?? 0) * 1000;
}

function statusFrom(set: ReplicaSet, mine: readonly Pod[], refusal: Refusal | undefined, pass: Pass): JsonObject {
  const active = mine.filter(isActive);
  const labels = objectAt(asJson(set), "spec", "template", "metadata", "labels");
  const full = active.filter((pod) =>
    Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value),
  );
  const minimum = minimumMs(set);
  const available = active.filter((pod) => isAvailable(pod, minimum, pass.nowMs()));
  let conditions: Conditions = set.status?.conditions ?? [];
  if (refusal === undefined) conditions = withoutCondition(conditions, "ReplicaFailure");
  else {
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: refusal.message };
    conditions = withCondition(conditions, failure, pass.now()).map(
      ({ lastUpdateTime: _unused, ...condition }) => condition,
    );
  }
  const count = (key: string, value: number): JsonObject => (value === 0 ? {} : { [key]: value });
  return {
    replicas: active.length,
    ...count("fullyLabeledReplicas", full.length),
    ...count("readyReplicas", active.filter(isReady).length),
    ...count("availableReplicas", available.length),
    terminatingReplicas: mine.filter((pod) => pod.metadata.deletionTimestamp !== undefined).length,
    ...count("observedGeneration", set.metadata.generation ?? 0),
    ...(conditions.length === 0 ? {} : { conditions: conditions as unknown as readonly JsonObject[] }),
  };
}

export const replicaSetController: BuiltInController = {
  name: component,
  watches: [{ table: "replicasets.apps", keys: ownKey }, controlledBy(replicaSets, pods)],
  reconcile: async (key, pass) => {
    const set = pass.get(replicaSets, parseKey(key));
    if (set === undefined) return undefined;
    const mine = await claim(pass, set, pods);
    let refusal: Refusal | undefined;
    if (set.metadata.deletionTimestamp === undefined) {
      const active = mine.filter(isActive);
      const missing = replicasOf(set) - active.length;
      if (missing > 0) refusal = await createPods(pass, set, missing);
      for (const pod of await surplusOf(pass, set, active, -missing)) await deletePod(pass, set, component, pod);
    }
    const current = pass.get(replicaSets, parseKey(key));
    if (current === undefined || current.metadata.uid !== set.metadata.uid) return undefined;
    const now = await controlled(pass, set, pods);
    // Counted before this pass changes anything: the next pass sees the created and deleted pods.
    const status = statusFrom(current, mine, refusal, pass);
    if (!deepEqual(status, (current.status ?? {}) as JsonObject)) {
      await pass.writer.replace(replicaSets, { ...current, status } as unknown as ReplicaSet, "status");
    }
    retryLater(refusal);
    return untilAvailable(now, minimumMs(current), pass.nowMs());
  },
};
