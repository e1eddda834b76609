import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { member } from "@purser/kubernetes/json";
import { invalid as invalidField } from "@purser/kubernetes/object/field-error";
import { equalApartFromTimes } from "@purser/kubernetes/object/apply/managed-fields";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Steps } from "@purser/kubernetes/steps";
import type { AdmissionRequest } from "../admission/admission.ts";
import { warningsOf, type WriteEndpoint } from "../kinds/built-in-kind.ts";
import { writeContext } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { revisionProblem, type WriteOptions } from "../request/query.ts";
import { conflict, invalid, modifiedMeanwhile, notFound, unexplained } from "../request/refusal.ts";
import { afterWrite, optionsObject } from "./create.ts";
import { withoutDuplicateOwners } from "./metadata-validation.ts";
import { withOwnership } from "./ownership.ts";
import { storageKey } from "./read.ts";
import type { ObjectRequest } from "./resource-request.ts";
import { registryKey } from "./registry-key.ts";
import { updateErrors } from "./update-validation.ts";
import { type WrittenObject, writtenInSteps } from "../storage/written-object.ts";
import { storable } from "./stored-size.ts";
import { asPersisted, isSameState, oneToServed, toStored } from "./versions.ts";

/** How often a write without a `resourceVersion` is tried again when another one was faster. */
const tries = 5;

export interface Modification {
  readonly options: WriteOptions;
  /** A uid that a PUT carries is a precondition. */
  readonly expectedUid?: string;
  /** Server-side apply has tracked ownership already. */
  readonly ownershipDone: boolean;
  /** The object wanted, decoded and defaulted, from the one that is there. */
  next(live: KubeObject): Steps<Result<KubeObject, ApiStatus>>;
  /** What to do when nothing is there; a 404 by default. */
  missing?(): Promise<Result<KubeObject, ApiStatus>>;
}

/** Reads, changes and writes one object; begins again when another write came between. */
export async function modify(
  request: ObjectRequest,
  change: Modification,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const { machinery, kind, call, name } = request;
  const key = storageKey(kind, request.namespace, name);
  for (let attempt = 1; ; attempt++) {
    // A large object that is not in use is parsed in a turn of its own.
    if (attempt === 1) call.work.holds(machinery.storage.version(kind.table, key)?.size ?? 0);
    await call.work.nextStep();
    const stored = machinery.storage.get(kind.table, key);
    if (stored === undefined) {
      if (change.missing === undefined) return notFound(kind.type, name);
      const created = await change.missing();
      return created.ok ? done({ object: created.value, created: true }) : created;
    }
    await call.work.nextStep();
    const live = await oneToServed(machinery, kind, stored, machinery.storage.version(kind.table, key)?.size);
    if (!live.ok) return live;
    const prepared = await prepare(request, change, live.value);
    if (!prepared.ok) return prepared;
    const { next, persisted, unchanged, text } = prepared.value;
    const leaving = isLeaving(kind, persisted);
    const kept = unchanged ? done(stored) : await toStored(machinery, kind, persisted);
    if (!kept.ok) return kept;
    if (!isSameState(machinery.storage.version(kind.table, key), stored)) {
      if (attempt < tries) continue;
      return conflict(kind.type, name, modifiedMeanwhile);
    }
    if (change.options.dryRun) return done({ object: persisted, created: false });
    if (leaving) {
      // Watchers get the state before its last finalizer was removed.
      machinery.storage.remove(kind.table, key);
      afterWrite(machinery, kind, key);
      // The answer is the object as it was prepared: it was never stored.
      return done({ object: next, created: false });
    }
    if (unchanged) return done({ object: live.value, created: false });
    const written = machinery.storage.put(kind.table, key, kept.value, text);
    afterWrite(machinery, kind, key);
    const shown = kept.value === persisted ? written : withRevision(persisted, written.metadata.resourceVersion ?? "");
    return done({ object: shown, created: false });
  }
}

