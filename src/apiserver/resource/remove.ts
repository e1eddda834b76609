import { formatTime } from "../../clock.ts";
import type { KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { groupResource } from "../../apis/resource-type.ts";
import { successObject } from "../../apis/status.ts";
import { isJsonObject, member } from "../../json.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Call, Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import type { ListOptions } from "../request/query.ts";
import { conflict, preconditionFailed, modifiedMeanwhile, notFound } from "../request/refusal.ts";
import { definitionFinalizer, definitionTable } from "../custom-resources/definitions.ts";
import { markTerminating } from "../custom-resources/definition-status.ts";
import { afterWrite } from "./create.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { namespaceFinalizers } from "./modify.ts";
import type { Output } from "./output.ts";
import { findPage, storageKey } from "./read.ts";
import { isSameState, oneToServed } from "./versions.ts";

const tries = 5;

export interface Removal {
  /** Undefined: gone at once. */
  readonly waiting: KubeObject | undefined;
  /** As it was, or as it waits. */
  readonly object: KubeObject;
}

/** Jobs leave their pods behind unless something else is asked for. */
function warnOfPods(kind: ServedKind, call: Call, { propagation }: DeleteOptions): void {
  if (kind.table === "jobs.batch" && propagation === undefined)
    call.warnings.add(
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    );
}

/** Deletes one object, or marks it and lets its finalizers and its grace period run. */
export async function removeObject(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: { readonly namespace: string | undefined; readonly name: string; readonly admittedName?: string },
  options: DeleteOptions,
): Promise<Result<Removal, ApiStatus>> {
  const { namespace, name } = target;
  warnOfPods(kind, call, options);
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
      name: target.admittedName ?? name,
      subresource: "",
      dryRun: options.dryRun,
      options: options.object,
    };
    const mutated = await machinery.admission.mutate(admission, undefined, live.value);
    if (!mutated.ok) return mutated;
    const valid = await machinery.admission.validate(admission, undefined, live.value);
    if (!valid.ok) return valid;
    if (!isSameState(machinery.storage.get(kind.table, key), stored)) {
      if (attempt < tries) continue;
      return conflict(kind.type, name, modifiedMeanwhile);
    }
    const marked = mark(machinery, kind, stored, options);
    if (marked === undefined) {
      const final = options.dryRun ? stored : (machinery.storage.remove(kind.table, key) ?? stored);
      if (!options.dryRun) afterWrite(machinery, kind, key);
      return done({ waiting: undefined, object: shownAs(live.value, stopped(machinery, kind, final)) });
    }
    if (marked === stored) return done({ waiting: live.value, object: live.value });
    const written = options.dryRun ? marked : machinery.storage.put(kind.table, key, marked);
    if (!options.dryRun) afterWrite(machinery, kind, key);
    const shown = shownAs(live.value, written);
    return done({ waiting: shown, object: shown });
  }
}

