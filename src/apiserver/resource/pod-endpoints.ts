import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { matchesSelector, selectorOf } from "../../apis/selector.ts";
import type { LabelSelector } from "../../apis/selector.ts";
import { statusOf } from "../../apis/status.ts";
import type { JsonObject } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import { admitted } from "../admission/admission.ts";
import type { Call, Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import { answerObject } from "../request/answer.ts";
import { writeOptions } from "../request/query.ts";
import { conflict, notFound } from "../request/refusal.ts";
import { deleteOptions } from "./delete-options.ts";
import { modify } from "./modify.ts";
import { removeObject } from "./remove.ts";

interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
}

const created: Answer = answerObject(201, {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
});

function partOf(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : {};
}

/** `pods/binding`: gives a pod its node, once. */
export async function bindPod(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  binding: JsonObject,
): Promise<Result<Answer, ApiStatus>> {
  const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!options.ok) return options;
  const node = member(partOf(binding, "target"), "name");
  const bound = await modify({ ...machinery, admission: admitted }, call, {
    kind,
    ...target,
    endpoint: "binding",
    options: options.value,
    ownershipDone: true,
    put: false,
    next: (live) => {
      const spec = partOf(asJson(live), "spec");
      const held = member(spec, "nodeName");
      if (typeof held === "string" && held !== "")
        return conflict(
          { ...kind.type, plural: "pods/binding" },
          target.name,
          `pod ${target.name} is already assigned to node ${JSON.stringify(held)}`,
        );
      return done({ ...live, spec: { ...spec, nodeName: typeof node === "string" ? node : "" } });
    },
  });
  return bound.ok ? done(created) : bound;
}

/** `pods/eviction`: a delete that disruption budgets may refuse. */
export async function evictPod(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  eviction: JsonObject,
): Promise<Result<Answer, ApiStatus>> {
  const { namespace = "", name } = target;
  const pod = machinery.storage.get(kind.table, `${namespace}/${name}`);
  if (pod === undefined) return notFound(kind.type, name);
  const budget = budgetOf(machinery, namespace, pod);
  if (budget !== undefined && counted(budget, "disruptionsAllowed") <= 0)
    return failed(
      statusOf("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
        causes: [
          {
            reason: "DisruptionBudget",
            message: `The disruption budget ${budget.metadata.name ?? ""} needs ${counted(budget, "desiredHealthy")} healthy pods and has ${counted(budget, "currentHealthy")} currently`,
          },
        ],
      }),
    );
  const options = deleteOptions(call.query, { value: { ...partOf(eviction, "deleteOptions") }, duplicates: [] });
  if (!options.ok) return options;
  const removed = await removeObject({ ...machinery, admission: admitted }, kind, call, target, options.value);
  return removed.ok ? done(created) : removed;
}

function budgetOf({ storage }: Machinery, namespace: string, pod: KubeObject): KubeObject | undefined {
  const budgets = storage.list("poddisruptionbudgets.policy", { namespace });
  return budgets.ok
    ? budgets.value.find((budget) => {
        const selector = selectorOf(partOf(partOf(asJson(budget), "spec"), "selector") as LabelSelector);
        return selector.ok && matchesSelector(selector.value, pod.metadata.labels);
      })
    : undefined;
}

function counted(budget: KubeObject, counter: "desiredHealthy" | "currentHealthy" | "disruptionsAllowed"): number {
  const count = member(partOf(asJson(budget), "status"), counter);
  return typeof count === "number" ? count : 0;
}
