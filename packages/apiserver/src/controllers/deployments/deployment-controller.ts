import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { deployments, pods, replicaSets } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectAt, objectIn } from "../../kinds/decoding/json-parts.ts";
import { claim, controlled, controllerReference } from "../ownership.ts";
import { isEnding } from "../pod-control.ts";
import { record } from "../recorder.ts";
import { controlledBy, ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { templateHash } from "../template-hash.ts";
import type { Refusal } from "../writer.ts";
import { limitsOf, replicasOf } from "./numbers.ts";
import { forgotten, grownNewest, isScaling, rescale, shrinkOld, type Resize } from "./resizing.ts";
import {
  annotationsOfNew,
  annotationsOfReused,
  hashLabel,
  newestOf,
  nextRevision,
  plainTemplate,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from "./revisions.ts";
import {
  conditionOf,
  countedStatus,
  deadlineMs,
  isComplete,
  rolloutStatus,
  withCondition,
  type DeploymentStatus,
} from "./status.ts";

const component = "deployment-controller";

/** One pass over one Deployment. */
class Sync {
  readonly #pass: Pass;
  #deployment: Deployment;
  #sets: readonly ReplicaSet[];
  #newest: ReplicaSet | undefined;
  /** The pass that records a resumption sets no other progress condition, though it may create a ReplicaSet. */
  #isResumed = false;

  constructor(pass: Pass, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.#pass = pass;
    this.#deployment = deployment;
    this.#sets = sets;
    this.#newest = newestOf(deployment, sets);
  }

  get #old(): readonly ReplicaSet[] {
    return this.#sets.filter((set) => set !== this.#newest);
  }

  async run(): Promise<number | undefined> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined) {
      await this.#reuseNewest();
      return this.#writeStatus("counted");
    }
    await this.#notePause();
    if (this.#deployment.spec?.paused === true) {
      await this.#reuseNewest();
      await this.#resize(rescale(this.#deployment, this.#newest, this.#old));
      await this.#forgetOld();
      return this.#writeStatus("counted");
    }
    if (isScaling(this.#deployment, this.#sets)) {
      await this.#reuseNewest();
      await this.#resize(rescale(this.#deployment, this.#newest, this.#old));
      return this.#writeStatus("counted");
    }
    const settled = this.#deployment.spec?.strategy?.type === "Recreate" ? await this.#recreate() : await this.#roll();
    if (settled && isComplete(this.#deployment, this.#deployment.status ?? {})) await this.#forgetOld();
    return this.#writeStatus("rollout");
  }

  async #notePause(): Promise<void> {
    const { spec, status } = this.#deployment;
    if (deadlineMs(this.#deployment) === undefined) return;
    const held = conditionOf(status?.conditions ?? [], "Progressing");
    if (held?.reason === "ProgressDeadlineExceeded") return;
    const paused = spec?.paused === true;
    if (paused === (held?.reason === "DeploymentPaused")) return;
    const condition = paused
      ? { reason: "DeploymentPaused", message: "Deployment is paused" }
      : { reason: "DeploymentResumed", message: "Deployment is resumed" };
    this.#isResumed = !paused;
    await this.#putCondition({ type: "Progressing", status: "Unknown", ...condition });
  }

  /** One step of a rolling update; resolves to true when there was nothing to do. */
  async #roll(): Promise<boolean> {
    const newest = await this.#ensureNewest();
    if (newest === undefined) return false;
    const to = grownNewest(this.#deployment, this.#sets, newest);
    if (await this.#resize([{ set: newest, to }])) return false;
    return !(await this.#resize(shrinkOld(this.#deployment, this.#old, this.#newest ?? newest)));
  }

  /** One step of a Recreate update, which deletes all old pods first; resolves to true when there was nothing to do. */
  async #recreate(): Promise<boolean> {
    await this.#reuseNewest();
    if (await this.#resize(this.#old.map((set) => ({ set, to: 0 })))) return false;
    if (await this.#hasOldPods()) return false;
    const newest = await this.#ensureNewest();
    if (newest === undefined) return false;
    await this.#resize([{ set: newest, to: limitsOf(this.#deployment).replicas }]);
    return true;
  }

  async #hasOldPods(): Promise<boolean> {
    for (const set of this.#old) {
      if ((set.status?.replicas ?? 0) > 0) return true;
      const held = await controlled(this.#pass, set, pods);
      if (held.some(({ status }) => !["Failed", "Succeeded"].includes(status?.phase ?? ""))) return true;
    }
    return false;
  }

  async #ensureNewest(): Promise<ReplicaSet | undefined> {
    return this.#newest === undefined ? this.#createNewest() : this.#reuseNewest();
  }

  /** Updates the annotations of the newest ReplicaSet; a later pass, which finds them current, records its revision. */
  async #reuseNewest(): Promise<ReplicaSet | undefined> {
    const found = this.#newest;
    if (found === undefined) return undefined;
    const annotations = annotationsOfReused(this.#deployment, found, nextRevision(this.#old));
    const minReadySeconds = this.#deployment.spec?.minReadySeconds ?? 0;
    const isStale = (found.spec?.minReadySeconds ?? 0) !== minReadySeconds;
    if (isStale || !deepEqual(annotations, found.metadata.annotations ?? {})) {
      const metadata = { ...found.metadata, annotations };
      const spec = { ...(found.spec ?? { selector: {} }), minReadySeconds };
      this.#replaceHeld(found, await this.#pass.writer.replace(replicaSets, { ...found, metadata, spec }));
      return this.#newest;
    }
    const isNew = conditionOf(this.#deployment.status?.conditions ?? [], "Progressing") === undefined;
    const message = `Found new replica set "${found.metadata.name ?? ""}"`;
    await this.#noteRevision(
      found.metadata.annotations?.[revisionAnnotation] ?? "",
      isNew ? { reason: "FoundNewReplicaSet", message } : undefined,
    );
    return this.#newest;
  }

  async #createNewest(): Promise<ReplicaSet | undefined> {
    const deployment = this.#deployment;
    const { namespace = "" } = deployment.metadata;
    const revision = nextRevision(this.#old);
    const replicas = grownNewest(deployment, this.#sets, undefined);
    const body = setFor(deployment, revision, replicas);
    const created = await this.#pass.writer.tryCreate(replicaSets, body, namespace);
    if (!created.ok) {
      await this.#noteRefusal(textOf(body), created.problem);
      return undefined;
    }
    const set = created.value as ReplicaSet;
    this.#sets = [...this.#sets, set];
    this.#newest = set;
    const name = set.metadata.name ?? "";
    const progress = { reason: "NewReplicaSetCreated", message: `Created new replica set "${name}"` };
    await this.#noteRevision(String(revision), this.#isResumed ? undefined : progress);
    if (replicas > 0) await this.#sayScaled(name, 0, replicas);
    return set;
  }

  async #noteRefusal(name: string, refusal: Refusal): Promise<void> {
    const { status } = this.#deployment;
    const { reason, message } = refusal;
    if (reason === "AlreadyExists") {
      await this.#putStatus({ ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
      return;
    }
    if (isEnding(refusal)) return;
    const expired = {
      reason: "ReplicaSetCreateError",
      message: `Failed to create new replica set "${name}": ${message}`,
    };
    if (deadlineMs(this.#deployment) !== undefined)
      await this.#putCondition({ type: "Progressing", status: "False", ...expired });
    await record(this.#pass, this.#deployment, { component, type: "Warning", ...expired });
  }

  async #noteRevision(
    revision: string,
    progress: { readonly reason: string; readonly message: string } | undefined,
  ): Promise<void> {
    const { metadata, status } = this.#deployment;
    const annotations = { ...metadata.annotations, [revisionAnnotation]: revision };
    const held = status?.conditions ?? [];
    const conditions =
      progress === undefined || deadlineMs(this.#deployment) === undefined
        ? held
        : withCondition(held, { type: "Progressing", status: "True", ...progress }, this.#pass.now());
    if (conditions === held && metadata.annotations?.[revisionAnnotation] === revision) return;
    await this.#putStatus({ ...status, conditions }, annotations);
  }

  /** Scales ReplicaSets one by one; resolves to whether any of them changed. */
  async #resize(resizes: readonly Resize[]): Promise<boolean> {
    let changed = false;
    const written = new Map<string, ReplicaSet>();
    for (const { set, to, always } of resizes) {
      const name = set.metadata.name ?? "";
      const held = written.get(name) ?? set;
      const from = replicasOf(held);
      const sizes = sizeAnnotations(this.#deployment);
      const isMarked = Object.entries(sizes).every(([key, value]) => held.metadata.annotations?.[key] === value);
      if (from === to && (isMarked || always === undefined)) continue;
      const metadata = { ...held.metadata, annotations: { ...held.metadata.annotations, ...sizes } };
      const spec = { ...(held.spec ?? { selector: {} }), replicas: to };
      const after = await this.#pass.writer.replace(replicaSets, { ...held, metadata, spec });
      this.#replaceHeld(held, after);
      if (after !== undefined) written.set(name, after as ReplicaSet);
      if (from !== to) await this.#sayScaled(name, from, to);
      changed ||= from !== to;
    }
    return changed;
  }

  #replaceHeld(before: ReplicaSet, after: unknown): void {
    const next = after as ReplicaSet | undefined;
    this.#sets = this.#sets.flatMap((set) => (set === before ? (next === undefined ? [] : [next]) : [set]));
    if (this.#newest === before) this.#newest = next;
  }

  async #sayScaled(name: string, from: number, to: number): Promise<void> {
    const message = `Scaled ${to > from ? "up" : "down"} replica set ${name} from ${from} to ${to}`;
    await record(this.#pass, this.#deployment, { component, type: "Normal", reason: "ScalingReplicaSet", message });
  }

  async #forgetOld(): Promise<void> {
    for (const set of forgotten(this.#deployment, this.#old, revisionOf)) {
      const { namespace = "", name = "", uid = "" } = set.metadata;
      await this.#pass.writer.remove(replicaSets, { namespace, name }, { uid });
    }
  }

  async #writeStatus(kind: "counted" | "rollout"): Promise<number | undefined> {
    const rollout = { deployment: this.#deployment, newest: this.#newest, all: this.#sets, now: this.#pass.now() };
    const status = kind === "counted" ? countedStatus(rollout) : rolloutStatus(rollout, this.#pass.nowMs());
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

  async #putCondition(condition: Parameters<typeof withCondition>[1]): Promise<void> {
    const { status } = this.#deployment;
    const conditions = withCondition(status?.conditions ?? [], condition, this.#pass.now());
    await this.#putStatus({ ...status, conditions });
  }

  async #putStatus(status: DeploymentStatus, annotations = this.#deployment.metadata.annotations): Promise<void> {
    const metadata = { ...this.#deployment.metadata, ...(annotations === undefined ? {} : { annotations }) };
    const written = await this.#pass.writer.replace(deployments, { ...this.#deployment, metadata, status }, "status");
    if (written !== undefined) this.#deployment = written as Deployment;
  }
}

function textOf(set: JsonObject): string {
  const name = objectIn(set, "metadata")["name"];
  return typeof name === "string" ? name : "";
}

/** The ReplicaSet for the Deployment's template, named by the template's hash. */
function setFor(deployment: Deployment, revision: number, replicas: number): JsonObject {
  const { namespace = "", name = "" } = deployment.metadata;
  const json = asJson(deployment);
  const hash = templateHash(plainTemplate(deployment), String(deployment.status?.collisionCount ?? ""));
  const template = objectAt(json, "spec", "template");
  const metadata = objectIn(template, "metadata");
  const labels = { ...objectIn(metadata, "labels"), [hashLabel]: hash };
  const selector = objectAt(json, "spec", "selector");
  const { minReadySeconds } = deployment.spec ?? {};
  return {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: annotationsOfNew(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...objectIn(selector, "matchLabels"), [hashLabel]: hash } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
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
