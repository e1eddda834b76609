import { asJson, parseKey } from "../../apis/object.ts";
import { pods, replicaSets } from "../../apis/resources.ts";
import type { IntOrString, Pod } from "../../apis/core.ts";
import { groupResource } from "../../apis/resource-type.ts";
import type { JsonObject } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { numberIn, objectIn } from "../kinds/json-parts.ts";
import { usedIn } from "../kinds/quota.ts";
import { podDisruptionBudgets, resourceQuotas } from "../kinds/resource-types.ts";
import { isEmptySelector, labelsMatch } from "../kinds/workload-validation.ts";
import type { StoredChange } from "../storage/storage.ts";
import { collectable, namespacedTypes } from "./known-kinds.ts";
import { controllerOf } from "./ownership.ts";
import { isActive, isReady } from "./pod-state.ts";
import { scaled } from "./rollout-numbers.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";

/** Keys of every object of a table in the changed object's namespace. */
function neighbours(table: string, pass: () => Pass | undefined): (change: StoredChange) => readonly string[] {
  return ({ key }) => {
    const storage = pass()?.storage;
    const namespace = key.slice(0, key.indexOf("/"));
    if (storage === undefined || storage.count(table) === 0) return [];
    const found = storage.list(table, { namespace });
    return found.ok ? found.value.map(({ metadata }) => `${namespace}/${metadata.name ?? ""}`) : [];
  };
}

/** Keeps `status.hard` and `status.used` of quotas. */
export function quotaController(): BuiltInController {
  let running: Pass | undefined;
  const keys = neighbours("resourcequotas", () => running);
  return {
    name: "resourcequota-controller",
    watches: [
      { table: "resourcequotas", keys: ownKey },
      ...collectable
        .filter(({ namespaced, plural }) => namespaced && plural !== "resourcequotas")
        .map((type) => ({ table: groupResource(type), keys })),
    ],
    start: (_follow, _enqueue, pass) => {
      running = pass;
    },
    reconcile: async (key, pass) => {
      const quota = pass.get(resourceQuotas, parseKey(key));
      if (quota === undefined) return undefined;
      const spec = objectIn(asJson(quota), "spec");
      const used = usedIn(pass, namespacedTypes(pass), quota.metadata.namespace ?? "", spec, pass.nowMs());
      const status = { hard: objectIn(spec, "hard"), used };
      if (deepEqual(status, objectIn(asJson(quota), "status"))) return undefined;
      await pass.writer.replace(resourceQuotas, { ...quota, status }, "status");
      return undefined;
    },
  };
}

/** How many pods a budget expects: the replicas of their controllers, or the pods themselves. */
function expectedPods(pass: Pass, namespace: string, selected: readonly Pod[]): number {
  const byController = new Map<string, number>();
  let single = 0;
  for (const pod of selected) {
    const owner = controllerOf(pod);
    const set = owner?.kind === "ReplicaSet" ? pass.get(replicaSets, { namespace, name: owner.name }) : undefined;
    if (owner === undefined || set === undefined) single++;
    else byController.set(owner.uid, set.spec?.replicas ?? 1);
  }
  return single + [...byController.values()].reduce((sum, replicas) => sum + replicas, 0);
}

/** Keeps the counters that evictions are checked against. */
export function disruptionController(): BuiltInController {
  let running: Pass | undefined;
  return {
    name: "disruption-controller",
    watches: [
      { table: "poddisruptionbudgets.policy", keys: ownKey },
      { table: "pods", keys: neighbours("poddisruptionbudgets.policy", () => running) },
    ],
    start: (_follow, _enqueue, pass) => {
      running = pass;
    },
    reconcile: async (key, pass) => {
      const budget = pass.get(podDisruptionBudgets, parseKey(key));
      if (budget === undefined) return undefined;
      const spec = objectIn(asJson(budget), "spec");
      const selector = objectIn(spec, "selector");
      const { namespace = "" } = budget.metadata;
      const selected = pass
        .list(pods, namespace)
        .filter((pod) => isActive(pod))
        .filter((pod) => isEmptySelector(selector) || labelsMatch(selector, (pod.metadata.labels ?? {}) as JsonObject));
      const expected = expectedPods(pass, namespace, selected);
      const desired =
        spec["maxUnavailable"] === undefined
          ? scaled(spec["minAvailable"] as IntOrString | undefined, expected, "up")
          : Math.max(0, expected - scaled(spec["maxUnavailable"] as IntOrString, expected, "up"));
      const healthy = selected.filter(isReady).length;
      const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
      const status = conditioned(budget.metadata.generation ?? 0, objectIn(asJson(budget), "status"), pass.now(), {
        disruptionsAllowed: allowed,
        currentHealthy: healthy,
        desiredHealthy: desired,
        expectedPods: expected,
      });
      if (deepEqual(status, objectIn(asJson(budget), "status"))) return undefined;
      await pass.writer.replace(podDisruptionBudgets, { ...budget, status }, "status");
      return undefined;
    },
  };
}

function conditioned(generation: number, before: JsonObject, now: string, counters: JsonObject): JsonObject {
  const enough = (numberIn(counters, "disruptionsAllowed") ?? 0) > 0;
  const held = Array.isArray(before["conditions"]) ? (before["conditions"][0] as JsonObject | undefined) : undefined;
  const status = enough ? "True" : "False";
  const condition = {
    type: "DisruptionAllowed",
    status,
    observedGeneration: generation,
    lastTransitionTime: held?.["status"] === status ? (held["lastTransitionTime"] ?? now) : now,
    reason: enough ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  return { ...(generation === 0 ? {} : { observedGeneration: generation }), ...counters, conditions: [condition] };
}
