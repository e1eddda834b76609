import type { ReplicaSet } from "../../apis/apps.ts";
import type { Pod } from "../../apis/core.ts";
import { asJson, parseKey } from "../../apis/object.ts";
import { pods, replicaSets } from "../../apis/resources.ts";
import type { JsonObject } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { objectAt, objectIn } from "../kinds/json-parts.ts";
import { withCondition, withoutCondition, type Conditions } from "./deployment-status.ts";
import { claim, controllerReference } from "./ownership.ts";
import { availableAt, deletionOrder, isActive, isReady } from "./pod-state.ts";
import { record } from "./recorder.ts";
import { replicasOf } from "./rollout-numbers.ts";
import { ownKey, ownerKeys, type BuiltInController, type Pass } from "./runtime.ts";
import { RefusedError, type Refusal } from "./writer.ts";

const component = "replicaset-controller";

/** A pod as a controller's template describes it, under a generated name. */
export function podFrom(
  owner: { readonly metadata: { readonly name?: string } },
  template: JsonObject,
  more: JsonObject,
): JsonObject {
  const metadata = objectIn(template, "metadata");
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generateName: `${owner.metadata.name ?? ""}-`,
      ...(metadata["labels"] === undefined ? {} : { labels: metadata["labels"] }),
      ...(metadata["annotations"] === undefined ? {} : { annotations: metadata["annotations"] }),
      ...(metadata["finalizers"] === undefined ? {} : { finalizers: metadata["finalizers"] }),
      ...more,
    },
    spec: objectIn(template, "spec"),
  };
}

async function createPods(pass: Pass, set: ReplicaSet, count: number): Promise<Refusal | undefined> {
  const namespace = set.metadata.namespace ?? "";
  const template = objectAt(asJson(set), "spec", "template");
  for (let made = 0; made < count; made++) {
    const pod = podFrom(set, template, { ownerReferences: [controllerReference(set)] });
    const created = await pass.writer.tryCreate(pods, pod, namespace);
    if (!created.ok) {
      const { problem } = created;
      // A terminating namespace takes nothing new: neither an event nor another try would help.
      if (problem.message.includes("because it is being terminated")) return undefined;
      const message = `Error creating: ${problem.message}`;
      await record(pass, set, { component, type: "Warning", reason: "FailedCreate", message });
      return problem;
    }
    const message = `Created pod: ${created.value.metadata.name ?? ""}`;
    await record(pass, set, { component, type: "Normal", reason: "SuccessfulCreate", message });
  }
  return undefined;
}

async function deletePods(pass: Pass, set: ReplicaSet, active: readonly Pod[], count: number): Promise<void> {
  for (const pod of active.toSorted(deletionOrder).slice(0, count)) {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    await pass.writer.remove(pods, { namespace, name }, { uid });
    const message = `Deleted pod: ${name}`;
    await record(pass, set, { component, type: "Normal", reason: "SuccessfulDelete", message });
  }
}

function statusFrom(set: ReplicaSet, mine: readonly Pod[], refusal: Refusal | undefined, pass: Pass): JsonObject {
  const active = mine.filter(isActive);
  const labels = objectAt(asJson(set), "spec", "template", "metadata", "labels");
  const full = active.filter((pod) =>
    Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value),
  );
  const minimum = (set.spec?.minReadySeconds ?? 0) * 1000;
  const available = active.filter((pod) => (availableAt(pod, minimum) ?? Infinity) <= pass.nowMs());
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

/** When the next ready pod will have been ready long enough. */
function untilAvailable(set: ReplicaSet, mine: readonly Pod[], nowMs: number): number | undefined {
  const minimum = (set.spec?.minReadySeconds ?? 0) * 1000;
  if (minimum === 0) return undefined;
  const waits = mine.flatMap((pod) => {
    const at = availableAt(pod, minimum);
    return at !== undefined && at > nowMs ? [at - nowMs] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

export const replicaSetController: BuiltInController = {
  name: component,
  watches: [
    { table: "replicasets.apps", keys: ownKey },
    { table: "pods", keys: ownerKeys("ReplicaSet") },
  ],
  reconcile: async (key, pass) => {
    const set = pass.get(replicaSets, parseKey(key));
    if (set === undefined) return undefined;
    const mine = await claim(pass, set, pods);
    let refusal: Refusal | undefined;
    if (set.metadata.deletionTimestamp === undefined) {
      const active = mine.filter(isActive);
      const missing = replicasOf(set) - active.length;
      if (missing > 0) refusal = await createPods(pass, set, missing);
      else if (missing < 0) await deletePods(pass, set, active, -missing);
    }
    const current = pass.get(replicaSets, parseKey(key));
    if (current === undefined || current.metadata.uid !== set.metadata.uid) return undefined;
    const { namespace = "", uid } = set.metadata;
    const now = pass
      .list(pods, namespace)
      .filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true));
    const status = statusFrom(current, now, refusal, pass);
    if (!deepEqual(status, (current.status ?? {}) as JsonObject)) {
      await pass.writer.replace(replicaSets, { ...current, status } as unknown as ReplicaSet, "status");
    }
    if (refusal !== undefined) throw new RefusedError("create a pod", refusal.code, refusal.message);
    return untilAvailable(current, now, pass.nowMs());
  },
};
