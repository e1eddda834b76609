import type { Job } from "@purser/kubernetes/apis/apps";
import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { jobs, pods } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { claim, controlled, controllerReference } from "../ownership.ts";
import { createPod, deletePod, podFrom, retryLater } from "../pod-control.ts";
import { isReady } from "../pod-state.ts";
import { record } from "../recorder.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import type { Refusal } from "../writer.ts";
import { noFailures, withEnded, type Failures } from "./backoff.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { withIndex } from "./indexes.ts";
import { movesOf } from "./moves.ts";
import {
  failureCountAnnotation,
  formerFailures,
  ignoredCountAnnotation,
  isGoing,
  isTracked,
  takeCensus,
  tracking,
  type Census,
} from "./pods.ts";
import { countNoted, endedStatus, noteEnded, withCondition, withNumber, type Ledger } from "./tracking.ts";
import { completed, holds, untilDeadline, verdictOf, type Verdict } from "./verdict.ts";

const component = "job-controller";

/** Pod counts after the changes of this pass. */
interface Tally {
  active: number;
  ready: number;
  terminating: number;
}

/** Result of a pass. */
interface Outcome {
  /** Milliseconds after which the Job is reconciled again. */
  readonly after: number | undefined;
  readonly failures: Failures;
  /** Refusal of the last pod that could not be created. */
  readonly refusal: Refusal | undefined;
}

/** Removes the tracking finalizer from pods. */
async function release(pass: Pass, held: readonly Pod[]): Promise<void> {
  for (const pod of held) {
    const current = pass.get(pods, keyOf(pod));
    if (current === undefined || current.metadata.uid !== pod.metadata.uid || !isTracked(current)) continue;
    const left = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== tracking);
    const { resourceVersion = "" } = current.metadata;
    const finalizers = left.length === 0 ? null : left;
    await pass.writer.patch(pods, keyOf(pod), { metadata: { resourceVersion, finalizers } });
  }
}

/** One pass over one Job: its pods and its status counters. */
class JobSync {
  readonly #pass: Pass;
  readonly #pods: readonly Pod[];
  readonly #spec: JsonObject;
  #job: Job;
  #status: JsonObject;
  #refusal: Refusal | undefined;

  constructor(pass: Pass, job: Job, held: readonly Pod[]) {
    this.#pass = pass;
    this.#job = job;
    this.#pods = held;
    this.#spec = objectIn(asJson(job), "spec");
    const status = objectIn(asJson(job), "status");
    this.#status = { ...status, uncountedTerminatedPods: objectIn(status, "uncountedTerminatedPods") };
  }

