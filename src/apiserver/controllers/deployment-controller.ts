import type { Deployment, ReplicaSet } from "../../apis/apps.ts";
import { asJson, parseKey } from "../../apis/object.ts";
import { deployments, replicaSets } from "../../apis/resources.ts";
import type { JsonObject } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { objectAt, objectIn, without } from "../kinds/json-parts.ts";
import {
  conditionOf,
  countedStatus,
  deadlineMs,
  rolloutStatus,
  withCondition,
  type DeploymentStatus,
} from "./deployment-status.ts";
import { claim, controllerReference } from "./ownership.ts";
import { record } from "./recorder.ts";
import { limitsOf, newestReplicas, replicasOf, shrinkOld, sumOf } from "./rollout-numbers.ts";
import { templateHash } from "./template-hash.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "./runtime.ts";

const component = "deployment-controller";
const hashLabel = "pod-template-hash";
const revisionAnnotation = "deployment.kubernetes.io/revision";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** The template without the label that the controller adds to its sets. */
function plainTemplate(holder: ReplicaSet | Deployment): JsonObject {
  const template = objectAt(asJson(holder), "spec", "template");
  const metadata = objectIn(template, "metadata");
  return { ...template, metadata: { ...metadata, labels: without(objectIn(metadata, "labels"), hashLabel) } };
}

function revisionOf(object: ReplicaSet): number {
  return Number(object.metadata.annotations?.[revisionAnnotation] ?? "0") || 0;
}

/** Annotations that a set shares with its deployment: all but those that describe the deployment alone. */
function copiedAnnotations(deployment: Deployment): Record<string, string> {
  const { annotations = {} } = deployment.metadata;
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([key]) =>
        ![
          revisionAnnotation,
          desiredAnnotation,
          maxAnnotation,
          "kubectl.kubernetes.io/last-applied-configuration",
        ].includes(key),
    ),
  );
}

function setAnnotations(deployment: Deployment, revision: number): Record<string, string> {
  const { replicas, maxSurge } = limitsOf(deployment);
  return {
    ...copiedAnnotations(deployment),
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + maxSurge),
    [revisionAnnotation]: String(revision),
  };
}

/** One pass over one deployment. */
class Sync {
  readonly #pass: Pass;
  #deployment: Deployment;
  #sets: readonly ReplicaSet[];
  #newest: ReplicaSet | undefined;
  /** The pass that notes a resumption says nothing else of the progress, though it may make a set. */
  #isResumed = false;

  constructor(pass: Pass, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.#pass = pass;
    this.#deployment = deployment;
    this.#sets = sets;
    const template = plainTemplate(deployment);
    this.#newest = sets
      .toSorted((a, b) => ((a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1))
      .find((set) => deepEqual(plainTemplate(set), template));
  }

  get #old(): readonly ReplicaSet[] {
    return this.#sets.filter((set) => set !== this.#newest);
  }