function withRevision(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

interface Prepared {
  readonly next: KubeObject;
  /** As it is read back once stored. */
  readonly persisted: KubeObject;
  /** It differs from what is there in times of managed fields at most. */
  readonly unchanged: boolean;
  /** Of what is persisted, when it is large. */
  readonly text: WrittenObject | undefined;
}

async function prepare(
  request: ObjectRequest,
  change: Modification,
  live: KubeObject,
): Promise<Result<Prepared, ApiStatus>> {
  const { machinery, kind, call, namespace, name, endpoint } = request;
  const { options, expectedUid } = change;
  const { uid = "" } = live.metadata;
  if (expectedUid !== undefined && expectedUid !== "" && expectedUid !== uid)
    return conflict(
      kind.type,
      name,
      `StorageError: invalid object, Code: 4, Key: ${registryKey(request, options.dryRun)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${expectedUid}, UID in object meta: ${uid}`,
    );
  const wanted = await call.work.through(change.next(live));
  if (!wanted.ok) return wanted;
  await call.work.nextStep();
  const now = formatTime(machinery.clock.now());
  // Field ownership follows from everything that was sent, not from what is stored.
  const tracked = change.ownershipDone
    ? wanted.value
    : await call.work.through(
        withOwnership(kind, endpoint, {
          next: wanted.value,
          old: live,
          manager: options.fieldManager,
          now,
        }),
      );
  const owned = statusOnly(kind, endpoint, tracked, live);
  const admission: AdmissionRequest = {
    kind,
    call,
    operation: "UPDATE",
    namespace: kind.type.namespaced ? namespace : undefined,
    name,
    subresource: endpoint === "main" ? "" : endpoint,
    dryRun: options.dryRun,
    options: optionsObject("UpdateOptions", options),
  };
  await call.work.nextStep();
  const admitted = await machinery.admission.mutate(admission, owned, live);
  if (!admitted.ok) return admitted;
  const deduplicated = withoutDuplicateOwners(admitted.value ?? owned, " after mutating admission happens");
  if (deduplicated.warning !== undefined) call.warnings.add(deduplicated.warning);
  const revision = checkRevision(request, deduplicated.object, live);
  if (!revision.ok) return revision;
  await call.work.nextStep();
  const context = writeContext(machinery, options.dryRun);
  const raw = kind.prepareUpdate(asJson(restored(deduplicated.object, live)), asJson(live), endpoint, context);
  const next = asKubeObject(raw) ?? owned;
  const unallocatable = endpoint === "main" ? (kind.unallocatable?.(asJson(next), context, asJson(live)) ?? []) : [];
  if (unallocatable.length > 0) return invalid(kind.storedAs, name, unallocatable);
  await call.work.nextStep();
  const errors = await call.work.through(updateErrors(kind, next, live, endpoint, context));
  if (errors.length > 0) return invalid(kind.storedAs, name, errors);
  await call.work.nextStep();
  const read = await call.work.through(asPersisted(kind, next));
  await call.work.nextStep();
  const unchanged = await call.work.through(equalApartFromTimes(asJson(read), asJson(live)));
  const isWritten = call.work.isLarge && !unchanged && !options.dryRun;
  const whole = isWritten ? await call.work.through(writtenInSteps(read)) : undefined;
  const place = { key: registryKey(request, false), isUpdate: true };
  const fitting =
    whole === undefined || isLeaving(kind, read)
      ? done(whole)
      : await call.work.through(storable(kind, whole, change.ownershipDone, place));
  const text = fitting.ok ? fitting.value : whole;
  const warnings = endpoint === "main" ? await call.work.through(warningsOf(kind, asJson(next), asJson(live))) : [];
  // The last wait: what a quota has room for now is stored in the same turn.
  await call.work.nextStep();
  for (const warning of warnings) call.warnings.add(warning);
  const valid = await machinery.admission.validate(admission, next, live);
  if (!valid.ok) return valid;
  return fitting.ok ? done({ next, persisted: text?.object ?? read, unchanged, text }) : fitting;
}

/** The status endpoint of a custom resource takes nothing but the status. */
function statusOnly(kind: ServedKind, endpoint: WriteEndpoint, next: KubeObject, live: KubeObject): KubeObject {
  if (kind.custom === undefined || endpoint !== "status") return next;
  const { status: _status, ...rest } = asJson(live);
  const status = member(asJson(next), "status");
  const { resourceVersion } = next.metadata;
  const { resourceVersion: _live, managedFields: _fields, ...kept } = live.metadata;
  const metadata = { ...kept, ...pickDefined({ resourceVersion, managedFields: next.metadata.managedFields }) };
  return { ...rest, ...(status === undefined ? {} : { status }), metadata } as unknown as KubeObject;
}

function pickDefined<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

/** Whether the revision that was sent, if any, is the one that is there. */
export function checkRevision(
  request: Pick<ObjectRequest, "kind" | "name">,
  next: Pick<KubeObject, "metadata">,
  live: KubeObject,
): Result<undefined, ApiStatus> {
  const { kind, name } = request;
  const sent = next.metadata.resourceVersion ?? "";
  if (sent === "" || sent === "0") {
    if (!kind.requiresResourceVersion) return done(undefined);
    return invalid({ group: kind.type.group, kind: kind.type.plural }, name, [
      invalidField("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  const problem = revisionProblem(sent);
  if (problem !== undefined) return unexplained(problem);
  return sent === live.metadata.resourceVersion ? done(undefined) : conflict(kind.type, name, modifiedMeanwhile);
}

/** Metadata that an update cannot touch or may leave out, as it was. */
function restored(next: KubeObject, live: KubeObject): KubeObject {
  const { selfLink: _link, ...sent } = next.metadata as ObjectMeta & { readonly selfLink?: string };
  const old = live.metadata;
  const metadata: Record<string, unknown> = {
    ...sent,
    uid: (sent.uid ?? "") === "" ? old.uid : sent.uid,
    creationTimestamp: old.creationTimestamp,
    resourceVersion: old.resourceVersion,
    generation: old.generation,
    deletionTimestamp: sent.deletionTimestamp ?? old.deletionTimestamp,
    deletionGracePeriodSeconds: sent.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  };
  for (const [key, value] of Object.entries(metadata)) if (value === undefined || value === null) delete metadata[key];
  return { ...next, metadata: metadata as unknown as ObjectMeta };
}

/** The object is being deleted, and neither a finalizer nor a grace period nor the kind's rule delays it. */
function isLeaving(kind: ServedKind, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  const rule = kind.deletion;
  return rule.isHeld?.(object) !== true && (rule.isTimeless === true || deletionGracePeriodSeconds === 0);
}