/** A pod is told to stop before it goes, though it has no time for that: its last state says so. */
function stopped({ clock }: Machinery, kind: ServedKind, object: KubeObject): KubeObject {
  const { metadata } = object;
  if (kind.table !== "pods" || metadata.deletionTimestamp !== undefined) return object;
  const times = { deletionTimestamp: formatTime(clock.now()), deletionGracePeriodSeconds: 0 };
  return { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1, ...times } };
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
  // Definitions are deleted in a way of their own, which has its own words.
  const isDefinition = kind.table === definitionTable;
  const failed = (what: string, sent: string, held = ""): Result<undefined, ApiStatus> =>
    conflict(kind.type, name, `Precondition failed: ${what} in precondition: ${sent}, ${what} in object meta: ${held}`);
  if (isDefinition && uid !== undefined && uid !== metadata.uid) return failed("UID", uid, metadata.uid);
  if (isDefinition && resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
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

/** Finalizers after the propagation policy has had its say. */
function finalizersAfter(kind: ServedKind, object: KubeObject, options: DeleteOptions): readonly string[] {
  const present = object.metadata.finalizers ?? [];
  // A definition goes by a way of its own, which asks for no policy.
  if (kind.table === definitionTable && object.metadata.deletionTimestamp === undefined)
    return present.includes(definitionFinalizer) ? present : [...present, definitionFinalizer];
  if (groupResource(kind.storedAs) === "events") return present;
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

/** Seconds that a pod gets to stop; 0 for everything else. */
function graceOf(kind: ServedKind, object: KubeObject, asked: number | undefined): number {
  if (kind.table !== "pods") return 0;
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const status = isJsonObject(object.status) ? object.status : {};
  const phase = member(status, "phase");
  const nodeName = member(spec, "nodeName") ?? "";
  if (nodeName === "" || phase === "Succeeded" || phase === "Failed") return 0;
  const own = member(spec, "terminationGracePeriodSeconds");
  const seconds = asked ?? (typeof own === "number" ? own : 30);
  return seconds < 0 ? 1 : seconds;
}

/** A definition that goes already is told once more as everything else is, which sets its time to stop. */
function again(kind: ServedKind, object: KubeObject): KubeObject {
  const { metadata } = object;
  return kind.table === definitionTable && metadata.deletionGracePeriodSeconds === undefined
    ? { ...object, metadata: { ...metadata, deletionGracePeriodSeconds: 0 } }
    : object;
}

/** The object as it waits for its deletion; undefined when nothing holds it; itself when nothing changes. */
function mark(
  machinery: Machinery,
  kind: ServedKind,
  object: KubeObject,
  options: DeleteOptions,
): KubeObject | undefined {
  const { metadata } = object;
  const finalizers = finalizersAfter(kind, object, options);
  const grace = graceOf(kind, object, options.graceSeconds);
  const isNamespace = kind.table === "namespaces";
  const held = finalizers.length > 0 || (isNamespace && namespaceFinalizers(object).length > 0);
  if (!held && grace === 0) return undefined;
  const { finalizers: before = [], ...rest } = metadata;
  const sameFinalizers =
    before.length === finalizers.length && before.every((name, index) => name === finalizers[index]);
  const list = finalizers.length === 0 ? {} : { finalizers };
  if (metadata.deletionTimestamp !== undefined) {
    const shorter = grace < (metadata.deletionGracePeriodSeconds ?? 0);
    if (sameFinalizers && !shorter) return again(kind, object);
    const now = machinery.clock.now();
    const times = shorter
      ? { deletionTimestamp: formatTime(now + grace * 1000), deletionGracePeriodSeconds: grace }
      : {};
    return { ...object, metadata: { ...rest, ...list, ...times } };
  }
  const { generation } = metadata;
  const bumped = kind.deletionBumpsGeneration && generation !== undefined && generation > 0;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...rest,
      ...(bumped ? { generation: generation + 1 } : {}),
      deletionTimestamp: formatTime(machinery.clock.now() + grace * 1000),
      ...(isNamespace || kind.table === definitionTable ? {} : { deletionGracePeriodSeconds: grace }),
      ...list,
    },
  };
  if (isNamespace) return { ...marked, status: { ...(object.status as object | undefined), phase: "Terminating" } };
  return kind.table === definitionTable ? markTerminating(marked, formatTime(machinery.clock.now())) : marked;
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

/** Deletes everything that is chosen, one by one; the first refusal ends it. */
export async function removeCollection(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  namespace: string | undefined,
  list: ListOptions,
  options: DeleteOptions,
  output: Output,
): Promise<Result<Answer, ApiStatus>> {
  const found = await findPage(machinery, kind, namespace, list, call.signal);
  if (!found.ok) return found;
  warnOfPods(kind, call, options);
  const { items, metadata: listed } = found.value;
  for (const { passing } of items) {
    const { metadata } = passing;
    const target = { namespace: metadata.namespace, name: metadata.name ?? "", admittedName: "" };
    const removed = await removeObject(machinery, kind, call, target, options);
    if (!removed.ok && removed.problem.reason !== "NotFound") return removed;
  }
  return output.list(items, listed);
}
