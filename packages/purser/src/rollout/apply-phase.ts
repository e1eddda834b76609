import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { isApplied, type LookedAt, lookAtMember, type PendingMember } from "./look-at-member.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { type MissingPrerequisite, missingNamespace } from "./plan/missing-prerequisite.ts";
import { type Collision, describeObject } from "./plan/owned-elsewhere.ts";
import { probeFaults } from "./plan/probes.ts";
import type { PhaseContent, PhaseMember } from "./resolve-phases.ts";
import { noteStoredForm } from "./memory/stored-forms.ts";
import type { ReadyMember } from "./memory/recent-looks.ts";
import { faultOfWrite, writeMember } from "./write-member.ts";

/** How one phase stands after its objects were applied. */
export interface PhaseOutcome {
  readonly collisions: readonly Collision[];
  /** Texts of refused writes and of kinds that are not served. */
  readonly errors: readonly string[];
  /** What the objects behind some of the errors need to exist. */
  readonly missing: readonly MissingPrerequisite[];
  /** `Object <Kind>.<apiVersion> <ns>/<name>: …` of objects whose probes do not pass, in order. */
  readonly faults: readonly string[];
  /** `<Kind>.<apiVersion> <ns>/<name>: …` of objects that a dry run refused; then nothing of the phase was written. */
  readonly invalid: readonly string[];
  readonly types: readonly ResourceType[];
  /** Epoch milliseconds of the next certificate that is due. */
  readonly rotateAt?: number;
  /** Some objects were not read, because a pass before had read them moments ago. */
  readonly isSkimmed?: true;
}

/**
 * Applies all objects of a phase; one that fails does not stop the others. Before the first roll-out writes several of them,
 * a dry run of each has to pass, so that no phase is applied in part.
 */
export async function applyPhase(
  phase: PhaseContent,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<PhaseOutcome> {
  const look = (member: PhaseMember): Promise<LookedAt> => lookAtMember(member, phase, revision, siblings, ports);
  const recent = hasSucceeded(revision) ? undefined : ports.recentLooks;
  const isNew = recent !== undefined && isFirstPass(revision, siblings);
  const uid = revision.metadata.uid ?? "";
  const looked: { readonly member: PhaseMember; readonly state: LookedAt }[] = [];
  const tally = new Tally(revision);
  let isSkimmed = false;
  for (const member of phase.members) {
    const ready = recent?.of(uid, objectOf(member));
    if (ready === undefined)
      looked.push({ member, state: await lookAtMember(member, phase, revision, siblings, ports, isNew) });
    else tally.addReady(ready);
    isSkimmed ||= ready !== undefined;
  }
  const pending = looked.flatMap(({ state }) => (state.kind === "pending" ? [state] : []));
  if (pending.length > 1 && !hasSucceeded(revision)) await tally.preflight(pending, ports, signal);
  const isRefused = tally.invalid.length > 0;
  for (const { member, state } of looked) {
    if (state.kind === "pending" && isRefused) {
      tally.types.push(state.type);
      continue;
    }
    const end = state.kind === "pending" ? await written(state, () => look(member), ports, signal) : state;
    const isReady = tally.add(end);
    if (!isReady || end.kind !== "applied" || end.type === undefined) continue;
    const { type, rotateAt } = end;
    recent?.note(uid, objectOf(member), { type, ...(rotateAt === undefined ? {} : { rotateAt }) });
  }
  return { ...tally.outcome(), ...(isSkimmed ? { isSkimmed: true } : {}) };
}

const objectOf = ({ object }: PhaseMember): KubeObject => object as unknown as KubeObject;

/** The first pass of the first revision: its objects do not exist, unless somebody else has made them. */
function isFirstPass({ spec, status }: ClusterObjectSet, siblings: readonly ClusterObjectSet[]): boolean {
  return spec?.revision === 1 && siblings.length === 0 && (status?.conditions ?? []).length === 0;
}

const hasSucceeded = ({ status }: ClusterObjectSet): boolean =>
  findCondition(status?.conditions, "Succeeded")?.status === "True";

class Tally {
  readonly types: ResourceType[] = [];
  readonly invalid: string[] = [];
  readonly #collisions: Collision[] = [];
  readonly #errors: string[] = [];
  readonly #missing: MissingPrerequisite[] = [];
  readonly #faults: string[] = [];
  readonly #rotations: number[] = [];
  readonly #probes: NonNullable<NonNullable<ClusterObjectSet["spec"]>["progressionProbes"]>;

  constructor({ spec }: ClusterObjectSet) {
    this.#probes = spec?.progressionProbes ?? [];
  }

  async preflight(pending: readonly PendingMember[], { writer }: ObjectSetPorts, signal: AbortSignal): Promise<void> {
    for (const member of pending) {
      const fault = await faultOfWrite(member, writer, signal);
      if (fault !== undefined) this.invalid.push(`${describeObject(member.desired)}: ${fault.status.message}`);
    }
  }

  addReady({ type, rotateAt }: ReadyMember): void {
    this.types.push(type);
    if (rotateAt !== undefined) this.#rotations.push(rotateAt);
  }

  /** Whether the object is applied and passes its probes. */
  add(state: Exclude<LookedAt, PendingMember>): boolean {
    if (state.type !== undefined) this.types.push(state.type);
    if (state.rotateAt !== undefined) this.#rotations.push(state.rotateAt);
    switch (state.kind) {
      case "applied":
      case "progressed": {
        const found = probeFaults(state.object, this.#probes);
        if (found.length > 0) this.#faults.push(`Object ${describeObject(state.object)}: ${found.join(" and ")}`);
        return found.length === 0;
      }
      case "collision":
        this.#collisions.push(state.collision);
        return false;
      case "failed":
        this.#errors.push(state.message);
        if (state.missing !== undefined) this.#missing.push(state.missing);
        return false;
    }
  }

  outcome(): PhaseOutcome {
    return {
      collisions: this.#collisions,
      errors: this.#errors,
      missing: this.#missing,
      faults: this.#faults,
      invalid: this.invalid,
      types: this.types,
      ...(this.#rotations.length === 0 ? {} : { rotateAt: Math.min(...this.#rotations) }),
    };
  }
}

/** How often an object is written that other clients keep changing between the look and the write. */
const maxAttempts = 5;

/** Writes the object. When another client created or changed it since it was looked at, `again` decides anew what is to be done. */
async function written(
  member: PendingMember,
  again: () => Promise<LookedAt>,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<Exclude<LookedAt, PendingMember>> {
  let pending = member;
  for (let attempt = 1; ; attempt++) {
    const { type, desired, rotateAt } = pending;
    const result = await writeMember(pending, ports.writer, signal);
    if (result.ok) {
      if (!isApplied(result.value, desired)) noteStoredForm(desired, result.value);
      return { kind: "applied", type, object: result.value, ...(rotateAt === undefined ? {} : { rotateAt }) };
    }
    const { kind, status } = result.problem;
    const isOutdated = kind === "alreadyExists" || kind === "conflict";
    if (!isOutdated || attempt === maxAttempts) {
      const missing = missingNamespace(result.problem);
      return { kind: "failed", type, message: status.message, ...(missing === undefined ? {} : { missing }) };
    }
    const found = await again();
    if (found.kind !== "pending") return found;
    pending = found;
  }
}
