import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { pods } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { controllerRevisions, statefulSets } from "../../kinds/resource-types.ts";
import { claim } from "../ownership.ts";
import { isEnding } from "../pod-control.ts";
import { isAvailable, untilAvailable } from "../pod-state.ts";
import { record } from "../recorder.ts";
import {
  forgetRevisions,
  historyOf,
  revisionHash,
  templateOf,
  type History,
  type Revision,
} from "../revision-history.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { createClaims, hasStaleClaim, keepOrGiveClaims, type Member } from "./stateful-set-claims.ts";
import {
  isWanted,
  memberExcerpts,
  ordinalOf,
  ordinalsOf,
  repairedPod,
  revisionLabel,
  statefulPod,
} from "./stateful-set-pods.ts";
import {
  isRunningAndReady,
  isStale,
  isTerminating,
  isUnavailable,
  minimumReadyMs,
  statefulStatus,
} from "./stateful-set-status.ts";
import { RefusedError } from "../writer.ts";

const component = "statefulset-controller";
const naming = {
  hashLabel: "controller.kubernetes.io/hash",
  hash: (_data: JsonObject, text: string, collisions: number) => revisionHash(`${text}${collisions}`),
};

function nameOf(object: KubeObject | undefined): string {
  return object?.metadata.name ?? "";
}

/** One pass over one StatefulSet: its pods and revisions. */
class Sync {
  readonly #pass: Pass;
  readonly #set: KubeObject;
  readonly #pods: readonly Pod[];
  readonly #update: Revision;
  readonly #current: Revision;
  readonly #ordered: boolean;
  readonly #minimum: number;
  #replaced = 0;

  constructor(pass: Pass, set: KubeObject, held: readonly Pod[], history: History) {
    this.#pass = pass;
    this.#set = set;
    this.#pods = held;
    this.#update = history.current;
    const named = textIn(objectIn(asJson(set), "status"), "currentRevision");
    this.#current = history.all.find((revision) => nameOf(revision) === named) ?? history.current;
    this.#ordered = objectIn(asJson(set), "spec")["podManagementPolicy"] !== "Parallel";
    this.#minimum = minimumReadyMs(set);
  }