  /** Reconciles the Job. */
  async run(failuresBefore: Failures): Promise<Outcome> {
    const spec = this.#spec;
    const census = takeCensus(spec, this.#status, this.#pods);
    const failures = withEnded(failuresBefore, census.newSucceeded, census.newFailed);
    const tally: Tally = { active: census.active.length, ready: census.ready, terminating: census.terminating };
    if (this.#status["startTime"] === undefined && spec["suspend"] !== true)
      this.#status = { ...this.#status, startTime: this.#pass.now() };
    let verdict = verdictOf(spec, this.#status, this.#pods, census, this.#pass.nowMs());
    let waits: readonly (number | undefined)[] = [];
    let isTold = false;
    if (verdict !== undefined) await this.#delete(census.active, tally);
    else {
      const isDeleted = this.#job.metadata.deletionTimestamp !== undefined;
      waits = [untilDeadline(spec, this.#status, this.#pass.nowMs())];
      if (!isDeleted) waits = [...waits, await this.#move(census, failures, tally)];
      const completions = numberIn(spec, "completions");
      if (census.succeeded >= (completions ?? 1) && tally.active === 0) verdict = completed;
      else if (!isDeleted) isTold = await this.#noteSuspension();
    }
    await this.#track(census, verdict, tally, isTold);
    const due = waits.filter((wait) => wait !== undefined);
    const after = due.length === 0 ? undefined : Math.max(1, Math.min(...due));
    return { after, failures, refusal: this.#refusal };
  }

  async #say(type: "Normal" | "Warning", reason: string, message: string): Promise<void> {
    await record(this.#pass, this.#job, { component, type, reason, message });
  }

  async #delete(held: readonly Pod[], tally: Tally): Promise<void> {
    for (const pod of held) {
      await deletePod(this.#pass, this.#job, component, pod);
      tally.active--;
      tally.terminating++;
      if (isReady(pod)) tally.ready--;
    }
  }

  /** Creates or deletes pods; milliseconds until the next one may be created when that has to wait. */
  async #move(census: Census, failures: Failures, tally: Tally): Promise<number | undefined> {
    const moves = movesOf(this.#spec, this.#pods, census, failures, this.#pass.nowMs());
    switch (moves.kind) {
      case "none":
        return undefined;
      case "wait":
        return moves.ms;
      case "delete":
        // Surplus pods are not counted.
        await release(this.#pass, moves.pods);
        await this.#delete(moves.pods, tally);
        return undefined;
      case "create":
        for (const index of moves.indexes) {
          this.#refusal = await createPod(this.#pass, this.#job, component, this.#podFor(index, census));
          if (this.#refusal !== undefined) return undefined;
          tally.active++;
        }
        return undefined;
    }
  }

  #podFor(index: number | undefined, census: Census): JsonObject {
    const template = objectAt(this.#spec, "template");
    const own = objectIn(template, "metadata")["finalizers"];
    const finalizers = Array.isArray(own) ? [...own.filter((name) => name !== tracking), tracking] : [tracking];
    const ownerReferences = [controllerReference(this.#job)];
    const pod = podFrom(this.#job, template, { finalizers, ownerReferences });
    if (index === undefined) return pod;
    const indexed = withIndex(pod, this.#job.metadata.name ?? "", index);
    if (census.indexes?.failed === undefined) return indexed;
    const metadata = objectIn(indexed, "metadata");
    const counts = this.#countsAfter(census.indexes.delayed.get(index));
    return { ...indexed, metadata: { ...metadata, annotations: { ...objectIn(metadata, "annotations"), ...counts } } };
  }

  /** Annotations with the failure count of a new pod's index. */
  #countsAfter(replaced: Pod | undefined): JsonObject {
    if (replaced === undefined) return { [failureCountAnnotation]: "0" };
    const { counted, all } = formerFailures(replaced);
    const isCounted = matchFailurePolicy(this.#spec, replaced).counted;
    const ignored = all - counted + (isCounted ? 0 : 1);
    return {
      [failureCountAnnotation]: String(counted + (isCounted ? 1 : 0)),
      ...(ignored === 0 ? {} : { [ignoredCountAnnotation]: String(ignored) }),
    };
  }

  /** Records that the Job was suspended or resumed; resolves to whether the status changed. */
  async #noteSuspension(): Promise<boolean> {
    const now = this.#pass.now();
    const isSuspended = this.#spec["suspend"] === true;
    const updated = withCondition(
      this.#status,
      isSuspended
        ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
        : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
      now,
    );
    if (!updated.changed) return false;
    const { startTime: _started, ...status } = updated.status;
    // activeDeadlineSeconds counts from resumption.
    this.#status = isSuspended ? status : { ...status, startTime: now };
    await this.#say("Normal", isSuspended ? "Suspended" : "Resumed", isSuspended ? "Job suspended" : "Job resumed");
    return true;
  }

  /** Writes the status, then removes the finalizer of counted pods, and finishes the Job when all are counted. */
  async #track(census: Census, verdict: Verdict | undefined, tally: Tally, isTold: boolean): Promise<void> {
    const { active, ready, terminating } = tally;
    const before = this.#status;
    let isStale =
      isTold ||
      active !== (numberIn(before, "active") ?? 0) ||
      ready !== before["ready"] ||
      terminating !== before["terminating"];
    this.#status = { ...withNumber(before, "active", active), ready, terminating };
    const ledger: Ledger = {
      spec: this.#spec,
      pods: this.#pods,
      census,
      verdict,
      isGoing: this.#job.metadata.deletionTimestamp !== undefined,
      now: this.#pass.now(),
    };
    const left = new Set(this.#pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""));
    const counted = countNoted(this.#status, left);
    const noted = noteEnded(ledger, counted.status);
    isStale ||= counted.changed || noted.changed;
    this.#status = noted.status;
    if (isStale) await this.#put(noted.status);
    await release(this.#pass, noted.release);
    for (const { metadata } of noted.release) left.delete(metadata.uid ?? "");
    const final = countNoted(this.#status, left);
    const ended = noted.isFull ? undefined : endedStatus(ledger, final.status, terminating);
    if (ended !== undefined || final.changed) await this.#put(ended ?? final.status);
    if (ended !== undefined && verdict !== undefined) await this.#recordEnd(verdict);
  }

  async #recordEnd({ type, reason, message }: Verdict): Promise<void> {
    if (type === "Failed") {
      await this.#say("Warning", reason, message);
      return;
    }
    const completions = numberIn(this.#spec, "completions");
    if (completions !== undefined && (numberIn(this.#status, "succeeded") ?? 0) > completions) {
      const surplus = "Too many succeeded pods running after completion count reached";
      await this.#say("Warning", "TooManySucceededPods", surplus);
    }
    await this.#say("Normal", "Completed", "Job completed");
  }

  async #put(status: JsonObject): Promise<void> {
    this.#status = status;
    const written = await this.#pass.writer.replace(jobs, { ...this.#job, status } as unknown as Job, "status");
    if (written !== undefined) this.#job = written as Job;
  }
}

/** Releases the pods of a finished Job; deletes the Job after ttlSecondsAfterFinished. */
async function afterEnd(pass: Pass, job: Job): Promise<number | undefined> {
  const spec = objectIn(asJson(job), "spec");
  const status = objectIn(asJson(job), "status");
  const held = await controlled(pass, job, pods);
  await release(
    pass,
    held.filter((pod) => !isGoing(pod) || isTracked(pod)),
  );
  const ttl = numberIn(spec, "ttlSecondsAfterFinished");
  if (ttl === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const conditions = status["conditions"];
  const end = (Array.isArray(conditions) ? (conditions as readonly JsonObject[]) : []).find(
    ({ type }) => type === "Complete" || type === "Failed",
  );
  const due = Date.parse(textIn(end ?? {}, "lastTransitionTime")) + ttl * 1000 - pass.nowMs();
  if (due > 0) return due;
  await pass.writer.remove(jobs, keyOf(job), { propagation: "Foreground", uid: job.metadata.uid ?? "" });
  return undefined;
}

/** Whether spec.managedBy names another controller. */
function isManagedElsewhere(job: Job): boolean {
  const manager = textIn(objectIn(asJson(job), "spec"), "managedBy");
  return manager !== "" && manager !== "kubernetes.io/job-controller";
}

export function jobController(): BuiltInController {
  const failures = new Map<string, { readonly uid: string; readonly held: Failures }>();
  return {
    name: component,
    watches: [{ table: "jobs.batch", keys: ownKey }, controlledBy(jobs, pods)],
    reconcile: async (key, pass) => {
      const job = pass.get(jobs, parseKey(key));
      if (job === undefined || isManagedElsewhere(job)) {
        failures.delete(key);
        return undefined;
      }
      const status = objectIn(asJson(job), "status");
      if (holds(status, "Complete") || holds(status, "Failed")) {
        failures.delete(key);
        return afterEnd(pass, job);
      }
      const { uid = "" } = job.metadata;
      const known = failures.get(key);
      const before = known?.uid === uid ? known.held : noFailures;
      const held = await claim(pass, job, pods, { finalizer: tracking });
      const outcome = await new JobSync(pass, job, held).run(before);
      if (outcome.failures.count === 0) failures.delete(key);
      else failures.set(key, { uid, held: outcome.failures });
      retryLater(outcome.refusal);
      return outcome.after;
    },
  };
}

/** Removes the finalizer from pods whose Job no longer exists. */
export const jobPodReleaser: BuiltInController = {
  name: "job-controller",
  watches: [{ table: "pods", keys: ({ key, after }) => (after !== undefined && isTracked(after as Pod) ? [key] : []) }],
  reconcile: async (key, pass) => {
    const pod = pass.get(pods, parseKey(key));
    if (pod === undefined || !isTracked(pod)) return undefined;
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner !== undefined && (owner.kind !== jobs.kind || owner.apiVersion !== "batch/v1")) return undefined;
    const { namespace = "" } = pod.metadata;
    const job = owner === undefined ? undefined : pass.get(jobs, { namespace, name: owner.name });
    if (job === undefined || job.metadata.uid !== owner?.uid) await release(pass, [pod]);
    return undefined;
  },
};
