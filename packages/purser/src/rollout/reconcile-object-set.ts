import type { Condition } from "@purser/kubernetes/apis/condition";
import type { GroupVersionKind, ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { Explanation } from "../explanation/explanation.ts";
import type { KindLookup } from "@purser/kubernetes/kube/discovery";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { applyPhase } from "./apply-phase.ts";
import { objectSetConditions, type ObjectSetState, progressDeadline } from "./plan/object-set-status.ts";
import { collisionReport, ownedElsewhere } from "./plan/owned-elsewhere.ts";
import { contentChange, type ObservedPhase, phaseDigests } from "./plan/phase-digests.ts";
import { revisionFault } from "./plan/phase-preflight.ts";
import { type PhaseContent, resolvePhases } from "./resolve-phases.ts";
import { tearDown } from "./tear-down.ts";

export interface ObjectSetPorts {
  /** Live reads of any served kind. */
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  lookUp(kind: GroupVersionKind): Promise<KindLookup>;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** The new status of a revision and what is still to do; the caller writes it (one writer per status). */
export interface ObjectSetOutcome {
  readonly conditions: readonly Condition[];
  readonly observedPhases?: readonly ObservedPhase[];
  /** Ask again after this many milliseconds, beside any change of an object. */
  readonly recheckAfterMs?: number;
  /** Retried with backoff; the same text stands in a condition. */
  readonly error?: string;
  /** Lower revisions to archive, now that this one is complete. */
  readonly archive: readonly string[];
  /** An archived or deleted revision that holds nothing any more: its finalizer may go. */
  readonly released: boolean;
  /** Kinds that the revision holds, to be watched. */
  readonly kinds: readonly ResourceType[];
  /** Why the revision does not go on, e.g. `ObjectOwnedElsewhere`. */
  readonly explanation?: Explanation;
}

const collisionRecheckMs = 10_000;
const tearDownRecheckMs = 5_000;
/** Timers are kept short of what they can hold; a certificate is due in years. */
const longestRecheckMs = 12 * 3_600_000;

/**
 * One pass over a ClusterObjectSet (3.11 of the v1 spec): applies its phases in order, each only when all before it are
 * complete, or tears them down in reverse when it is archived. The caller keeps the teardown finalizer on it meanwhile.
 */
export async function reconcileObjectSet(
  revision: ClusterObjectSet,
  /** All ClusterObjectSets of the same owner, the revision itself among them. */
  family: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const pass = new Pass(revision, ports);
  // Its objects go through their owner references.
  if (revision.metadata.deletionTimestamp !== undefined) return pass.end(undefined, { released: true });
  const resolved = await resolvePhases(revision, ports.reader);
  if (!resolved.ok) {
    const { kind, message } = resolved.problem;
    return kind === "mutable" ? pass.end({ kind: "blocked", message }) : pass.retry(message);
  }
  const phases = resolved.value;
  if (revision.spec?.lifecycleState === "Archived") return archive(phases, pass, revision, ports, signal);
  const contents = phases.map(({ name, members }) => ({ name, objects: members.map(({ object }) => object) }));
  const digests = phaseDigests(contents);
  const change = contentChange(revision.status?.observedPhases, digests);
  if (change !== undefined) return pass.end({ kind: "blocked", message: change });
  pass.observed = digests;
  const fault = revisionFault(contents);
  if (fault !== undefined) {
    return pass.end({ kind: "retrying", message: fault, unknown: false }, { recheckAfterMs: collisionRecheckMs });
  }
  return rollOut(phases, family, pass, revision, ports, signal);
}

async function archive(
  phases: readonly PhaseContent[],
  pass: Pass,
  revision: ClusterObjectSet,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const outcome = await tearDown(phases, revision, ports, signal);
  if (outcome.errors.length > 0) return pass.retry(outcome.errors.join("\n"));
  if (outcome.complete) return pass.end({ kind: "archived" }, { released: true });
  const message = "removing revision resources that are not owned by another revision";
  return pass.end(
    { kind: "retrying", message, unknown: false },
    { recheckAfterMs: tearDownRecheckMs, kinds: outcome.kinds },
  );
}

async function rollOut(
  phases: readonly PhaseContent[],
  family: readonly ClusterObjectSet[],
  pass: Pass,
  revision: ClusterObjectSet,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const siblings = family.filter(
    ({ metadata, spec }) =>
      metadata.uid !== revision.metadata.uid &&
      metadata.deletionTimestamp === undefined &&
      spec?.lifecycleState === "Active",
  );
  const kinds: ResourceType[] = [];
  const rotations: number[] = [];
  for (const [index, phase] of phases.entries()) {
    const { collisions, errors, faults, ...applied } = await applyPhase(phase, revision, siblings, ports, signal);
    kinds.push(...applied.kinds);
    if (applied.rotateAt !== undefined) rotations.push(applied.rotateAt);
    if (collisions.length > 0) {
      return pass.end(
        { kind: "retrying", message: collisionReport(index, collisions), unknown: false },
        { recheckAfterMs: collisionRecheckMs, kinds, explanation: ownedElsewhere(collisions) },
      );
    }
    if (errors.length > 0) return pass.retry(errors.join("\n"), kinds);
    const [faulty] = faults;
    if (faulty !== undefined) return pass.end({ kind: "rollingOut", faults: [faulty] }, { kinds });
  }
  const lower = siblings.filter(({ spec }) => (spec?.revision ?? 0) < (revision.spec?.revision ?? 0));
  const due = rotations.length === 0 ? undefined : Math.max(0, Math.min(...rotations) - ports.clock.now());
  return pass.end(
    { kind: "complete" },
    {
      kinds,
      archive: lower.map(({ metadata }) => metadata.name ?? ""),
      ...(due === undefined ? {} : { recheckAfterMs: Math.min(due, longestRecheckMs) }),
    },
  );
}

/** Collects what one pass found out. */
class Pass {
  observed: readonly ObservedPhase[] | undefined;
  readonly #revision: ClusterObjectSet;
  readonly #ports: ObjectSetPorts;

  constructor(revision: ClusterObjectSet, ports: ObjectSetPorts) {
    this.#revision = revision;
    this.#ports = ports;
  }

  retry(message: string, kinds: readonly ResourceType[] = []): ObjectSetOutcome {
    return { ...this.end({ kind: "retrying", message, unknown: true }, { kinds }), error: message };
  }

  end(state: ObjectSetState | undefined, more: Partial<ObjectSetOutcome> = {}): ObjectSetOutcome {
    const now = this.#ports.clock.now();
    const observedPhases = this.#revision.status?.observedPhases ?? this.observed;
    const recheckAfterMs = this.#recheck(now, more.recheckAfterMs);
    return {
      archive: [],
      released: false,
      kinds: [],
      ...more,
      conditions:
        state === undefined
          ? (this.#revision.status?.conditions ?? [])
          : objectSetConditions(this.#revision, state, now),
      ...(observedPhases === undefined ? {} : { observedPhases }),
      ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
    };
  }

  /** At the latest when the deadline passes, so that it shows on time. */
  #recheck(now: number, wanted: number | undefined): number | undefined {
    const deadline = progressDeadline(this.#revision);
    const left = deadline === undefined || deadline <= now ? undefined : deadline - now;
    if (left === undefined) return wanted;
    return wanted === undefined ? left : Math.min(wanted, left);
  }
}
