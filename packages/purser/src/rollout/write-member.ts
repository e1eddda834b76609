import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { bundleObjectsFieldManager } from "../apis/v1/labels.ts";
import { plainJson } from "@purser/kubernetes/json";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { PendingMember } from "./look-at-member.ts";
import { asApplied } from "./plan/created-fields.ts";
import { isPreflightFault } from "./plan/phase-preflight.ts";
import { keyIn } from "./member-object.ts";

/**
 * Creates the object by POST, which changes nothing when another client was faster, or applies it. Fields that were set when
 * it was created become applied ones first; that costs a write once for each object, and only when it changes.
 */
export async function writeMember(
  { type, desired, live }: PendingMember,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<KubeObject, WriteRefusal>> {
  if (live === undefined) return stored(firstWrite(type, desired), desired, writer, signal);
  const managedFields = asApplied(live, bundleObjectsFieldManager);
  if (managedFields === undefined) return stored(laterWrite(type, desired), desired, writer, signal);
  const patch = plainJson({ metadata: { resourceVersion: live.metadata.resourceVersion, managedFields } });
  const key = keyIn(type, desired);
  const moved = await writer.write({ verb: "patch", type, key, patch, patchType: "merge" }, signal);
  if (!moved.ok) return moved;
  const resourceVersion = moved.value.object?.metadata.resourceVersion;
  const { resourceVersion: _before, ...metadata } = desired.metadata;
  const next = { ...desired, metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
  return stored(laterWrite(type, next), desired, writer, signal);
}

/**
 * What the API server has against the write, asked by a dry run; undefined when nothing, or when it cannot be asked. Owner
 * references are left out: beside those of the revision before, which its POST set, there would be two controllers.
 */
export async function faultOfWrite(
  { type, desired, live }: PendingMember,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<WriteRefusal | undefined> {
  const { ownerReferences: _owners, ...metadata } = desired.metadata;
  const object = { ...desired, metadata };
  const write = live === undefined ? firstWrite(type, object) : laterWrite(type, object);
  const asked = await writer.write({ ...write, dryRun: true }, signal);
  return asked.ok || !isPreflightFault(asked.problem) ? undefined : asked.problem;
}

type MemberWrite = Extract<ObjectWrite, { readonly verb: "create" | "apply" }>;

const firstWrite = (type: PendingMember["type"], object: KubeObject): MemberWrite => ({
  verb: "create",
  type,
  object,
  fieldManager: bundleObjectsFieldManager,
});

const laterWrite = (type: PendingMember["type"], object: KubeObject): MemberWrite => ({
  verb: "apply",
  type,
  object,
  fieldManager: bundleObjectsFieldManager,
  force: true,
});

async function stored(
  write: MemberWrite,
  otherwise: KubeObject,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<KubeObject, WriteRefusal>> {
  const written = await writer.write(write, signal);
  return written.ok ? done(written.value.object ?? otherwise) : failed(written.problem);
}
