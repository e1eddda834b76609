import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { pods } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { hasMember, numberIn, objectIn, objectsIn, textIn, without } from "../kinds/decoding/json-parts.ts";
import { podDisruptionBudgets } from "../kinds/resource-types.ts";
import { expectationOf } from "./expected-pods.ts";
import { labelMatcher } from "./label-lookup.ts";
import { isReady } from "./pod-state.ts";
import { record } from "./recorder.ts";
import { neighbours, ownKey, type BuiltInController, type Pass } from "./runtime.ts";

/** Component of its events. */
const component = "controllermanager";
/** How long an evicted pod may take to get a deletionTimestamp. */
const deletionMs = 2 * 60_000;

function statusIn(budget: KubeObject): JsonObject {
  return objectIn(asJson(budget), "status");
}

/** The pods that the budget selects: none without a selector, all with an empty one. */
function selectedBy(pass: Pass, budget: KubeObject): readonly Pod[] {
  const spec = objectIn(asJson(budget), "spec");
  if (!hasMember(spec, "selector")) return [];
  const selector = objectIn(spec, "selector");
  return pass.list(pods, budget.metadata.namespace ?? "").filter(labelMatcher(selector));
}

/** Recent evictions whose pods exist and have no deletionTimestamp yet. */
function pendingEvictions(budget: KubeObject, selected: readonly Pod[], nowMs: number): JsonObject {
  const evicted = Object.entries(objectIn(statusIn(budget), "disruptedPods"));
  return Object.fromEntries(
    evicted.filter(
      ([name, time]) =>
        typeof time === "string" &&
        Date.parse(time) + deletionMs >= nowMs &&
        selected.some(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined),
    ),
  );
}

function withCondition(status: JsonObject, generation: number, now: string, failure: string | undefined): JsonObject {
  const conditions = objectsIn(status, "conditions");
  const held = conditions.find(({ type }) => type === "DisruptionAllowed");
  const enough = failure === undefined && (numberIn(status, "disruptionsAllowed") ?? 0) > 0;
  const value = enough ? "True" : "False";
  const condition = {
    type: "DisruptionAllowed",
    status: value,
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    lastTransitionTime: held?.["status"] === value ? textIn(held, "lastTransitionTime") : now,
    reason: failure === undefined ? (enough ? "SufficientPods" : "InsufficientPods") : "SyncFailed",
    message: failure ?? "",
  };
  const updated =
    held === undefined ? [...conditions, condition] : conditions.map((one) => (one === held ? condition : one));
  return { ...status, conditions: updated };
}

/** The selector as Go prints it in the event about unmanaged pods. */
function goSelector(selector: JsonObject): string {
  const labels = Object.entries(objectIn(selector, "matchLabels"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : ""},`);
  const expressions = objectsIn(selector, "matchExpressions").map((expression) => {
    const values = (expression["values"] as readonly string[] | undefined) ?? [];
    return `LabelSelectorRequirement{Key:${textIn(expression, "key")},Operator:${textIn(expression, "operator")},Values:[${values.join(" ")}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

async function put(pass: Pass, budget: KubeObject, status: JsonObject): Promise<void> {
  if (deepEqual(status, statusIn(budget))) return;
  await pass.writer.replace(podDisruptionBudgets, { ...budget, status }, "status");
}

/** Maintains the status counters that the eviction subresource checks. */
export const disruptionController: BuiltInController = {
  name: "disruption-controller",
  watches: [
    { table: "poddisruptionbudgets.policy", keys: ownKey },
    { table: "pods", keys: neighbours("poddisruptionbudgets.policy") },
  ],
  reconcile: async (key, pass) => {
    const budget = pass.get(podDisruptionBudgets, parseKey(key));
    if (budget === undefined) return undefined;
    const spec = objectIn(asJson(budget), "spec");
    const selected = selectedBy(pass, budget);
    const say = async (type: "Normal" | "Warning", reason: string, message: string): Promise<void> =>
      record(pass, budget, { component, type, reason, message });
    if (selected.length === 0) await say("Normal", "NoPods", "No matching pods found");
    const found = expectationOf(pass, spec, selected);
    if (!found.ok) {
      const why = `Failed to calculate the number of expected pods: ${found.problem}`;
      await say("Warning", "CalculateExpectedPodCountFailed", why);
      const status = { ...statusIn(budget), disruptionsAllowed: 0 };
      const seen = numberIn(status, "observedGeneration") ?? 0;
      await put(pass, budget, withCondition(status, seen, pass.now(), found.problem));
      return undefined;
    }
    const { expected, desired, unmanaged } = found.value;
    if (unmanaged)
      await say(
        "Warning",
        "UnmanagedPods",
        `Pods selected by this PodDisruptionBudget (selector: ${goSelector(objectIn(spec, "selector"))}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
      );
    const disruptedPods = pendingEvictions(budget, selected, pass.nowMs());
    const healthy = selected.filter(
      (pod) =>
        pod.metadata.deletionTimestamp === undefined &&
        isReady(pod) &&
        !Object.hasOwn(disruptedPods, pod.metadata.name ?? ""),
    ).length;
    const generation = budget.metadata.generation ?? 0;
    const status = {
      ...without(statusIn(budget), "disruptedPods"),
      ...(generation === 0 ? {} : { observedGeneration: generation }),
      ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
      disruptionsAllowed: expected <= 0 ? 0 : Math.max(0, healthy - desired),
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
    };
    await put(pass, budget, withCondition(status, generation, pass.now(), undefined));
    const waits = Object.keys(disruptedPods).map(
      (name) => Date.parse(textIn(disruptedPods, name)) + deletionMs - pass.nowMs() + 1,
    );
    return waits.length === 0 ? undefined : Math.min(...waits);
  },
};
