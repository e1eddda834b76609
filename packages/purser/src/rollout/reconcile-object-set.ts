import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { applyPhase } from "./apply-phase.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import type { ObjectSetOutcome } from "./plan/object-set-outcome.ts";
import { digestPhases } from "./digest-phases.ts";
import { contentChange, type ObservedPhase } from "./plan/phase-digests.ts";
import { revisionFault } from "./plan/phase-preflight.ts";
import { type PhaseContent, resolvePhases, secretsOf } from "./resolve-phases.ts";
import { SecretContents } from "./secret-contents.ts";
import { tearDown } from "./tear-down.ts";

/**
 * One pass over the objects of a ClusterObjectSet that is not being deleted: applies its phases in order, each only when all
 * before it are complete, or removes them in reverse when it is archived. Writes nothing to the revision itself.
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
  if (!resolved.ok) {
    const { kind, message } = resolved.problem;
    return { kind: kind === "mutable" ? "blocked" : "unresolved", message };
  }
  const phases = resolved.value;
  if (revision.spec?.lifecycleState === "Archived") {
    const { complete, errors, types } = await tearDown(phases, revision, ports, signal);
    if (errors.length > 0) return { kind: "refused", errors, missing: [], types };
    return complete ? { kind: "tornDown" } : { kind: "tearingDown", types };
  }
  const contents = phases.map(({ name, members }) => ({ name, objects: members.map(({ object }) => object) }));
  const content = await digestPhases(contents);
  const change = contentChange(revision.status?.observedPhases, content);
  if (change !== undefined) return { kind: "blocked", message: change };
  const fault = revisionFault(contents);
  if (fault !== undefined) return { kind: "invalid", message: fault, content };
  const outcome = await rollOut(phases, content, siblings, revision, ports, signal);
  if (outcome.kind === "complete") secretContents.forget(secretsOf(revision));
  return outcome;
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
  for (const [index, phase] of phases.entries()) {
    const { collisions, errors, missing, faults, ...applied } = await applyPhase(
      phase,
      revision,
      siblings,
      ports,
      signal,
    );
    types.push(...applied.types);
    if (applied.rotateAt !== undefined) rotations.push(applied.rotateAt);
    if (collisions.length > 0) return { kind: "collided", phase: index, collisions, ...reached };
    if (errors.length > 0) return { kind: "refused", errors, missing, ...reached };
    if (faults.length > 0) return { kind: "rollingOut", faults: faults.slice(0, 1), ...reached };
  }
  return { kind: "complete", ...reached, ...(rotations.length === 0 ? {} : { rotateAt: Math.min(...rotations) }) };
}
