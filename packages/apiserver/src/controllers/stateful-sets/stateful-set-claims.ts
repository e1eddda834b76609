import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { objectAt, objectIn } from "../../kinds/decoding/json-parts.ts";
import { persistentVolumeClaims } from "../../kinds/resource-types.ts";
import { controllerReference } from "../ownership.ts";
import { record } from "../recorder.ts";
import type { Pass } from "../runtime.ts";
import { claimName, claimTemplates, isWanted, ordinalsOf } from "./stateful-set-pods.ts";
import { RefusedError } from "../writer.ts";

const component = "statefulset-controller";

/** A pod of the set, which may not exist yet, with its ordinal. */
export interface Member {
  readonly name: string;
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** Creates the member's missing claims. */
export async function createClaims(pass: Pass, set: KubeObject, { name, ordinal }: Member): Promise<void> {
  const { namespace = "" } = set.metadata;
  const selected = objectAt(asJson(set), "spec", "selector", "matchLabels");
  for (const template of claimTemplates(set)) {
    const claim = claimName(set, template, ordinal);
    const held = pass.get(persistentVolumeClaims, { namespace, name: claim });
    if (held?.metadata.deletionTimestamp !== undefined)
      throw new RefusedError(`create the claims of ${name}`, 409, `pvc ${claim} is being deleted`);
    if (held !== undefined) continue;
    const metadata = objectIn(template, "metadata");
    const labels = { ...objectIn(metadata, "labels"), ...selected };
    const made = await pass.writer.tryCreate(
      persistentVolumeClaims,
      { ...template, metadata: { ...metadata, name: claim, namespace, labels } },
      namespace,
    );
    if (made.ok) {
      const message = `Create Claim ${claim} Pod ${name} in StatefulSet ${set.metadata.name ?? ""} success`;
      await record(pass, set, { component, type: "Normal", reason: "SuccessfulCreate", message });
      continue;
    }
    const { code, message: why } = made.problem;
    const message = `Create Claim ${claim} for Pod ${name} in StatefulSet ${set.metadata.name ?? ""} failed error: ${why}`;
    await record(pass, set, { component, type: "Warning", reason: "FailedCreate", message });
    throw new RefusedError(`create claim ${claim}`, code, `failed to create PVC ${claim}: ${why}`);
  }
}

type Retention = "Retain" | "Delete";

function retentionOf(set: KubeObject): { readonly whenDeleted: Retention; readonly whenScaled: Retention } {
  const { whenDeleted, whenScaled } = objectAt(asJson(set), "spec", "persistentVolumeClaimRetentionPolicy");
  const read = (value: unknown): Retention => (value === "Delete" ? "Delete" : "Retain");
  return { whenDeleted: read(whenDeleted), whenScaled: read(whenScaled) };
}

function refersTo(reference: OwnerReference, object: KubeObject): boolean {
  return (
    reference.apiVersion === object.apiVersion &&
    reference.kind === object.kind &&
    reference.name === object.metadata.name
  );
}

/** The claim's owners under the set's retention policy; undefined when its references are correct. */
function repairedOwners(set: KubeObject, claim: KubeObject, member: Member): readonly OwnerReference[] | undefined {
  const references = claim.metadata.ownerReferences ?? [];
  const { whenDeleted, whenScaled } = retentionOf(set);
  const parties = [set, ...(member.pod === undefined ? [] : [member.pod])];
  const ofParty = (reference: OwnerReference): KubeObject | undefined =>
    parties.find((party) => refersTo(reference, party));
  // It is still owned by a deleted set or pod of the same name: the garbage collector decides.
  if (
    references.some(
      (reference) => ofParty(reference) !== undefined && ofParty(reference)?.metadata.uid !== reference.uid,
    )
  )
    return undefined;
  const others = references.filter((reference) => ofParty(reference) === undefined);
  const mine = references.filter((reference) => ofParty(reference) !== undefined);
  const foreign =
    (whenDeleted === "Delete" || whenScaled === "Delete") && others.some(({ controller }) => controller === true);
  if (foreign) return mine.length === 0 ? undefined : others;
  const wanted = isWanted(ordinalsOf(set), member.ordinal);
  const owners: readonly (KubeObject | undefined)[] = [
    ...(whenDeleted === "Delete" && (wanted || whenScaled === "Retain") ? [set] : []),
    ...(whenScaled === "Delete" && !wanted ? [member.pod] : []),
  ];
  const present = owners.filter((owner) => owner !== undefined);
  const right =
    mine.length === present.length &&
    mine.every(
      (reference) => reference.controller === true && present.some(({ metadata }) => metadata.uid === reference.uid),
    );
  return right
    ? undefined
    : [...others, ...present.map((owner) => controllerReference(owner) as unknown as OwnerReference)];
}

/** Claims of the member whose owners do not match the retention policy, with the correct ones. */
function misowned(
  pass: Pass,
  set: KubeObject,
  member: Member,
): readonly { readonly claim: KubeObject; readonly owners: readonly OwnerReference[] }[] {
  const { namespace = "" } = set.metadata;
  return claimTemplates(set).flatMap((template) => {
    const claim = pass.get(persistentVolumeClaims, { namespace, name: claimName(set, template, member.ordinal) });
    const owners = claim === undefined ? undefined : repairedOwners(set, claim, member);
    return claim === undefined || owners === undefined ? [] : [{ claim, owners }];
  });
}

/** Updates the owners of the member's claims to the retention policy; resolves to whether anything changed. */
export async function keepOrGiveClaims(pass: Pass, set: KubeObject, member: Member): Promise<boolean> {
  const wrong = misowned(pass, set, member);
  for (const { claim, owners } of wrong) {
    const { ownerReferences: _held, ...metadata } = claim.metadata;
    await pass.writer.replace(persistentVolumeClaims, {
      ...claim,
      metadata: { ...metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) },
    });
  }
  return wrong.length > 0;
}

/** Whether a claim of the member is terminating with a former pod: the new pod waits for a new claim. */
export function hasStaleClaim(pass: Pass, set: KubeObject, { name, ordinal }: Member): boolean {
  if (retentionOf(set).whenScaled === "Retain") return false;
  const { namespace = "" } = set.metadata;
  return claimTemplates(set).some((template) => {
    const claim = pass.get(persistentVolumeClaims, { namespace, name: claimName(set, template, ordinal) });
    return claim?.metadata.ownerReferences?.some((reference) => reference.kind === "Pod" && reference.name === name);
  });
}
