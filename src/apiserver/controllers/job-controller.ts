import type { Pod } from "../../apis/core.ts";
import type { Job } from "../../apis/apps.ts";
import { asJson, keyOf, parseKey } from "../../apis/object.ts";
import { jobs, pods } from "../../apis/resources.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { numberIn, objectAt, objectIn, objectsIn, textIn, textsIn, withDefaults } from "../kinds/json-parts.ts";
import { claim, controlled, controllerReference } from "./ownership.ts";
import { isActive, isReady } from "./pod-state.ts";
import { record } from "./recorder.ts";
import { createPod, deletePod, podFrom, retryLater } from "./pod-control.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "./runtime.ts";
import type { Refusal } from "./writer.ts";

const component = "job-controller";
const tracking = "batch.kubernetes.io/job-tracking";
const firstRetryMs = 10_000;
const longestRetryMs = 600_000;

interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

function has(job: Job, type: string): boolean {
  return objectsIn(objectIn(asJson(job), "status"), "conditions").some(
    (condition) => condition["type"] === type && condition["status"] === "True",
  );
}

function tracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(tracking) === true;
}

/** One pass over one job: the pods it has, the numbers it had. */
class JobSync {
  readonly #pass: Pass;
  readonly #pods: readonly Pod[];
  #job: Job;

  constructor(pass: Pass, job: Job, held: readonly Pod[]) {
    this.#pass = pass;
    this.#job = job;
    this.#pods = held;
  }

