import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { applyPhase } from "./apply-phase.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import type { ObjectSetOutcome } from "./plan/object-set-outcome.ts";
import { digestPhases } from "./digest-phases.ts";
import { contentChange, type ObservedPhase } from "./plan/phase-digests.ts";
import { preflightFault, revisionFault } from "./plan/phase-preflight.ts";
import { ownedPhases } from "./owned-phases.ts";
import { type PhaseContent, resolvePhases, secretsOf } from "./resolve-phases.ts";
import { hasSucceeded } from "./memory/phase-memory.ts";
import { SecretContents } from "./memory/secret-contents.ts";
import { tearDown } from "./tear-down.ts";

/**
 * One pass over the objects of a ClusterObjectSet that is not being deleted: applies its phases in order, each only when all
 * before it are complete, or removes them in reverse when it is archived, and only while its content is the pinned one.
 * Writes nothing to the revision itself.
 */
export async function reconcileObjectSet(
  revision: ClusterObjectSet,
  /** Active revisions of the same extension, without `revision`. */
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const { secretContents = new SecretContents() } = ports;
  const resolved = await resolvePhases(revision, ports.reader, secretContents);
  const isArchived = revision.spec?.lifecycleState === "Archived";
  if (!resolved.ok) {
    const { kind, message } = resolved.problem;
    if (kind === "lost" && isArchived) {
      const owned = await ownedPhases(revision, ports);
      return owned.ok
        ? remove(owned.value, revision, ports, signal)
        : { kind: "unresolved", message: `${message}; ${owned.problem}` };
    }
    return { kind: kind === "mutable" ? "blocked" : "unresolved", message };
  }
  const phases = resolved.value;
  const contents = phases.map(({ name, members }) => ({ name, objects: members.map(({ object }) => object) }));
  const content = await digestPhases(contents);
  const change = contentChange(revision.status?.observedPhases, content);
  if (change !== undefined) return { kind: "blocked", message: change };
  if (isArchived) return remove(phases, revision, ports, signal);
  const fault = revisionFault(contents);
  if (fault !== undefined) return { kind: "invalid", message: fault, content };
  const outcome = await rollOut(phases, content, siblings, revision, ports, signal);
  // Its status wakes it once more when it has rolled out.
  if (outcome.kind === "complete" && hasSucceeded(revision)) secretContents.forget(secretsOf(revision));
  return outcome;
}

async function remove(
  phases: readonly PhaseContent[],
  revision: ClusterObjectSet,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const { complete, errors, types } = await tearDown(phases, revision, ports, signal);
  if (errors.length > 0) return { kind: "refused", errors, missing: [], types };
  return complete ? { kind: "tornDown" } : { kind: "tearingDown", types };
}

async function rollOut(
  phases: readonly PhaseContent[],
  content: readonly ObservedPhase[],
  siblings: readonly ClusterObjectSet[],
  revision: ClusterObjectSet,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<ObjectSetOutcome> {
  const types: ResourceType[] = [];
  const reached = { content, types };
  const rotations: number[] = [];
  let skimmed: { readonly isSkimmed?: true } = {};
  for (const [index, phase] of phases.entries()) {
    const { collisions, errors, missing, faults, invalid, ...applied } = await applyPhase(
      phase,
      revision,
      siblings,
      ports,
      signal,
    );
    types.push(...applied.types);
    if (applied.isSkimmed === true) skimmed = { isSkimmed: true };
    if (applied.rotateAt !== undefined) rotations.push(applied.rotateAt);
    if (invalid.length > 0) return { kind: "invalid", message: preflightFault(index, phase.name, invalid), ...reached };
    if (collisions.length > 0) return { kind: "collided", phase: index, collisions, ...reached };
    if (errors.length > 0) return { kind: "refused", errors, missing, ...reached };
    if (faults.length > 0) return { kind: "rollingOut", faults: faults.slice(0, 1), ...reached, ...skimmed };
  }
  return {
    kind: "complete",
    ...reached,
    ...skimmed,
    ...(rotations.length === 0 ? {} : { rotateAt: Math.min(...rotations) }),
  };
}
