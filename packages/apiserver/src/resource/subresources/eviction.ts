import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { matchesSelector, selectorOf, type LabelSelector } from "@purser/kubernetes/apis/selector";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { noSteps } from "@purser/kubernetes/steps";
import { admitted } from "../../admission/admission.ts";
import { numberIn, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { podDisruptionBudgets } from "../../kinds/resource-types.ts";
import type { Machinery } from "../../machinery.ts";
import { tableOf } from "../../registry/served-kind.ts";
import type { Answer } from "../../request/answer.ts";
import { answerObject } from "../../request/answer.ts";
import { writeOptions, type WriteOptions } from "../../request/query.ts";
import { badRequest, notFound } from "../../request/refusal.ts";
import { deleteOptions } from "../delete-options.ts";
import { modify } from "../modify.ts";
import { removeObject } from "../remove.ts";
import type { ObjectRequest } from "../resource-request.ts";

const evicted: Answer = answerObject(201, {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
});

function statusIn(object: KubeObject): JsonObject {
  return objectIn(asJson(object), "status");
}

function condition(object: KubeObject, type: string): JsonObject | undefined {
  return objectsIn(statusIn(object), "conditions").find((held) => held["type"] === type);
}

/** `pods/eviction`: a delete that a disruption budget may refuse and whose status records it. */
export async function evictPod(request: ObjectRequest, eviction: JsonObject): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, call, namespace = "", name } = request;
  if (textIn(objectIn(eviction, "metadata"), "name") !== name)
    return badRequest("name in URL does not match name in Eviction object");
  const pod = machinery.storage.get(kind.table, `${namespace}/${name}`);
  if (pod === undefined) return notFound(kind.type, name);
  const removal = deleteOptions(call.query, { value: { ...objectIn(eviction, "deleteOptions") }, duplicates: [] });
  if (!removal.ok) return removal;
  const written = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
  if (!written.ok) return written;
  const options = { ...written.value, dryRun: written.value.dryRun || removal.value.dryRun };
  // The request has passed admission as an eviction; the writes that follow are the server's own.
  const own = { ...request, machinery: { ...machinery, admission: admitted }, endpoint: "status" } as const;
  const spent = await spendBudget(own, pod, options);
  if (!spent.ok) return spent;
  const marked = await modify(own, {
    options,
    ownershipDone: true,
    next: (live) => noSteps(done(withTarget(live, formatTime(machinery.clock.now())))),
  });
  if (!marked.ok) return marked;
  const removed = await removeObject(own, { ...removal.value, dryRun: options.dryRun });
  return removed.ok ? done(evicted) : removed;
}

/** Sets the condition on the pod that gives the reason for its eviction. */
function withTarget(pod: KubeObject, now: string): KubeObject {
  if (condition(pod, "DisruptionTarget")?.["status"] === "True") return pod;
  const status = statusIn(pod);
  const others = objectsIn(status, "conditions").filter(({ type }) => type !== "DisruptionTarget");
  const target = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  return { ...pod, status: { ...status, conditions: [...others, target] } };
}

/** Asks the pod's budget and takes one disruption off it; pods that are pending, finished or being deleted need none. */
async function spendBudget(
  request: ObjectRequest,
  pod: KubeObject,
  options: WriteOptions,
): Promise<Result<undefined, ApiStatus>> {
  const { machinery } = request;
  const phase = textIn(statusIn(pod), "phase");
  if (pod.metadata.deletionTimestamp !== undefined || ["Succeeded", "Failed", "Pending"].includes(phase))
    return done(undefined);
  const [budget, ...more] = budgetsOf(machinery, pod);
  if (more.length > 0) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    return failed({ code: 500, reason: "", message });
  }
  if (budget === undefined || isSpare(pod, budget)) return done(undefined);
  const { group, version, plural } = podDisruptionBudgets;
  const kind = machinery.registry().at(group, version, plural);
  if (kind === undefined) return done(undefined);
  const { namespace, name = "" } = budget.metadata;
  const ofBudget = { ...request, kind, namespace, name };
  const spent = await modify(ofBudget, {
    options,
    ownershipDone: true,
    next: (live) => noSteps(oneLess(live, pod.metadata.name ?? "", formatTime(machinery.clock.now()))),
  });
  return spent.ok ? done(undefined) : spent;
}

function budgetsOf({ storage }: Machinery, pod: KubeObject): readonly KubeObject[] {
  const { namespace = "", labels } = pod.metadata;
  const budgets = storage.list(tableOf(podDisruptionBudgets), { namespace });
  return (budgets.ok ? budgets.value : []).filter((budget) => {
    const { selector } = objectIn(asJson(budget), "spec");
    const parsed = selectorOf((selector ?? {}) as LabelSelector);
    return selector !== undefined && parsed.ok && matchesSelector(parsed.value, labels);
  });
}

/** A pod that is not ready counts for nothing: it may go while enough others are healthy, or always when so agreed. */
function isSpare(pod: KubeObject, budget: KubeObject): boolean {
  if (condition(pod, "Ready")?.["status"] === "True") return false;
  if (objectIn(asJson(budget), "spec")["unhealthyPodEvictionPolicy"] === "AlwaysAllow") return true;
  const status = statusIn(budget);
  const desired = numberIn(status, "desiredHealthy") ?? 0;
  return desired > 0 && (numberIn(status, "currentHealthy") ?? 0) >= desired;
}

function tooMany(message: string, retryAfterSeconds?: number): Result<never, ApiStatus> {
  return failed(
    statusOf("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }),
  );
}

/** The budget after one more disruption, or why there is none left. */
function oneLess(budget: KubeObject, pod: string, now: string): Result<KubeObject, ApiStatus> {
  const status = statusIn(budget);
  const name = budget.metadata.name ?? "";
  const count = (key: string): number => numberIn(status, key) ?? 0;
  if (count("observedGeneration") < (budget.metadata.generation ?? 0))
    return tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = count("disruptionsAllowed");
  const held = condition(budget, "DisruptionAllowed");
  if (allowed === 0) {
    const failure = held?.["status"] === "False" ? textIn(held, "message") : "";
    if (failure !== "" && held?.["reason"] === "SyncFailed")
      return tooMany(
        `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${failure}`,
      );
    const [desired, current] = [count("desiredHealthy"), count("currentHealthy")];
    return tooMany(
      current <= desired
        ? `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`,
    );
  }
  const disruptedPods = { ...objectIn(status, "disruptedPods"), [pod]: now };
  const conditions: JsonValue =
    allowed > 1 || held === undefined
      ? (status["conditions"] ?? [])
      : objectsIn(status, "conditions").map((one) =>
          one === held ? { ...held, status: "False", reason: "InsufficientPods", lastTransitionTime: now } : one,
        );
  return done({
    ...budget,
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods, conditions },
  });
}
