import type { KubeObject, ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import {
  bundleObjectsFieldManager,
  managedByLabel,
  managedByValue,
  ownerNameLabel,
  revisionAnnotation,
} from "../apis/v1/labels.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { derivedOnce } from "../derived-once.ts";
import { fillCertificates } from "./fill-certificates.ts";
import { appliedAlready } from "./plan/applied-already.ts";
import { type Collision, collisionOf } from "./plan/owned-elsewhere.ts";
import { decideCollision, effectiveProtection } from "./plan/collision.ts";
import { type MissingPrerequisite, missingNamespace } from "./plan/missing-prerequisite.ts";
import { probeFaults } from "./plan/probes.ts";
import { describeObject } from "./plan/owned-elsewhere.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import type { PhaseContent, PhaseMember } from "./resolve-phases.ts";

/** How one phase stands after its objects were applied. */
export interface PhaseOutcome {
  readonly collisions: readonly Collision[];
  /** Texts of refused writes and of kinds that are not served. */
  readonly errors: readonly string[];
  /** What the objects behind some of the errors need to exist. */
  readonly missing: readonly MissingPrerequisite[];
  /** `Object <Kind>.<apiVersion> <ns>/<name>: …` of objects whose probes do not pass, in order. */
  readonly faults: readonly string[];
  readonly types: readonly ResourceType[];
  /** Epoch milliseconds of the next certificate that is due. */
  readonly rotateAt?: number;
}

function ownReference({ metadata }: ClusterObjectSet): OwnerReference {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Applies all objects of a phase; one that fails does not stop the others. */
export async function applyPhase(
  phase: PhaseContent,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<PhaseOutcome> {
  const collisions: Collision[] = [];
  const errors: string[] = [];
  const missing: MissingPrerequisite[] = [];
  const faults: string[] = [];
  const types: ResourceType[] = [];
  const rotations: number[] = [];
  for (const member of phase.members) {
    const applied = await applyMember(member, phase, revision, siblings, ports, signal);
    if (applied.type !== undefined) types.push(applied.type);
    if (applied.rotateAt !== undefined) rotations.push(applied.rotateAt);
    switch (applied.kind) {
      case "applied":
      case "progressed": {
        const found = probeFaults(applied.object, revision.spec?.progressionProbes ?? []);
        if (found.length > 0) faults.push(`Object ${describeObject(applied.object)}: ${found.join(" and ")}`);
        break;
      }
      case "collision":
        collisions.push(applied.collision);
        break;
      case "failed":
        errors.push(applied.message);
        if (applied.missing !== undefined) missing.push(applied.missing);
        break;
    }
  }
  return {
    collisions,
    errors,
    missing,
    faults,
    types,
    ...(rotations.length === 0 ? {} : { rotateAt: Math.min(...rotations) }),
  };
}

/** While nothing changes, pass after pass compares the same objects, of megabytes. `desired` follows from the object and its metadata. */
const appliedOnce = derivedOnce(
  (_: JsonObject, { live, desired }: { readonly live: KubeObject; readonly desired: KubeObject }) =>
    appliedAlready(live, desired, bundleObjectsFieldManager),
  ({ live: { metadata }, desired }) =>
    JSON.stringify([metadata.uid, metadata.resourceVersion, desired.apiVersion, desired.metadata]),
);

type Applied = { readonly type?: ResourceType; readonly rotateAt?: number } & (
  | { readonly kind: "applied"; readonly object: KubeObject }
  /** A newer revision controls the object, as it is on the cluster; its probes count all the same. */
  | { readonly kind: "progressed"; readonly object: KubeObject }
  | { readonly kind: "collision"; readonly collision: Collision }
  | { readonly kind: "failed"; readonly message: string; readonly missing?: MissingPrerequisite }
);

async function applyMember(
  { object: given, protection }: PhaseMember,
  phase: PhaseContent,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<Applied> {
  const manifest = given as unknown as KubeObject;
  const { apiVersion, kind } = manifest;
  const found = await ports.lookUp({ ...parseApiVersion(apiVersion), kind });
  if (found.kind !== "served") {
    const why = found.kind === "absent" ? "" : `: the server of ${apiVersion} does not answer: ${found.why}`;
    const message = `no matches for kind "${kind}" in version "${apiVersion}"${why}`;
    if (found.kind === "unavailable") return { kind: "failed", message };
    return { kind: "failed", message, missing: { kind: "api", apiVersion, served: kind } };
  }
  const { type } = found;
  const key = keyIn(type, manifest);
  const read = await readOrRefusal(ports.reader.get(type, key));
  if (!read.ok)
    return { kind: "failed", type, message: `getting ${describeObject(manifest)}: ${read.problem.status.message}` };
  const live = read.value;
  if (live !== undefined) {
    const setting = effectiveProtection(protection, phase.protection, revision.spec?.collisionProtection);
    const decision = decideCollision(live, revision, siblings, setting);
    if (decision.kind === "progressed") return { kind: "progressed", type, object: live };
    if (decision.kind === "collision") {
      return { kind: "collision", type, collision: collisionOf(live, bundleObjectsFieldManager) };
    }
  }
  const filled = await fillCertificates(given, ports);
  if (!filled.ok) return { kind: "failed", type, message: filled.problem };
  const { object, rotateAt } = filled.value;
  const due = rotateAt === undefined ? {} : { rotateAt };
  const desired = owned(object, type, revision, live?.metadata.resourceVersion);
  if (live !== undefined && appliedOnce(object, { live, desired }))
    return { kind: "applied", type, object: live, ...due };
  const written = await ports.writer.write(
    {
      verb: "apply",
      type,
      object: desired,
      fieldManager: bundleObjectsFieldManager,
      // An object that is created has no other field manager, so a conflict means that another client has just created it.
      force: live !== undefined,
    },
    signal,
  );
  if (!written.ok) {
    const missing = missingNamespace(written.problem);
    const { message } = written.problem.status;
    return { kind: "failed", type, message, ...(missing === undefined ? {} : { missing }) };
  }
  const result = written.value.object ?? manifest;
  const foreign = collisionOf(result, bundleObjectsFieldManager);
  if (live === undefined && foreign.managers.length > 0) {
    // Another client created the object between the read and the write: remove the fields that were applied.
    const bare = { apiVersion, kind, metadata: { ...key } };
    await ports.writer.write(
      { verb: "apply", type, object: bare, fieldManager: bundleObjectsFieldManager, force: false },
      signal,
    );
    return { kind: "collision", type, collision: foreign };
  }
  return { kind: "applied", type, object: result, ...due };
}

function keyIn(type: ResourceType, { metadata }: KubeObject): ObjectKey {
  const { name = "", namespace } = metadata;
  return type.namespaced && namespace !== undefined ? { namespace, name } : { name };
}

/** The control plane fills the rules of an aggregated ClusterRole; applying rules would conflict with it in every pass. */
function withoutAggregatedRules(object: JsonObject): JsonObject {
  if (object["kind"] !== "ClusterRole" || !isJsonObject(object["aggregationRule"])) return object;
  const { rules: _, ...rest } = object;
  return rest;
}

/** The object with the revision's labels, annotations and owner reference; `resourceVersion` makes the write fail when the object changed meanwhile. */
function owned(
  object: JsonObject,
  type: ResourceType,
  revision: ClusterObjectSet,
  resourceVersion: string | undefined,
): KubeObject {
  const manifest = withoutAggregatedRules(object) as unknown as KubeObject;
  const { namespace, ...metadata } = manifest.metadata;
  const owner = revision.metadata.labels?.[ownerNameLabel];
  return {
    ...manifest,
    metadata: {
      ...metadata,
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      labels: {
        ...metadata.labels,
        [managedByLabel]: managedByValue,
        ...(owner === undefined ? {} : { [ownerNameLabel]: owner }),
      },
      annotations: { ...metadata.annotations, [revisionAnnotation]: String(revision.spec?.revision ?? 0) },
      ownerReferences: [ownReference(revision)],
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
