import type { Job } from "@purser/kubernetes/apis/apps";
import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { jobs } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { parseSchedule } from "../../kinds/jobs/cron-schedule.ts";
import { numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { cronJobs } from "../../kinds/resource-types.ts";
import { formatIn, timeZone } from "@purser/kubernetes/time-zone";
import { dueTime, untilNext, type Past } from "./cron-job-times.ts";
import { controlled, controllerOf, controllerReference } from "../ownership.ts";
import { isEnding } from "../pod-control.ts";
import { record, referenceTo, type EventText } from "../recorder.ts";
import { ownKey, ownerKeys, type BuiltInController, type Pass } from "../runtime.ts";
import { RefusedError } from "../writer.ts";

const component = "cronjob-controller";
const stampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The Job's terminal condition; undefined while it runs. */
function endOf(job: Job): "Complete" | "Failed" | undefined {
  const end = objectsIn(objectIn(asJson(job), "status"), "conditions").find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  return end === undefined ? undefined : end["type"] === "Complete" ? "Complete" : "Failed";
}

function byStart(a: Job, b: Job): number {
  // Jobs that never started sort last.
  const order = (job: Job): string =>
    `${textIn(objectIn(asJson(job), "status"), "startTime") || "~"} ${job.metadata.name ?? ""}`;
  return order(a) < order(b) ? -1 : 1;
}

/** One pass over one CronJob: its Jobs and its new status. */
class Sync {
  readonly #pass: Pass;
  readonly #cron: KubeObject;
  readonly #spec: JsonObject;
  #jobs: readonly Job[];
  #active: readonly JsonObject[];
  #times: JsonObject;

  constructor(pass: Pass, cron: KubeObject, held: readonly Job[]) {
    const status = objectIn(asJson(cron), "status");
    const { lastScheduleTime, lastSuccessfulTime } = status;
    this.#pass = pass;
    this.#cron = cron;
    this.#spec = objectIn(asJson(cron), "spec");
    this.#jobs = held;
    this.#active = objectsIn(status, "active");
    this.#times = {
      ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    };
  }

  async run(mayStart: boolean): Promise<number | undefined> {
    await this.#forgetFinished();
    await this.#noteEnds();
    let refused: RefusedError | undefined;
    let after: number | undefined;
    try {
      if (this.#cron.metadata.deletionTimestamp === undefined) after = await this.#start(mayStart);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      refused = error;
    }
    const status = { ...(this.#active.length === 0 ? {} : { active: this.#active }), ...this.#times };
    if (!deepEqual(status, objectIn(asJson(this.#cron), "status")))
      await this.#pass.writer.replace(cronJobs, { ...this.#cron, status }, "status");
    if (refused !== undefined) throw refused;
    return after;
  }

  async #say(type: EventText["type"], reason: string, message: string): Promise<void> {
    await record(this.#pass, this.#cron, { component, type, reason, message });
  }

  async #forgetFinished(): Promise<void> {
    for (const [end, key] of [
      ["Complete", "successfulJobsHistoryLimit"],
      ["Failed", "failedJobsHistoryLimit"],
    ] as const) {
      const limit = numberIn(this.#spec, key);
      const ended = this.#jobs.filter((job) => endOf(job) === end).toSorted(byStart);
      if (limit === undefined) continue;
      for (const job of ended.slice(0, Math.max(0, ended.length - limit))) await this.#delete(job);
    }
  }

  async #delete(job: Job): Promise<void> {
    const { name = "", uid = "" } = job.metadata;
    await this.#pass.writer.remove(jobs, keyOf(job), { propagation: "Background", uid });
    this.#jobs = this.#jobs.filter((held) => held !== job);
    this.#dropActive(uid);
    await this.#say("Normal", "SuccessfulDelete", `Deleted job ${name}`);
  }

  #dropActive(uid: string): void {
    this.#active = this.#active.filter((reference) => reference["uid"] !== uid);
  }

  /** Removes Jobs that finished or were deleted from `status.active`. */
  async #noteEnds(): Promise<void> {
    for (const job of this.#jobs) {
      const { name = "", uid = "" } = job.metadata;
      const listed = this.#active.some((reference) => reference["uid"] === uid);
      const end = endOf(job);
      if (end === undefined) {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        if (!listed) await this.#say("Warning", "UnexpectedJob", message);
        continue;
      }
      if (listed) {
        this.#dropActive(uid);
        await this.#say("Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${end}`);
      }
      const completed = textIn(objectIn(asJson(job), "status"), "completionTime");
      if (end === "Complete" && completed > textIn(this.#times, "lastSuccessfulTime"))
        this.#times = { ...this.#times, lastSuccessfulTime: completed };
    }
    for (const reference of this.#active) {
      const uid = textIn(reference, "uid");
      if (this.#jobs.some((job) => job.metadata.uid === uid)) continue;
      await this.#say("Normal", "MissingJob", `Active job went missing: ${textIn(reference, "name")}`);
      this.#dropActive(uid);
    }
  }

  /** Starts the Job that is due; returns milliseconds until the next one. */
  async #start(mayStart: boolean): Promise<number | undefined> {
    const text = textIn(this.#spec, "schedule");
    const zoneName = textIn(this.#spec, "timeZone");
    const zone = timeZone(zoneName);
    if (zone === undefined) {
      const message = `invalid timeZone: ${JSON.stringify(zoneName)}: unknown time zone ${zoneName}`;
      await this.#say("Warning", "UnknownTimeZone", message);
      return undefined;
    }
    if (this.#spec["suspend"] === true) return undefined;
    const schedule = parseSchedule(text, zone);
    if (!schedule.ok) {
      const message = `unparseable schedule: ${JSON.stringify(text)} : ${schedule.problem}`;
      await this.#say("Warning", "UnparseableSchedule", message);
      return undefined;
    }
    const nowMs = this.#pass.nowMs();
    const next = (): number | undefined => untilNext(this.#past, schedule.value, nowMs);
    if (!mayStart) return next();
    const due = dueTime(this.#past, schedule.value, nowMs, true);
    if (!due.ok) {
      await this.#say("Warning", "InvalidSchedule", `invalid schedule: ${text} : ${due.problem}`);
      return undefined;
    }
    const { at, missed } = due.value;
    if (at === undefined) return next();
    if (missed === "many") {
      const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      await this.#say("Warning", "TooManyMissedTimes", message);
    }
    const { deadlineMs, lastScheduled } = this.#past;
    if (deadlineMs !== undefined && at + deadlineMs < nowMs) {
      const time = new Date(at).toUTCString().replace("GMT", "+0000");
      await this.#say("Warning", "MissSchedule", `Missed scheduled time to start a job: ${time}`);
      return next();
    }
    const name = `${this.#cron.metadata.name ?? ""}-${Math.floor(at / 60_000)}`;
    if (lastScheduled === at || this.#active.some((reference) => reference["name"] === name)) return next();
    if (this.#spec["concurrencyPolicy"] === "Forbid" && this.#active.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      await this.#say("Normal", "JobAlreadyActive", message);
      return next();
    }
    if (this.#spec["concurrencyPolicy"] === "Replace")
      for (const reference of this.#active) {
        const job = this.#jobs.find((held) => held.metadata.uid === reference["uid"]);
        if (job !== undefined) await this.#delete(job);
      }
    const created = await this.#create(name, formatIn(zone, at));
    if (created === undefined) return undefined;
    this.#active = [...this.#active, referenceTo(created)];
    this.#times = { ...this.#times, lastScheduleTime: formatTime(at) };
    return next();
  }

  get #past(): Past {
    const deadline = numberIn(this.#spec, "startingDeadlineSeconds");
    const last = textIn(this.#times, "lastScheduleTime");
    return {
      created: Date.parse(this.#cron.metadata.creationTimestamp ?? ""),
      lastScheduled: last === "" ? undefined : Date.parse(last),
      deadlineMs: deadline === undefined ? undefined : deadline * 1000,
    };
  }

  /**
   * The Job of that name, created now or by an earlier pass that failed to record it; undefined when it is not owned by
   * the CronJob.
   */
  async #create(name: string, stamp: string): Promise<KubeObject | undefined> {
    const { namespace = "" } = this.#cron.metadata;
    const template = objectIn(this.#spec, "jobTemplate");
    const metadata = objectIn(template, "metadata");
    const labels = objectIn(metadata, "labels");
    const made = await this.#pass.writer.tryCreate(
      jobs,
      {
        kind: "Job",
        apiVersion: "batch/v1",
        metadata: {
          name,
          namespace,
          ...(Object.keys(labels).length === 0 ? {} : { labels }),
          annotations: { ...objectIn(metadata, "annotations"), [stampAnnotation]: stamp },
          ownerReferences: [controllerReference(this.#cron)],
        },
        spec: objectIn(template, "spec"),
      },
      namespace,
    );
    if (made.ok) {
      await this.#say("Normal", "SuccessfulCreate", `Created job ${name}`);
      return made.value;
    }
    if (isEnding(made.problem)) return undefined;
    if (made.problem.reason === "AlreadyExists") {
      const held = this.#pass.get(jobs, { namespace, name });
      return held !== undefined && controllerOf(held)?.uid === this.#cron.metadata.uid ? held : undefined;
    }
    await this.#say("Warning", "FailedCreate", `Error creating job: ${made.problem.message}`);
    throw new RefusedError(`create job ${name}`, made.problem.code, made.problem.message);
  }
}

/** Starts Jobs on schedule. */
export function cronJobController(): BuiltInController {
  // A changed schedule counts from now on: times that it missed before are not made up for.
  const schedules = new Map<string, string>();
  return {
    name: component,
    watches: [
      { table: "cronjobs.batch", keys: ownKey },
      { table: "jobs.batch", keys: ownerKeys("CronJob") },
    ],
    reconcile: async (key, pass) => {
      const cron = pass.get(cronJobs, parseKey(key));
      if (cron === undefined) {
        schedules.delete(key);
        return undefined;
      }
      const spec = objectAt(asJson(cron), "spec");
      const schedule = `${cron.metadata.uid ?? ""} ${textIn(spec, "timeZone")} ${textIn(spec, "schedule")}`;
      const before = schedules.get(key);
      schedules.set(key, schedule);
      const isNew = before === undefined || !before.startsWith(cron.metadata.uid ?? "");
      return new Sync(pass, cron, await controlled(pass, cron, jobs)).run(isNew || before === schedule);
    },
  };
}
