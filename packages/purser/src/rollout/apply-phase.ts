import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { atOnce } from "./at-once.ts";
import { isApplied, type LookedAt, type LookStart, lookAtMember, type PendingMember } from "./look-at-member.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { type MissingPrerequisite, missingNamespace } from "./plan/missing-prerequisite.ts";
import { type Collision, describeObject } from "./plan/owned-elsewhere.ts";
import { isPreflightFault } from "./plan/phase-preflight.ts";
import { probeFaults } from "./plan/probes.ts";
import type { PhaseContent, PhaseMember } from "./resolve-phases.ts";
import { noteStoredForm } from "./memory/stored-forms.ts";
import { hasSucceeded, PhaseMemory, type Unchanged } from "./memory/phase-memory.ts";
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

/** How an object of a phase stands when the phase was applied. */
type End = Exclude<LookedAt, PendingMember> | Unchanged | { readonly kind: "unwritten"; readonly type: ResourceType };

/**
 * Applies all objects of a phase; one that fails does not stop the others. Before the first roll-out writes several of them, each
 * has to pass a dry run, or to be created as the first one, so that no phase is applied in part.
 */
export async function applyPhase(
  phase: PhaseContent,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<PhaseOutcome> {
  const memory = new PhaseMemory(revision, siblings, ports.known);
  const look = (member: PhaseMember, start?: LookStart): Promise<LookedAt> =>
    lookAtMember(member, phase, revision, siblings, ports, start);
  const write = (member: PhaseMember, state: PendingMember): Promise<Written> =>
    written(state, () => look(member), ports, signal);
  const looked = await atOnce(phase.members, async (member) => ({
    member,
    state: memory.unchanged(member) ?? (await look(member, memory.start(member))),
  }));
  const pending = looked.flatMap(({ member, state }) => (state.kind === "pending" ? [{ member, state }] : []));
  const invalid: string[] = [];
  const ends = new Map<PhaseMember, Written>();
  const [first, ...others] = pending;
  if (first !== undefined && others.length > 0 && !hasSucceeded(revision)) {
    // A POST that is refused changes nothing, so it needs no dry run.
    const isPosted = first.state.live === undefined;
    invalid.push(...(await faultsOf(isPosted ? others : pending, ports, signal)));
    if (isPosted && invalid.length > 0) invalid.unshift(...(await faultsOf([first], ports, signal)));
    if (isPosted && invalid.length === 0) {
      const end = await write(first.member, first.state);
      ends.set(first.member, end);
      if (end.kind === "failed" && end.isFault === true) invalid.push(textOf(first.state.desired, end.message));
    }
  }
  const tally = new Tally(revision, invalid);
  const settled = await atOnce(looked, async ({ member, state }): Promise<readonly [PhaseMember, End]> => {
    if (state.kind !== "pending") return [member, state];
    if (invalid.length > 0) return [member, { kind: "unwritten", type: state.type }];
    return [member, ends.get(member) ?? (await write(member, state))];
  });
  for (const [member, end] of settled) memory.note(member, end, tally.add(end));
  const isSkimmed = settled.some(([, end]) => end.kind === "unchanged" && !end.isShown);
  return { ...tally.outcome(), ...(isSkimmed ? { isSkimmed: true } : {}) };
}

const textOf = (object: KubeObject, message: string): string => `${describeObject(object)}: ${message}`;

/** What dry runs have against writing the objects. */
async function faultsOf(
  pending: readonly { readonly state: PendingMember }[],
  { writer }: ObjectSetPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const faults = await atOnce(pending, async ({ state }) => {
    const fault = await faultOfWrite(state, writer, signal);
    return fault === undefined ? [] : [textOf(state.desired, fault.status.message)];
  });
  return faults.flat();
}

class Tally {
  readonly #types: ResourceType[] = [];
  readonly #collisions: Collision[] = [];
  readonly #errors: string[] = [];
  readonly #missing: MissingPrerequisite[] = [];
  readonly #faults: string[] = [];
  readonly #rotations: number[] = [];
  readonly #probes: NonNullable<NonNullable<ClusterObjectSet["spec"]>["progressionProbes"]>;
  readonly #invalid: readonly string[];

  constructor({ spec }: ClusterObjectSet, invalid: readonly string[]) {
    this.#probes = spec?.progressionProbes ?? [];
    this.#invalid = invalid;
  }

  /** @returns why an object that is applied is not ready; undefined when it is, or is not applied */
  add(end: End): string | undefined {
    if (end.type !== undefined) this.#types.push(end.type);
    if ("rotateAt" in end && end.rotateAt !== undefined) this.#rotations.push(end.rotateAt);
    switch (end.kind) {
      case "unwritten":
        return undefined;
      case "unchanged":
        if (end.fault !== undefined) this.#faults.push(end.fault);
        return end.fault;
      case "applied":
      case "progressed": {
        const found = probeFaults(end.object, this.#probes);
        if (found.length === 0) return undefined;
        const fault = `Object ${describeObject(end.object)}: ${found.join(" and ")}`;
        this.#faults.push(fault);
        return fault;
      }
      case "collision":
        this.#collisions.push(end.collision);
        return undefined;
      case "failed":
        // What a dry run would have refused is reported with what the others refuse.
        if (end.isFault === true && this.#invalid.length > 0) return undefined;
        this.#errors.push(end.message);
        if (end.missing !== undefined) this.#missing.push(end.missing);
        return undefined;
    }
  }

  outcome(): PhaseOutcome {
    return {
      collisions: this.#collisions,
      errors: this.#errors,
      missing: this.#missing,
      faults: this.#faults,
      invalid: this.#invalid,
      types: this.#types,
      ...(this.#rotations.length === 0 ? {} : { rotateAt: Math.min(...this.#rotations) }),
    };
  }
}

type Written = Exclude<LookedAt, PendingMember>;

/** How often an object is written that other clients keep changing between the look and the write. */
const maxAttempts = 5;

/** Writes the object. When another client created or changed it since it was looked at, `again` decides anew what is to be done. */
async function written(
  member: PendingMember,
  again: () => Promise<LookedAt>,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<Written> {
  let pending = member;
  for (let attempt = 1; ; attempt++) {
    const { type, desired, isFilled, rotateAt } = pending;
    const result = await writeMember(pending, ports.writer, signal);
    if (result.ok) {
      if (!isApplied(result.value, desired)) noteStoredForm(desired, result.value);
      return { kind: "applied", type, object: result.value, isFilled, ...(rotateAt === undefined ? {} : { rotateAt }) };
    }
    const { kind, status } = result.problem;
    const isOutdated = kind === "alreadyExists" || kind === "conflict";
    if (!isOutdated || attempt === maxAttempts) {
      const missing = missingNamespace(result.problem);
      const isFault = isPreflightFault(result.problem);
      return { kind: "failed", type, message: status.message, isFault, ...(missing === undefined ? {} : { missing }) };
    }
    const found = await again();
    if (found.kind !== "pending") return found;
    pending = found;
  }
}
