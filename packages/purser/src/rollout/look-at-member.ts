import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { bundleObjectsFieldManager } from "../apis/v1/labels.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { done } from "@purser/kubernetes/result";
import { derivedOnce } from "../derived-once.ts";
import { fillCertificates } from "./fill-certificates.ts";
import { keyIn, owned } from "./member-object.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { appliedAlready, hasAllOf } from "./plan/applied-already.ts";
import { decideCollision, effectiveProtection } from "./plan/collision.ts";
import { isCreatedOnly } from "./plan/created-fields.ts";
import type { MissingPrerequisite } from "./plan/missing-prerequisite.ts";
import { type Collision, collisionOf, describeObject } from "./plan/owned-elsewhere.ts";
import { isStoredForm } from "./memory/stored-forms.ts";
import type { PhaseContent, PhaseMember } from "./resolve-phases.ts";

/** An object of a revision as it is to be written. */
export interface PendingMember {
  readonly kind: "pending";
  readonly type: ResourceType;
  /** With the resourceVersion of `live`, which makes the write fail when the object changed meanwhile. */
  readonly desired: KubeObject;
  /** As read before; undefined when it does not exist. */
  readonly live: KubeObject | undefined;
  readonly rotateAt?: number;
  /** Holds a certificate or an authority that follows from other objects. */
  readonly isFilled: boolean;
}

/** How one object of a phase stands. `rotateAt`: epoch milliseconds at which its certificate is due. */
export type LookedAt =
  | PendingMember
  | ({ readonly type?: ResourceType; readonly rotateAt?: number; readonly isFilled?: boolean } & (
      | { readonly kind: "applied"; readonly object: KubeObject }
      /** A newer revision controls the object, as it is on the cluster; its probes count all the same. */
      | { readonly kind: "progressed"; readonly object: KubeObject }
      | { readonly kind: "collision"; readonly collision: Collision }
      /** `isFault`: the API server refused to write the object as it is. */
      | {
          readonly kind: "failed";
          readonly message: string;
          readonly missing?: MissingPrerequisite;
          readonly isFault?: boolean;
        }
    ));

/** While nothing changes, pass after pass compares the same objects, of megabytes. `desired` follows from the object and its metadata. */
const appliedOnce = derivedOnce(
  (_: JsonObject, { live, desired }: { readonly live: KubeObject; readonly desired: KubeObject }) =>
    isApplied(live, desired),
  ({ live: { metadata }, desired }) =>
    JSON.stringify([metadata.uid, metadata.resourceVersion, desired.apiVersion, desired.metadata]),
);

/** Whether a write of `desired` would not change `live`. False when in doubt. */
export function isApplied(live: KubeObject, desired: KubeObject): boolean {
  return isCreatedOnly(live, bundleObjectsFieldManager)
    ? // This revision created it, or its owner reference and annotation would differ; other fields are the server's defaults.
      hasAllOf(live, desired)
    : appliedAlready(live, desired, bundleObjectsFieldManager);
}

/** What a look begins with: a read, the object as it was seen, or that it does not exist, which a POST that meets one finds out. */
export type LookStart = "unread" | "absent" | KubeObject;

/** Decides whether the revision may and has to write an object of a phase, which is read unless `start` says how it is. */
export async function lookAtMember(
  { object: given, protection }: PhaseMember,
  phase: PhaseContent,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  ports: ObjectSetPorts,
  start: LookStart = "unread",
): Promise<LookedAt> {
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
  const read =
    start === "unread"
      ? await readOrRefusal(ports.reader.get(type, keyIn(type, manifest)))
      : done(start === "absent" ? undefined : start);
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
  const desired = owned(object, type, revision, siblings, live);
  const isFilled = object !== given;
  return live !== undefined && (appliedOnce(object, { live, desired }) || isStoredForm(live, desired))
    ? { kind: "applied", type, object: live, isFilled, ...due }
    : { kind: "pending", type, desired, live, isFilled, ...due };
}
