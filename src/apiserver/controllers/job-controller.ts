import type { Pod } from "../../apis/core.ts";
import type { Job } from "../../apis/apps.ts";
import { asJson, keyOf, parseKey } from "../../apis/object.ts";
import { jobs, pods } from "../../apis/resources.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { numberIn, objectAt, objectIn, objectsIn, textIn, textsIn, withDefaults } from "../kinds/json-parts.ts";
import { formatIndexes, indexOf, parseIndexes, withIndex } from "./job-indexes.ts";
import { claim, controlled, controllerReference } from "./ownership.ts";
import { deletionOrder, isActive, isReady } from "./pod-state.ts";
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

/** Deleted and not yet ended. */
function isGoing(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded" && phase !== "Failed";
}

function tracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(tracking) === true;
}

/** What has come of a job so far; pods that ended and were not yet noted are included. */
interface Counted {
  readonly succeeded: number;
  readonly failed: number;
  readonly active: readonly Pod[];
  /** Of an indexed job: what is done. */
  readonly indexes: ReadonlySet<number> | undefined;
}

/** One pass over one job: the pods it has, the numbers it had. */
class JobSync {
  readonly #pass: Pass;
  #pods: readonly Pod[];
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
    const suspended = this.#spec["suspend"] === true;
    const resumed = !suspended && this.#condition("Suspended")?.["status"] === "True";
    // Written together with the first counters; a resumed job starts anew.
    if (!suspended && (resumed || this.#status["startTime"] === undefined))
      this.#hold({ ...this.#status, startTime: this.#pass.now() });
    const counted = this.#count();
    const verdict = this.#decided() ?? (suspended ? undefined : this.#verdict(counted));
    if (verdict !== undefined) return this.#finish(verdict);
    if (suspended) return this.#suspend(counted);
    if (resumed)
      this.#hold(this.#withCondition("Suspended", "False", { reason: "JobResumed", message: "Job resumed" }));
    const wait = this.#untilRetry(counted.failed);
    await this.#removeExcess(counted, this.#wanted(counted));
    const refusal = wait === undefined ? await this.#createMissing(counted) : undefined;
    await this.#writeProgress(counted);
    if (resumed) await this.#say("Normal", "Resumed", "Job resumed");
    retryLater(refusal);
    const deadline = this.#untilDeadline();
    return wait === undefined ? deadline : Math.min(wait, deadline ?? Infinity);
  }

  async #say(type: "Normal" | "Warning", reason: string, message: string): Promise<void> {
    await record(this.#pass, this.#job, { component, type, reason, message });
  }

  #condition(type: string): JsonObject | undefined {
    return objectsIn(this.#status, "conditions").find((held) => held["type"] === type);
  }

  /** A status that goes out with the next write. */
  #hold(status: JsonObject): void {
    this.#job = { ...this.#job, status } as unknown as Job;
  }

