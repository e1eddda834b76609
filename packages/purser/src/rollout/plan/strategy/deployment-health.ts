import type { Deployment } from "@purser/kubernetes/apis/apps";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { StrategyDeployment } from "../../../apis/v0/cluster-service-version.ts";
import { deploymentSpecHashLabel } from "../../../apis/v0/labels.ts";
import { desiredDeployment, podAnnotations, strategyDeployments } from "./csv-deployment.ts";
import { editedField } from "./deployment-edits.ts";
import { hasOwnerLabels, ownerOf } from "./csv-owner.ts";
import { trustedAuthorityHash } from "./serving-authority.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/** The first reason why an install strategy is not healthy; `message` is upstream's text. */
export type StrategyHealth =
  | { readonly kind: "healthy" }
  | {
      readonly kind:
        | "componentMissing"
        | "waiting"
        | "annotationsMissing"
        | "deploymentUpdated"
        /** The Deployment was written for another content of the CSV, its configuration or the proxy; the message has both hashes. */
        | "configurationChanged";
      readonly message: string;
    }
  /** The strategy cannot become healthy by waiting. */
  | { readonly kind: "timeout" | "invalidStrategy"; readonly message: string };

/**
 * Checks every Deployment of the strategy in order, as OLM's `checkForDeployments`, and whether others edited it, which OLM does not
 * check.
 */
export function checkDeployments(world: StrategyWorld, edits: "repaired" | "kept"): StrategyHealth {
  const owner = ownerOf(world.csv);
  const candidates = new Map(
    world.deployments
      .filter(({ metadata }) => hasOwnerLabels(metadata.labels, owner))
      .map((deployment) => [deployment.metadata.name ?? "", deployment]),
  );
  for (const entry of strategyDeployments(world)) {
    const live = candidates.get(entry.name);
    if (live === undefined) return { kind: "componentMissing", message: `missing deployment with name=${entry.name}` };
    const unready = readiness(entry.name, live);
    // A roll-out that cannot finish must not keep back the change that would let it finish.
    const outdated = hasOtherHash(world, entry, live);
    const stale = unready !== undefined && outdated ? specFault(world, entry, live) : undefined;
    // What an outdated Deployment holds differs from the CSV without any edit.
    const edit = edits === "repaired" && !outdated ? editFault(world, entry, live) : undefined;
    const fault = stale ?? edit ?? unready ?? annotationFault(world, live) ?? specFault(world, entry, live);
    if (fault !== undefined) return fault;
  }
  return { kind: "healthy" };
}

function readiness(name: string, { metadata, status }: Deployment): StrategyHealth | undefined {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, conditions } = status ?? {};
  const waiting = (why: string): StrategyHealth => ({
    kind: "waiting",
    message: `waiting for deployment ${name} to become ready: ${why}`,
  });
  const generation = metadata.generation ?? 0;
  if (generation > observedGeneration)
    return waiting(`waiting for spec update of deployment "${name}" to be observed...`);
  if (findCondition(conditions, "Progressing")?.reason === "ProgressDeadlineExceeded") {
    return {
      kind: "timeout",
      message: `deployment ${name} not ready before timeout: deployment "${name}" exceeded its progress deadline`,
    };
  }
  if (replicas > updatedReplicas) {
    return waiting(
      `deployment "${name}" waiting for ${replicas - updatedReplicas} outdated replica(s) to be terminated`,
    );
  }
  const available = findCondition(conditions, "Available");
  if (available === undefined) return waiting(`deployment "${name}" not available: missing condition "Available"`);
  if (available.status !== "True") return waiting(`deployment "${name}" not available: ${available.message ?? ""}`);
  return undefined;
}

/** Every annotation of the CSV must be set on the pod template, because operators read them there. */
function annotationFault({ csv }: StrategyWorld, live: Deployment): StrategyHealth | undefined {
  const wanted = Object.entries(podAnnotations(csv)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const found = live.spec?.template.metadata?.annotations;
  if (wanted.length === 0) return undefined;
  const missing = (message: string): StrategyHealth => ({ kind: "annotationsMissing", message });
  if (found === undefined || Object.keys(found).length === 0) return missing("no annotations found on deployment");
  for (const [key, value] of wanted) {
    if (!Object.hasOwn(found, key)) return missing(`annotations on deployment does not contain expected key: ${key}`);
    const held = found[key] ?? "";
    if (held !== value) {
      return missing(`unexpected annotation on deployment. Expected ${key}:${value}, found ${key}:${held}`);
    }
  }
  return undefined;
}

/** A Deployment that others edited is written anew, also while it does not become ready because of the edit. */
function editFault(world: StrategyWorld, entry: StrategyDeployment, live: Deployment): StrategyHealth | undefined {
  const authorityHash = trustedAuthorityHash(world, entry.name);
  if (!authorityHash.ok) return undefined;
  const field = editedField(live, desiredDeployment(world, entry, authorityHash.value).object);
  if (field === undefined) return undefined;
  return { kind: "deploymentUpdated", message: `deployment ${entry.name} was edited: ${field} differs from the CSV` };
}

/** Whether the live object was written for another content of the strategy or its configuration. */
function hasOtherHash(world: StrategyWorld, entry: StrategyDeployment, live: Deployment): boolean {
  const label = live.metadata.labels?.[deploymentSpecHashLabel] ?? "";
  const authorityHash = trustedAuthorityHash(world, entry.name);
  return label !== "" && authorityHash.ok && label !== desiredDeployment(world, entry, authorityHash.value).specHash;
}

function specFault(world: StrategyWorld, entry: StrategyDeployment, live: Deployment): StrategyHealth | undefined {
  const updated = (message: string): StrategyHealth => ({ kind: "deploymentUpdated", message });
  const label = live.metadata.labels?.[deploymentSpecHashLabel] ?? "";
  if (label === "") return updated(`deployment ${entry.name} doesn't have a spec hash, update it`);
  const authorityHash = trustedAuthorityHash(world, entry.name);
  if (!authorityHash.ok) return updated(`couldn't calculate deployment spec hash: ${authorityHash.problem}`);
  const { specHash } = desiredDeployment(world, entry, authorityHash.value);
  if (label === specHash) return undefined;
  return { kind: "configurationChanged", message: `deployment changed old hash=${label}, new hash=${specHash}` };
}
