import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { isApplied, type LookedAt, lookAtMember, type PendingMember } from "./look-at-member.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { type MissingPrerequisite, missingNamespace } from "./plan/missing-prerequisite.ts";
import { type Collision, describeObject } from "./plan/owned-elsewhere.ts";
import { probeFaults } from "./plan/probes.ts";
import type { PhaseContent, PhaseMember } from "./resolve-phases.ts";
import { noteStoredForm } from "./stored-forms.ts";
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
  const looked: { readonly member: PhaseMember; readonly state: LookedAt }[] = [];
  for (const member of phase.members) looked.push({ member, state: await look(member) });
  const tally = new Tally(revision);
  const pending = looked.flatMap(({ state }) => (state.kind === "pending" ? [state] : []));
  if (pending.length > 1 && !hasSucceeded(revision)) await tally.preflight(pending, ports, signal);
  const isRefused = tally.invalid.length > 0;
  for (const { member, state } of looked) {
    if (state.kind !== "pending") tally.add(state);
    else if (!isRefused) tally.add(await written(state, () => look(member), ports, signal));
    else tally.types.push(state.type);
  }
  return tally.outcome();
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

  add(state: Exclude<LookedAt, PendingMember>): void {
    if (state.type !== undefined) this.types.push(state.type);
    if (state.rotateAt !== undefined) this.#rotations.push(state.rotateAt);
    switch (state.kind) {
      case "applied":
      case "progressed": {
        const found = probeFaults(state.object, this.#probes);
        if (found.length > 0) this.#faults.push(`Object ${describeObject(state.object)}: ${found.join(" and ")}`);
        break;
      }
      case "collision":
        this.#collisions.push(state.collision);
        break;
      case "failed":
        this.#errors.push(state.message);
        if (state.missing !== undefined) this.#missing.push(state.missing);
        break;
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
