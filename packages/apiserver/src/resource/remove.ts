import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { successObject } from "@purser/kubernetes/apis/status";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Call } from "../call.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import type { ListOptions } from "../request/query.ts";
import { conflict, preconditionFailed, modifiedMeanwhile, notFound } from "../request/refusal.ts";
import { afterWrite } from "./create.ts";
import type { DeleteOptions } from "./delete-options.ts";
import type { Output } from "./output.ts";
import { findPage, storageKey } from "./read.ts";
import type { ObjectRequest, ResourceRequest } from "./resource-request.ts";
import { isSameState, oneToServed } from "./versions.ts";
import { turns } from "../turns.ts";

const tries = 5;

export interface Removal {
  /** Undefined: removed at once. */
  readonly waiting: KubeObject | undefined;
  /** As it was, or as it waits. */
  readonly object: KubeObject;
}

function warn(kind: ServedKind, call: Call, { propagation }: DeleteOptions): void {
  const { warning } = kind.deletion;
  if (warning !== undefined && propagation === undefined) call.warnings.add(warning);
}

/** Deletes one object, or marks it and lets its finalizers and its grace period run. */
export async function removeObject(
  { machinery, kind, call, namespace, name }: Omit<ObjectRequest, "endpoint">,
  options: DeleteOptions,
  /** What admission takes for its name. */
  admittedName = name,
): Promise<Result<Removal, ApiStatus>> {
  warn(kind, call, options);
  const key = storageKey(kind, namespace, name);
  for (let attempt = 1; ; attempt++) {
    const stored = machinery.storage.get(kind.table, key);
    if (stored === undefined) return notFound(kind.type, name);
    const live = await oneToServed(machinery, kind, stored);
    if (!live.ok) return live;
    const conditions = checkPreconditions(kind, name, options, live.value);
    if (!conditions.ok) return conditions;
    const admission: AdmissionRequest = {
      kind,
      call,
      operation: "DELETE",
      namespace: kind.type.namespaced ? namespace : undefined,
      name: admittedName,
      subresource: "",
      dryRun: options.dryRun,
      options: options.object,
    };
    const mutated = await machinery.admission.mutate(admission, undefined, live.value);
    if (!mutated.ok) return mutated;
    const valid = await machinery.admission.validate(admission, undefined, live.value);
    if (!valid.ok) return valid;
    if (!isSameState(machinery.storage.version(kind.table, key), stored)) {
      if (attempt < tries) continue;
      return conflict(kind.type, name, modifiedMeanwhile);
    }
    const marked = mark(machinery, kind, stored, options);
    if (marked === undefined) {
      const final = options.dryRun ? stored : (machinery.storage.remove(kind.table, key) ?? stored);
      if (!options.dryRun) afterWrite(machinery, kind, key);
      const last = kind.deletion.last?.(final, machinery.clock.now()) ?? final;
      return done({ waiting: undefined, object: shownAs(live.value, last) });
    }
    if (marked === stored) return done({ waiting: live.value, object: live.value });
    const written = options.dryRun ? marked : machinery.storage.put(kind.table, key, marked);
    if (!options.dryRun) afterWrite(machinery, kind, key);
    const shown = shownAs(live.value, written);
    return done({ waiting: shown, object: shown });
  }
}

/** The served form of `live` with the metadata that was just written. */
function shownAs(live: KubeObject, written: KubeObject): KubeObject {
  return live.apiVersion === written.apiVersion && live.kind === written.kind
    ? written
    : { ...live, metadata: written.metadata };
}