  get #spec(): JsonObject {
    return objectIn(asJson(this.#job), "spec");
  }

  get #status(): JsonObject {
    return objectIn(asJson(this.#job), "status");
  }

  async run(): Promise<number | undefined> {
    if (has(this.#job, "Complete") || has(this.#job, "Failed")) return this.#untilExpired();
    if (this.#job.metadata.deletionTimestamp !== undefined) {
      await this.#release(this.#pods);
      return undefined;
    }
    if (this.#spec["suspend"] === true) return this.#suspend();
    // Written together with the first counters.
    if (this.#status["startTime"] === undefined) {
      this.#job = { ...this.#job, status: { ...this.#status, startTime: this.#pass.now() } } as unknown as Job;
    }
    const counted = this.#count();
    const verdict = this.#verdict(counted);
    if (verdict !== undefined) return this.#finish(verdict, counted);
    const wait = this.#untilRetry(counted.failed);
    const refusal = wait === undefined ? await this.#createMissing(counted) : undefined;
    await this.#writeProgress(counted);
    retryLater(refusal);
    const deadline = this.#untilDeadline();
    return wait === undefined ? deadline : Math.min(wait, deadline ?? Infinity);
  }

  #count(): { readonly succeeded: number; readonly failed: number; readonly active: readonly Pod[] } {
    const finished = (phase: string): number =>
      this.#pods.filter((pod) => tracked(pod) && pod.status?.phase === phase).length;
    return {
      succeeded: (numberIn(this.#status, "succeeded") ?? 0) + finished("Succeeded"),
      failed: (numberIn(this.#status, "failed") ?? 0) + finished("Failed"),
      active: this.#pods.filter(isActive),
    };
  }

  #verdict({ succeeded, failed }: { succeeded: number; failed: number }): Verdict | undefined {
    const completions = numberIn(this.#spec, "completions");
    if (failed > (numberIn(this.#spec, "backoffLimit") ?? 6)) {
      return { type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
    }
    if ((this.#untilDeadline() ?? 1) <= 0) {
      return { type: "Failed", reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };
    }
    const enough =
      completions === undefined ? succeeded > 0 && this.#pods.every((pod) => !isActive(pod)) : succeeded >= completions;
    return enough
      ? { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
      : undefined;
  }

  #untilDeadline(): number | undefined {
    const seconds = numberIn(this.#spec, "activeDeadlineSeconds");
    const start = this.#status["startTime"];
    if (seconds === undefined || typeof start !== "string") return undefined;
    return Date.parse(start) + seconds * 1000 - this.#pass.nowMs();
  }

  /** Wait after a failure, doubled each time; undefined when a pod may be made now. */
  #untilRetry(failed: number): number | undefined {
    if (failed === 0) return undefined;
    const ends = this.#pods.flatMap((pod) => {
      if (pod.status?.phase !== "Failed") return [];
      return objectsIn(objectIn(asJson(pod), "status"), "containerStatuses").map((container) =>
        Date.parse(textIn(objectAt(container, "state", "terminated"), "finishedAt")),
      );
    });
    const last = Math.max(...ends.filter((end) => !Number.isNaN(end)));
    const due = last + Math.min(longestRetryMs, firstRetryMs * 2 ** (failed - 1)) - this.#pass.nowMs();
    return Number.isFinite(due) && due > 0 ? due : undefined;
  }

  async #createMissing(counted: { succeeded: number; active: readonly Pod[] }): Promise<Refusal | undefined> {
    const parallelism = numberIn(this.#spec, "parallelism") ?? 1;
    const completions = numberIn(this.#spec, "completions");
    const wanted = completions === undefined ? parallelism : Math.min(parallelism, completions - counted.succeeded);
    const template = objectAt(this.#spec, "template");
    for (let made = counted.active.length; made < wanted; made++) {
      const pod = podFrom(this.#job, template, {
        finalizers: [tracking],
        ownerReferences: [controllerReference(this.#job)],
      });
      const refusal = await createPod(this.#pass, this.#job, component, pod);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Counts of running pods; finished ones are counted once and lose the tracking finalizer. */
  async #writeProgress(counted: { succeeded: number; failed: number }): Promise<void> {
    const current = controlled(this.#pass, this.#job, pods);
    await this.#put({ ...this.#counters(counted, current.filter(isActive)), uncountedTerminatedPods: {} });
    await this.#release(this.#pods.filter((pod) => !isActive(pod)));
  }

  #counters(counted: { succeeded: number; failed: number }, active: readonly Pod[]): JsonObject {
    const { active: _active, ready: _ready, succeeded: _succeeded, failed: _failed, ...rest } = this.#status;
    return {
      ...rest,
      ...(active.length === 0 ? {} : { active: active.length }),
      ready: active.filter(isReady).length,
      terminating: 0,
      ...(counted.succeeded === 0 ? {} : { succeeded: counted.succeeded }),
      ...(counted.failed === 0 ? {} : { failed: counted.failed }),
    };
  }

  async #finish(
    verdict: Verdict,
    counted: { succeeded: number; failed: number; active: readonly Pod[] },
  ): Promise<number | undefined> {
    const complete = verdict.type === "Complete";
    const first = complete ? "SuccessCriteriaMet" : "FailureTarget";
    const uids = (phase: string): readonly string[] =>
      this.#pods.filter((pod) => tracked(pod) && pod.status?.phase === phase).map((pod) => pod.metadata.uid ?? "");
    if (!has(this.#job, first)) {
      const [succeeded, failed] = [uids("Succeeded"), uids("Failed")];
      const uncounted = {
        ...(succeeded.length === 0 ? {} : { succeeded }),
        ...(failed.length === 0 ? {} : { failed }),
      };
      await this.#put({ ...this.#withCondition(first, verdict), uncountedTerminatedPods: uncounted });
    }
    for (const pod of counted.active) await deletePod(this.#pass, this.#job, component, pod);
    await this.#release(this.#pods);
    const failed = complete ? counted.failed : counted.failed + counted.active.length;
    const ended = this.#counters({ succeeded: counted.succeeded, failed }, []);
    await this.#put({
      ...ended,
      conditions: this.#withCondition(verdict.type, verdict)["conditions"],
      uncountedTerminatedPods: {},
      ...(complete ? { completionTime: this.#pass.now() } : {}),
    });
    await record(this.#pass, this.#job, {
      component,
      type: complete ? "Normal" : "Warning",
      reason: complete ? "Completed" : verdict.reason,
      message: complete ? "Job completed" : verdict.message,
    });
    return this.#untilExpired();
  }

  #withCondition(type: string, { reason, message }: Verdict): JsonObject {
    const now = this.#pass.now();
    const held = objectsIn(this.#status, "conditions");
    const condition = { type, status: "True", lastProbeTime: now, lastTransitionTime: now, reason, message };
    return { ...this.#status, conditions: [...held, condition] };
  }

  async #suspend(): Promise<undefined> {
    for (const pod of this.#pods.filter(isActive)) {
      await this.#pass.writer.remove(pods, keyOf(pod), { uid: pod.metadata.uid ?? "" });
    }
    await this.#release(this.#pods.filter((pod) => !isActive(pod)));
    if (has(this.#job, "Suspended")) return undefined;
    const verdict: Verdict = { type: "Failed", reason: "JobSuspended", message: "Job suspended" };
    await this.#put(this.#withCondition("Suspended", verdict));
    await record(this.#pass, this.#job, { component, type: "Normal", reason: "Suspended", message: "Job suspended" });
    return undefined;
  }

  async #release(held: readonly Pod[]): Promise<void> {
    for (const pod of held) {
      const current = this.#pass.get(pods, keyOf(pod));
      if (current === undefined || !tracked(current)) continue;
      const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== tracking);
      const { resourceVersion = "" } = current.metadata;
      await this.#pass.writer.patch(pods, keyOf(pod), {
        metadata: { resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers },
      });
    }
  }

  /** A finished job with a time to live deletes itself. */
  async #untilExpired(): Promise<number | undefined> {
    await this.#release(this.#pods.filter((pod) => !isActive(pod)));
    const ttl = numberIn(this.#spec, "ttlSecondsAfterFinished");
    if (ttl === undefined) return undefined;
    const end = objectsIn(this.#status, "conditions").find(({ type }) => type === "Complete" || type === "Failed");
    const due = Date.parse(textIn(end ?? {}, "lastTransitionTime")) + ttl * 1000 - this.#pass.nowMs();
    if (due > 0) return due;
    await this.#pass.writer.remove(jobs, keyOf(this.#job), {
      propagation: "Foreground",
      uid: this.#job.metadata.uid ?? "",
    });
    return undefined;
  }

  async #put(status: JsonObject): Promise<void> {
    const next = { ...this.#job, status } as unknown as Job;
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    const written = await this.#pass.writer.replace(jobs, next, "status");
    if (written !== undefined) this.#job = written as Job;
  }
}

export const jobController: BuiltInController = {
  name: component,
  watches: [{ table: "jobs.batch", keys: ownKey }, controlledBy(jobs, pods)],
  reconcile: async (key, pass) => {
    const job = pass.get(jobs, parseKey(key));
    if (job === undefined) return undefined;
    return new JobSync(pass, job, await claim(pass, job, pods)).run();
  },
};

/** Pods whose job is gone still carry its finalizer: nobody counts them any more. */
export const jobPodReleaser: BuiltInController = {
  name: "job-controller",
  watches: [{ table: "pods", keys: ({ key, after }) => (after !== undefined && tracked(after as Pod) ? [key] : []) }],
  reconcile: async (key, pass) => {
    const pod = pass.get(pods, parseKey(key));
    if (pod === undefined || !tracked(pod)) return undefined;
    const owner = pod.metadata.ownerReferences?.find(({ kind, controller }) => kind === "Job" && controller === true);
    const { namespace = "" } = pod.metadata;
    const job = owner === undefined ? undefined : pass.get(jobs, { namespace, name: owner.name });
    if (job !== undefined && job.metadata.uid === owner?.uid) return undefined;
    const left = textsIn(objectIn(asJson(pod), "metadata"), "finalizers").filter((finalizer) => finalizer !== tracking);
    const finalizers: JsonValue = left.length === 0 ? null : left;
    await pass.writer.patch(pods, keyOf(pod), withDefaults({ metadata: { finalizers } }, {}));
    return undefined;
  },
};