  /** What an earlier pass has decided and could not yet finish, because pods were still going. */
  #decided(): Verdict | undefined {
    for (const [target, type] of [
      ["FailureTarget", "Failed"],
      ["SuccessCriteriaMet", "Complete"],
    ] as const) {
      const held = this.#condition(target);
      if (held?.["status"] === "True")
        return { type, reason: textIn(held, "reason"), message: textIn(held, "message") };
    }
    return undefined;
  }

  /** Pods that a replacement is made for count as failed: those that go are among them unless the job says otherwise. */
  #hasFailed(pod: Pod): boolean {
    const phase = pod.status?.phase;
    const going = pod.metadata.deletionTimestamp !== undefined && this.#spec["podReplacementPolicy"] !== "Failed";
    return phase === "Failed" || (going && phase !== "Succeeded");
  }

  #uncounted(): { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] } {
    const left = this.#pods.filter(tracked);
    return {
      succeeded: left.filter(({ status }) => status?.phase === "Succeeded"),
      failed: left.filter((pod) => this.#hasFailed(pod)),
    };
  }

  #count(): Counted {
    const { succeeded, failed } = this.#uncounted();
    const counted = {
      failed: (numberIn(this.#status, "failed") ?? 0) + failed.length,
      active: this.#pods.filter(isActive),
    };
    if (this.#spec["completionMode"] !== "Indexed")
      return {
        ...counted,
        succeeded: (numberIn(this.#status, "succeeded") ?? 0) + succeeded.length,
        indexes: undefined,
      };
    const completions = numberIn(this.#spec, "completions") ?? 0;
    const indexes = new Set(parseIndexes(textIn(this.#status, "completedIndexes"), completions));
    for (const pod of succeeded) {
      const index = indexOf(pod);
      if (index !== undefined && index < completions) indexes.add(index);
    }
    return { ...counted, succeeded: indexes.size, indexes };
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

  /** How many pods are to be active. */
  #wanted({ succeeded, active }: Counted): number {
    const parallelism = numberIn(this.#spec, "parallelism") ?? 1;
    const completions = numberIn(this.#spec, "completions");
    // A work queue whose first worker has found it empty gets no new ones.
    if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
    return Math.max(0, Math.min(parallelism, completions - succeeded));
  }

  /** Takes away pods that are too many; nobody counts them. */
  async #removeExcess({ active }: Counted, wanted: number): Promise<void> {
    const surplus = active.toSorted(deletionOrder).slice(0, Math.max(0, active.length - wanted));
    await this.#release(surplus);
    for (const pod of surplus) await deletePod(this.#pass, this.#job, component, pod);
  }

  async #createMissing(counted: Counted): Promise<Refusal | undefined> {
    const template = objectAt(this.#spec, "template");
    const waiting =
      this.#spec["podReplacementPolicy"] === "Failed" ? this.#pods.filter((pod) => isGoing(pod)).length : 0;
    const missing = this.#wanted(counted) - counted.active.length - waiting;
    const free = counted.indexes === undefined ? undefined : this.#freeIndexes(counted, counted.indexes);
    for (let made = 0; made < missing; made++) {
      const pod = podFrom(this.#job, template, {
        finalizers: [tracking],
        ownerReferences: [controllerReference(this.#job)],
      });
      const index = free?.[made];
      if (free !== undefined && index === undefined) return undefined;
      const indexed = index === undefined ? pod : withIndex(pod, this.#job.metadata.name ?? "", index);
      const refusal = await createPod(this.#pass, this.#job, component, indexed);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #freeIndexes({ active }: Counted, done: ReadonlySet<number>): readonly number[] {
    const taken = new Set([...done, ...active.flatMap((pod) => indexOf(pod) ?? [])]);
    const completions = numberIn(this.#spec, "completions") ?? 0;
    return Array.from({ length: completions }, (_, index) => index).filter((index) => !taken.has(index));
  }

  #reload(): void {
    this.#pods = controlled(this.#pass, this.#job, pods);
  }

  /** Counts of running pods; finished ones are counted once and lose the tracking finalizer. */
  async #writeProgress(counted: Counted): Promise<void> {
    const ended = this.#pods.filter((pod) => !isActive(pod));
    this.#reload();
    await this.#put({ ...this.#counters(counted), uncountedTerminatedPods: {} });
    await this.#release(ended);
  }

  /** The status with the numbers as they are now. */
  #counters({ succeeded, failed, indexes }: Counted): JsonObject {
    const { active: _active, ready: _ready, succeeded: _succeeded, failed: _failed, ...rest } = this.#status;
    const active = this.#pods.filter(isActive);
    return {
      ...rest,
      ...(active.length === 0 ? {} : { active: active.length }),
      ready: active.filter(isReady).length,
      terminating: this.#pods.filter(isGoing).length,
      ...(succeeded === 0 ? {} : { succeeded }),
      ...(failed === 0 ? {} : { failed }),
      ...(indexes === undefined || indexes.size === 0 ? {} : { completedIndexes: formatIndexes(indexes) }),
    };
  }

  /** Notes the decision, takes away what still runs, and says that the job has ended once all of it is gone. */
  async #finish(verdict: Verdict): Promise<number | undefined> {
    const complete = verdict.type === "Complete";
    const first = complete ? "SuccessCriteriaMet" : "FailureTarget";
    for (const pod of this.#pods.filter(isActive)) await deletePod(this.#pass, this.#job, component, pod);
    this.#reload();
    const counted = this.#count();
    if (!has(this.#job, first)) {
      const uids = (held: readonly Pod[]): readonly string[] => held.map(({ metadata }) => metadata.uid ?? "");
      const left = this.#uncounted();
      const succeeded = counted.indexes === undefined ? uids(left.succeeded) : [];
      const failed = uids(left.failed);
      const before = {
        succeeded: numberIn(this.#status, "succeeded") ?? 0,
        failed: numberIn(this.#status, "failed") ?? 0,
      };
      const numbers = counted.indexes === undefined ? before : { ...before, succeeded: counted.succeeded };
      this.#hold(this.#withCondition(first, "True", verdict));
      await this.#put({
        ...this.#counters({ ...counted, ...numbers }),
        uncountedTerminatedPods: {
          ...(succeeded.length === 0 ? {} : { succeeded }),
          ...(failed.length === 0 ? {} : { failed }),
        },
      });
    }
    await this.#release(this.#pods);
    const ended = { ...this.#counters(counted), uncountedTerminatedPods: {} };
    if (this.#pods.some(isGoing)) {
      await this.#put(ended);
      return undefined;
    }
    this.#hold(ended);
    await this.#put({
      ...this.#withCondition(verdict.type, "True", verdict),
      ...(complete ? { completionTime: this.#pass.now() } : {}),
    });
    if (complete) await this.#say("Normal", "Completed", "Job completed");
    else await this.#say("Warning", verdict.reason, verdict.message);
    return this.#untilExpired();
  }

  #withCondition(
    type: string,
    status: "True" | "False",
    text: { readonly reason: string; readonly message: string },
  ): JsonObject {
    const now = this.#pass.now();
    const { reason, message } = text;
    const condition = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
    const held = objectsIn(this.#status, "conditions");
    const conditions = held.some((one) => one["type"] === type)
      ? held.map((one) => (one["type"] === type ? condition : one))
      : [...held, condition];
    return { ...this.#status, conditions };
  }

  async #suspend(counted: Counted): Promise<undefined> {
    await this.#removeExcess(counted, 0);
    const ended = this.#pods.filter((pod) => !isActive(pod));
    this.#reload();
    const { startTime: _started, ...status } = this.#counters(counted);
    const already = this.#condition("Suspended")?.["status"] === "True";
    this.#hold({ ...status, uncountedTerminatedPods: {} });
    const text = { reason: "JobSuspended", message: "Job suspended" };
    await this.#put(already ? this.#status : this.#withCondition("Suspended", "True", text));
    await this.#release(ended);
    if (!already) await this.#say("Normal", "Suspended", "Job suspended");
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
    const stored = this.#pass.get(jobs, keyOf(this.#job));
    if (stored !== undefined && deepEqual(status, objectIn(asJson(stored), "status"))) {
      this.#job = stored;
      return;
    }
    const written = await this.#pass.writer.replace(jobs, { ...this.#job, status } as unknown as Job, "status");
    if (written !== undefined) this.#job = written as Job;
  }
}

export const jobController: BuiltInController = {
  name: component,
  watches: [{ table: "jobs.batch", keys: ownKey }, controlledBy(jobs, pods)],
  reconcile: async (key, pass) => {
    const job = pass.get(jobs, parseKey(key));
    // Somebody else looks after jobs that say so.
    const manager = job === undefined ? "" : textIn(objectIn(asJson(job), "spec"), "managedBy");
    if (job === undefined || (manager !== "" && manager !== "kubernetes.io/job-controller")) return undefined;
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