function checkPreconditions(
  kind: ServedKind,
  name: string,
  { uid, resourceVersion }: DeleteOptions,
  { metadata }: KubeObject,
): Result<undefined, ApiStatus> {
  const { hasOwnPreconditions = false } = kind.deletion;
  const failed = (what: string, sent: string, held = ""): Result<undefined, ApiStatus> =>
    conflict(kind.type, name, `Precondition failed: ${what} in precondition: ${sent}, ${what} in object meta: ${held}`);
  if (hasOwnPreconditions && uid !== undefined && uid !== metadata.uid) return failed("UID", uid, metadata.uid);
  if (hasOwnPreconditions && resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    return failed("ResourceVersion", resourceVersion, metadata.resourceVersion);
  if (uid !== undefined && uid !== metadata.uid)
    return preconditionFailed(
      kind.storedAs,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    return preconditionFailed(
      kind.storedAs,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ""}). The object might have been modified`,
    );
  return done(undefined);
}

const collectorFinalizers = ["orphan", "foregroundDeletion"];

/** Finalizers after the propagation policy was applied. */
function finalizersAfter(kind: ServedKind, object: KubeObject, options: DeleteOptions): readonly string[] {
  const present = object.metadata.finalizers ?? [];
  const own = kind.deletion.finalizers?.(object);
  if (own !== undefined) return own;
  const held = collectorFinalizers.some((finalizer) => present.includes(finalizer));
  const policy = options.propagation ?? (held ? undefined : kind.defaultPropagation);
  const others = present.filter((finalizer) => !collectorFinalizers.includes(finalizer));
  switch (policy) {
    case undefined:
      return present;
    case "Background":
      return others;
    case "Foreground":
      return [...others, "foregroundDeletion"];
    case "Orphan":
      return [...others, "orphan"];
  }
}

/** The object as it waits for its deletion; undefined when it can be removed at once; itself when nothing changes. */
function mark(
  machinery: Machinery,
  kind: ServedKind,
  object: KubeObject,
  options: DeleteOptions,
): KubeObject | undefined {
  const { metadata } = object;
  const finalizers = finalizersAfter(kind, object, options);
  const rule = kind.deletion;
  const grace = rule.graceSeconds?.(object, options.graceSeconds) ?? 0;
  const held = finalizers.length > 0 || rule.isHeld?.(object) === true;
  if (!held && grace === 0) return undefined;
  const { finalizers: before = [], ...rest } = metadata;
  const sameFinalizers =
    before.length === finalizers.length && before.every((name, index) => name === finalizers[index]);
  const list = finalizers.length === 0 ? {} : { finalizers };
  const now = machinery.clock.now();
  if (metadata.deletionTimestamp !== undefined) {
    const shorter = grace < (metadata.deletionGracePeriodSeconds ?? 0);
    if (sameFinalizers && !shorter) return rule.repeated?.(object) ?? object;
    const times = shorter
      ? { deletionTimestamp: formatTime(now + grace * 1000), deletionGracePeriodSeconds: grace }
      : {};
    const shown: KubeObject = { ...object, metadata: { ...rest, ...list, ...times } };
    return rule.repeated?.(shown) ?? shown;
  }
  const { generation } = metadata;
  const bumped = kind.deletionBumpsGeneration && generation !== undefined && generation > 0;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...rest,
      ...(bumped ? { generation: generation + 1 } : {}),
      deletionTimestamp: formatTime(now + grace * 1000),
      ...(rule.isTimeless === true ? {} : { deletionGracePeriodSeconds: grace }),
      ...list,
    },
  };
  return rule.marked?.(marked, now) ?? marked;
}

/** What a DELETE of one object is answered with. */
export function removalAnswer(
  kind: ServedKind,
  name: string,
  removal: Removal,
  output: Output,
  cascades = false,
): Result<Answer, ApiStatus> {
  if (removal.waiting !== undefined && cascades) return output.object(removal.object, 202);
  if (removal.waiting !== undefined || kind.deleteReturnsObject) return output.object(removal.object, 200);
  const { group, plural } = kind.type;
  const uid = removal.object.metadata.uid;
  return done(
    output.status(
      successObject({
        name,
        ...(group === "" ? {} : { group }),
        kind: plural,
        ...(uid === undefined ? {} : { uid }),
      }),
      200,
    ),
  );
}

/** Work of one removal, as `turns` counts it. */
const workOfOne = 4096;

/** Deletes everything that is chosen, one by one; the first refusal ends it. */
export async function removeCollection(
  request: ResourceRequest,
  list: ListOptions,
  options: DeleteOptions,
  output: Output,
): Promise<Result<Answer, ApiStatus>> {
  const found = await findPage(request, list);
  if (!found.ok) return found;
  warn(request.kind, request.call, options);
  const { items, metadata: listed } = found.value;
  for (const { passing } of items) {
    await turns.before(workOfOne);
    const { metadata } = passing;
    const one = { ...request, namespace: metadata.namespace, name: metadata.name ?? "" };
    const removed = await removeObject(one, options, "");
    if (!removed.ok && removed.problem.reason !== "NotFound") return removed;
  }
  return output.list(items, listed);
}