  async run(): Promise<number | undefined> {
    const deployment = this.#deployment;
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#writeStatus();
    await this.#notePause();
    if (this.#deployment.spec?.paused === true || this.#isScaling()) {
      await this.#scaleOnly();
      return this.#writeStatus();
    }
    if (this.#deployment.spec?.strategy?.type === "Recreate") await this.#recreate();
    else await this.#roll();
    await this.#forgetOld();
    return this.#writeStatus();
  }

  async #notePause(): Promise<void> {
    const { spec, status } = this.#deployment;
    if (deadlineMs(this.#deployment) === undefined) return;
    const held = conditionOf(status?.conditions ?? [], "Progressing");
    if (held?.reason === "ProgressDeadlineExceeded") return;
    const paused = spec?.paused === true;
    if (paused === (held?.reason === "DeploymentPaused")) return;
    if (!paused && held?.reason !== "DeploymentPaused") return;
    const condition = paused
      ? { reason: "DeploymentPaused", message: "Deployment is paused" }
      : { reason: "DeploymentResumed", message: "Deployment is resumed" };
    this.#isResumed = !paused;
    const next = { type: "Progressing", status: "Unknown", ...condition };
    await this.#putStatus({
      ...status,
      conditions: withCondition(status?.conditions ?? [], next, this.#pass.now()),
    });
  }

  /** Whether `spec.replicas` changed since the running sets were last scaled. */
  #isScaling(): boolean {
    const { replicas } = limitsOf(this.#deployment);
    return this.#sets.some((set) => {
      const desired = set.metadata.annotations?.[desiredAnnotation];
      return replicasOf(set) > 0 && desired !== undefined && Number(desired) !== replicas;
    });
  }

  async #scaleOnly(): Promise<void> {
    const { replicas } = limitsOf(this.#deployment);
    const active = this.#sets.filter((set) => replicasOf(set) > 0);
    const target = active.length > 1 ? undefined : (active[0] ?? this.#newest);
    if (target !== undefined) {
      await this.#scale(target, replicas);
      return;
    }
    // Several sets run: each keeps its share of the new total.
    const total = sumOf(active, replicasOf);
    const { maxSurge } = limitsOf(this.#deployment);
    const allowed = replicas === 0 ? 0 : replicas + maxSurge;
    let left = allowed - total;
    const bySize = active.toSorted((a, b) => replicasOf(b) - replicasOf(a));
    for (const [index, set] of bySize.entries()) {
      const share = index === bySize.length - 1 ? left : Math.trunc(((allowed - total) * replicasOf(set)) / total);
      left -= share;
      await this.#scale(set, Math.max(0, replicasOf(set) + share));
    }
  }

  async #roll(): Promise<void> {
    const newest = await this.#ensureNewest();
    if (newest === undefined) return;
    if (await this.#scale(newest, this.#newestTarget())) return;
    for (const { set, to } of shrinkOld(this.#deployment, this.#old, this.#newest ?? newest))
      await this.#scale(set, to);
  }

  #newestTarget(): number {
    const { replicas } = limitsOf(this.#deployment);
    const current = this.#newest === undefined ? 0 : replicasOf(this.#newest);
    return current > replicas ? replicas : newestReplicas(this.#deployment, this.#sets, this.#newest);
  }

  async #recreate(): Promise<void> {
    for (const set of this.#old) await this.#scale(set, 0);
    if (this.#old.some((set) => (set.status?.replicas ?? 0) > 0 || terminating(set) > 0)) return;
    const newest = await this.#ensureNewest();
    if (newest !== undefined) await this.#scale(newest, limitsOf(this.#deployment).replicas);
  }

  /** Finds or makes the set of the current template and notes its revision on the deployment. */
  async #ensureNewest(): Promise<ReplicaSet | undefined> {
    const revision = this.#old.reduce((highest, set) => Math.max(highest, revisionOf(set)), 0) + 1;
    const found = this.#newest;
    if (found === undefined) return this.#createNewest(revision);
    const name = found.metadata.name ?? "";
    const kept = Math.max(revision, revisionOf(found));
    const annotations = { ...found.metadata.annotations, ...setAnnotations(this.#deployment, kept) };
    if (!deepEqual(annotations, found.metadata.annotations)) {
      this.#replaceHeld(
        found,
        await this.#pass.writer.replace(replicaSets, { ...found, metadata: { ...found.metadata, annotations } }),
      );
    }
    const progressing = conditionOf(this.#deployment.status?.conditions ?? [], "Progressing");
    const reused = kept !== revisionOf(found) && revisionOf(found) > 0;
    const message = `Found new replica set "${name}"`;
    const reason = progressing === undefined || reused ? { reason: "FoundNewReplicaSet", message } : undefined;
    await this.#noteRevision(kept, reason);
    return this.#newest;
  }

  async #createNewest(revision: number): Promise<ReplicaSet | undefined> {
    const deployment = this.#deployment;
    const { namespace = "", name = "" } = deployment.metadata;
    const hash = templateHash(plainTemplate(deployment), String(deployment.status?.collisionCount ?? ""));
    const template = objectAt(asJson(deployment), "spec", "template");
    const metadata = objectIn(template, "metadata");
    const labels = { ...objectIn(metadata, "labels"), [hashLabel]: hash };
    const selector = objectAt(asJson(deployment), "spec", "selector");
    const replicas = this.#newestTarget();
    const created = await this.#pass.writer.tryCreate(
      replicaSets,
      {
        kind: "ReplicaSet",
        apiVersion: "apps/v1",
        metadata: {
          name: `${name}-${hash}`,
          namespace,
          labels,
          annotations: setAnnotations(deployment, revision),
          ownerReferences: [controllerReference(deployment)],
        },
        spec: {
          replicas,
          ...(deployment.spec?.minReadySeconds === undefined
            ? {}
            : { minReadySeconds: deployment.spec.minReadySeconds }),
          selector: { ...selector, matchLabels: { ...objectIn(selector, "matchLabels"), [hashLabel]: hash } },
          template: { ...template, metadata: { ...metadata, labels } },
        },
      },
      namespace,
    );
    if (created.ok) {
      const set = created.value as ReplicaSet;
      this.#sets = [...this.#sets, set];
      this.#newest = set;
      const setName = set.metadata.name ?? "";
      const progress = { reason: "NewReplicaSetCreated", message: `Created new replica set "${setName}"` };
      await this.#noteRevision(revision, this.#isResumed ? undefined : progress);
      if (replicas > 0) await this.#recordScaling("up", setName, 0, replicas);
      return set;
    }
    const { status } = deployment;
    if (created.problem.reason === "AlreadyExists") {
      await this.#putStatus({ ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
      return undefined;
    }
    const message = `Failed to create new replica set "${name}-${hash}": ${created.problem.message}`;
    const refused = { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message };
    await this.#putStatus({
      ...status,
      conditions: withCondition(status?.conditions ?? [], refused, this.#pass.now()),
    });
    return undefined;
  }

  async #noteRevision(revision: number, progress: { reason: string; message: string } | undefined): Promise<void> {
    const { metadata, status } = this.#deployment;
    const annotations = { ...metadata.annotations, [revisionAnnotation]: String(revision) };
    const held = status?.conditions ?? [];
    const conditions =
      progress === undefined || deadlineMs(this.#deployment) === undefined
        ? held
        : withCondition(held, { type: "Progressing", status: "True", ...progress }, this.#pass.now());
    if (conditions === held && metadata.annotations?.[revisionAnnotation] === String(revision)) return;
    await this.#putStatus({ ...status, conditions }, annotations);
  }

  /** Scales a set and keeps its annotations true; whether the number of replicas changed. */
  async #scale(set: ReplicaSet, to: number): Promise<boolean> {
    const from = replicasOf(set);
    const wanted = setAnnotations(this.#deployment, revisionOf(set));
    const current = set.metadata.annotations ?? {};
    const sizes = [desiredAnnotation, maxAnnotation];
    if (from === to && sizes.every((key) => current[key] === wanted[key])) return false;
    const annotations = { ...current };
    for (const key of sizes) annotations[key] = wanted[key] ?? "";
    const spec = { ...(set.spec ?? { selector: {} }), replicas: to };
    const written = await this.#pass.writer.replace(replicaSets, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec,
    });
    this.#replaceHeld(set, written);
    if (from !== to) await this.#recordScaling(to > from ? "up" : "down", set.metadata.name ?? "", from, to);
    return from !== to;
  }

  #replaceHeld(before: ReplicaSet, after: unknown): void {
    const next = after as ReplicaSet | undefined;
    this.#sets = this.#sets.flatMap((set) => (set === before ? (next === undefined ? [] : [next]) : [set]));
    if (this.#newest === before) this.#newest = next;
  }

  async #recordScaling(direction: "up" | "down", name: string, from: number, to: number): Promise<void> {
    const message = `Scaled ${direction} replica set ${name} from ${from} to ${to}`;
    await record(this.#pass, this.#deployment, { component, type: "Normal", reason: "ScalingReplicaSet", message });
  }

  /** Old sets beyond the history limit go once the rollout is complete. */
  async #forgetOld(): Promise<void> {
    const limit = this.#deployment.spec?.revisionHistoryLimit;
    if (limit === undefined) return;
    const { replicas } = limitsOf(this.#deployment);
    if ((this.#newest?.status?.availableReplicas ?? 0) < replicas) return;
    const idle = this.#old.filter(
      (set) =>
        replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0 && set.metadata.deletionTimestamp === undefined,
    );
    const surplus = idle.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, idle.length - limit));
    for (const set of surplus) {
      const { namespace = "", name = "", uid = "" } = set.metadata;
      await this.#pass.writer.remove(replicaSets, { namespace, name }, { uid });
      this.#sets = this.#sets.filter((held) => held !== set);
    }
  }

  async #writeStatus(): Promise<number | undefined> {
    const rollout = { deployment: this.#deployment, newest: this.#newest, all: this.#sets, now: this.#pass.now() };
    const plain = this.#deployment.spec?.paused === true || this.#deployment.metadata.deletionTimestamp !== undefined;
    const status = plain ? countedStatus(rollout) : rolloutStatus(rollout, this.#pass.nowMs());
    if (!deepEqual(status as unknown as JsonObject, (this.#deployment.status ?? {}) as JsonObject))
      await this.#putStatus(status);
    return this.#untilDeadline();
  }

  #untilDeadline(): number | undefined {
    const deadline = deadlineMs(this.#deployment);
    const held = conditionOf(this.#deployment.status?.conditions ?? [], "Progressing");
    if (deadline === undefined || held === undefined || held.status !== "True") return undefined;
    if (held.reason === "NewReplicaSetAvailable" || held.reason === "DeploymentPaused") return undefined;
    const due = Date.parse(held.lastUpdateTime ?? "") + deadline - this.#pass.nowMs();
    return Math.max(1, due);
  }

  async #putStatus(status: DeploymentStatus, annotations = this.#deployment.metadata.annotations): Promise<void> {
    const metadata = { ...this.#deployment.metadata, ...(annotations === undefined ? {} : { annotations }) };
    const written = await this.#pass.writer.replace(deployments, { ...this.#deployment, metadata, status }, "status");
    if (written !== undefined) this.#deployment = written as Deployment;
  }
}

function terminating(set: ReplicaSet): number {
  return (set.status as { terminatingReplicas?: number } | undefined)?.terminatingReplicas ?? 0;
}

export const deploymentController: BuiltInController = {
  name: component,
  watches: [{ table: "deployments.apps", keys: ownKey }, controlledBy(deployments, replicaSets)],
  reconcile: async (key, pass) => {
    const deployment = pass.get(deployments, parseKey(key));
    if (deployment === undefined) return undefined;
    const sets = await claim(pass, deployment, replicaSets);
    return new Sync(pass, deployment, sets).run();
  },
};