  get #spec(): JsonObject {
    return objectIn(asJson(this.#set), "spec");
  }

  /** Updates the pods, then the status, which is also written after a refused write. */
  async run(collisions: number): Promise<number | undefined> {
    let refused: RefusedError | undefined;
    try {
      await this.#work();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      refused = error;
    }
    const revisions = { current: nameOf(this.#current), update: nameOf(this.#update), collisions };
    const facts = { replaced: this.#replaced, nowMs: this.#pass.nowMs() };
    const status = statefulStatus(this.#set, this.#pods, revisions, facts);
    if (isStale(this.#set, status)) await this.#pass.writer.replace(statefulSets, { ...this.#set, status }, "status");
    if (refused !== undefined) throw refused;
    return untilAvailable(this.#pods, this.#minimum, this.#pass.nowMs());
  }

  /** Whether a pod or the status refers to the revision. */
  isLive(revision: Revision): boolean {
    const name = nameOf(revision);
    return (
      name === nameOf(this.#current) ||
      name === nameOf(this.#update) ||
      this.#pods.some((pod) => pod.metadata.labels?.[revisionLabel] === name)
    );
  }

  async #work(): Promise<void> {
    const wanted = ordinalsOf(this.#set);
    const known = this.#pods.flatMap((pod): readonly Member[] => {
      const ordinal = ordinalOf(this.#set, pod);
      return ordinal === undefined ? [] : [{ name: nameOf(pod), ordinal, pod }];
    });
    const byOrdinal = new Map(known.map((member) => [member.ordinal, member]));
    const members = Array.from({ length: wanted.count }, (_, index): Member => {
      const ordinal = wanted.start + index;
      return byOrdinal.get(ordinal) ?? this.#missing(ordinal);
    });
    const condemned = known
      .filter(({ ordinal }) => !isWanted(wanted, ordinal))
      .toSorted((a, b) => b.ordinal - a.ordinal);
    const firstUnhealthy = [...members, ...condemned.toReversed()].find((member) => this.#isUnavailable(member));
    for (const member of members) if ((await this.#keep(member)) && this.#ordered) return;
    for (const member of condemned) await keepOrGiveClaims(this.#pass, this.#set, member);
    for (const member of condemned) if ((await this.#remove(member, firstUnhealthy)) && this.#ordered) return;
    await this.#updateOne(members);
  }

  #missing(ordinal: number): Member {
    return { name: `${nameOf(this.#set)}-${ordinal}`, ordinal, pod: undefined };
  }

  #isUnavailable({ pod }: Member): boolean {
    return pod === undefined || isUnavailable(pod, this.#minimum, this.#pass.nowMs());
  }

  /** Creates, replaces or repairs one wanted pod; true when its successors have to wait for it. */
  async #keep(member: Member): Promise<boolean> {
    const { pod } = member;
    if (pod === undefined) return this.#create(member);
    if (pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") {
      if (!isTerminating(pod)) await this.#delete(pod);
      return true;
    }
    if (pod.status?.phase === "Pending") {
      await createClaims(this.#pass, this.#set, member);
      await keepOrGiveClaims(this.#pass, this.#set, member);
    }
    const settled =
      !isTerminating(pod) && isRunningAndReady(pod) && isAvailable(pod, this.#minimum, this.#pass.nowMs());
    if (this.#ordered && !settled) return true;
    await this.#repair(member, pod);
    return false;
  }

  async #create(member: Member): Promise<boolean> {
    if (hasStaleClaim(this.#pass, this.#set, member)) return true;
    await createClaims(this.#pass, this.#set, member);
    const { namespace = "" } = this.#set.metadata;
    const revision = this.#revisionFor(member.ordinal);
    const body = statefulPod(this.#set, templateOf(revision), nameOf(revision), member.ordinal);
    const created = await this.#pass.writer.tryCreate(pods, body, namespace);
    if (created.ok) {
      await keepOrGiveClaims(this.#pass, this.#set, member);
      await this.#say("Create", member.name);
      return true;
    }
    const { code, message, reason } = created.problem;
    if (isEnding(created.problem)) return true;
    if (reason !== "AlreadyExists") await this.#say("Create", member.name, message);
    throw new RefusedError(`create pod ${member.name}`, code, message);
  }

  /** Pods below the partition keep the current revision. */
  #revisionFor(ordinal: number): Revision {
    const { start } = ordinalsOf(this.#set);
    const strategy = objectIn(this.#spec, "updateStrategy");
    const partition = numberIn(objectIn(strategy, "rollingUpdate"), "partition");
    if (partition !== undefined) return ordinal < start + partition ? this.#current : this.#update;
    const kept = numberIn(objectAt(asJson(this.#set), "status"), "currentReplicas") ?? 0;
    return textIn(strategy, "type") === "RollingUpdate" && ordinal < start + kept ? this.#current : this.#update;
  }

  async #repair(member: Member, pod: Pod): Promise<void> {
    const whole = repairedPod(this.#set, pod, member.ordinal) && this.#pass.get(pods, keyOf(pod));
    const repaired = whole && repairedPod(this.#set, whole, member.ordinal);
    if (repaired !== undefined) await createClaims(this.#pass, this.#set, member);
    const given = await keepOrGiveClaims(this.#pass, this.#set, member);
    if (repaired !== undefined) await this.#pass.writer.replace(pods, repaired);
    if (repaired !== undefined || given) await this.#say("Update", member.name);
  }

  /** Deletes a surplus pod; true when those with a lower ordinal have to wait. */
  async #remove({ ordinal, pod }: Member, firstUnhealthy: Member | undefined): Promise<boolean> {
    if (pod === undefined) return false;
    if (isTerminating(pod)) return this.#ordered;
    const settled = isRunningAndReady(pod) && isAvailable(pod, this.#minimum, this.#pass.nowMs());
    if (!settled && this.#ordered && firstUnhealthy?.ordinal !== ordinal) return true;
    await this.#delete(pod);
    return true;
  }

  /** Deletes the highest pod with an outdated template, once all above it are available. */
  async #updateOne(members: readonly Member[]): Promise<void> {
    const strategy = objectIn(this.#spec, "updateStrategy");
    if (textIn(strategy, "type") === "OnDelete") return;
    const partition = numberIn(objectIn(strategy, "rollingUpdate"), "partition") ?? 0;
    for (const member of members.slice(partition).toReversed()) {
      const { pod } = member;
      if (pod === undefined) return;
      if (pod.metadata.labels?.[revisionLabel] !== nameOf(this.#update) && !isTerminating(pod)) {
        await this.#delete(pod);
        this.#replaced = 1;
        return;
      }
      if (this.#isUnavailable(member)) return;
    }
  }

  async #delete(pod: Pod): Promise<void> {
    await this.#pass.writer.remove(pods, keyOf(pod), { uid: pod.metadata.uid ?? "" });
    await this.#say("Delete", nameOf(pod));
  }

  async #say(verb: "Create" | "Update" | "Delete", pod: string, failure?: string): Promise<void> {
    const done = failure === undefined;
    await record(this.#pass, this.#set, {
      component,
      type: done ? "Normal" : "Warning",
      reason: `${done ? "Successful" : "Failed"}${verb}`,
      message: `${verb} Pod ${pod} in StatefulSet ${nameOf(this.#set)} ${done ? "successful" : `failed error: ${failure}`}`,
    });
  }
}

/** The {@link memberExcerpts} of the set's pods. */
async function membersOf(pass: Pass, set: KubeObject): Promise<readonly Pod[]> {
  return claim(pass, set, pods, {
    belongs: (pod) => ordinalOf(set, pod) !== undefined,
    excerpts: memberExcerpts,
  });
}

/** Counts the pods of a set in deletion; no revision is created for it any more. */
async function countGoing(pass: Pass, set: KubeObject): Promise<void> {
  const held = objectIn(asJson(set), "status");
  const [current, update] = [textIn(held, "currentRevision"), textIn(held, "updateRevision")];
  if (update === "") return;
  const revisions = { current, update, collisions: numberIn(held, "collisionCount") ?? 0 };
  const mine = await membersOf(pass, set);
  const status = statefulStatus(set, mine, revisions, { replaced: 0, nowMs: pass.nowMs() });
  if (isStale(set, status)) await pass.writer.replace(statefulSets, { ...set, status }, "status");
}

export const statefulSetController: BuiltInController = {
  name: component,
  watches: [
    { table: "statefulsets.apps", keys: ownKey },
    controlledBy(statefulSets, pods),
    controlledBy(statefulSets, controllerRevisions),
  ],
  reconcile: async (key, pass) => {
    const set = pass.get(statefulSets, parseKey(key));
    if (set === undefined) return undefined;
    if (set.metadata.deletionTimestamp !== undefined) {
      await countGoing(pass, set);
      return undefined;
    }
    const history = await historyOf(pass, set, naming);
    const held = await membersOf(pass, set);
    const sync = new Sync(pass, set, held, history);
    const after = await sync.run(history.collisions);
    const idle = history.all.filter((revision) => !sync.isLive(revision));
    const limit = numberIn(objectIn(asJson(set), "spec"), "revisionHistoryLimit") ?? 10;
    if (limit >= 0) await forgetRevisions(pass, idle, idle.length - limit);
    return after;
  },
};
