import { Strides, type Steps } from "../../steps.ts";
import type { ManagedFieldsEntry } from "../../apis/object.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { checkTyped, typedObjectText } from "./check-typed.ts";
import {
  difference,
  differenceBelow,
  differenceInSteps,
  emptySet,
  fieldElement,
  type FieldSet,
  formatPath,
  hasPath,
  intersectionInSteps,
  isEmptySet,
  pathsOf,
  setOf,
  unionInSteps,
} from "./field-set.ts";
import { withMember } from "../patches/json-edit.ts";
import { lastAppliedFields, syncLastApplied } from "../patches/last-applied.ts";
import {
  capUpdaters,
  decodeManagersInSteps,
  describeManager,
  dropEmpty,
  encodeManagersInSteps,
  type Manager,
  managerId,
  type Managers,
  withManagers,
  withoutManagers,
} from "./managers.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { deepEqualInSteps } from "../semantic-equal.ts";
import { compareTyped, type Comparison } from "./compare-typed.ts";
import { mergeTyped } from "./merge-typed.ts";
import { dropEmptied, removeFields } from "./remove-typed.ts";
import { fieldsInSteps, skeletonOf, withNamedFields } from "./typed-fields.ts";

/** Fields (paths of member names, `["status"]`) that the endpoint neither takes nor tracks. */
export type ResetFields = readonly (readonly string[])[];

interface Tracked {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly schema: MergeSchema;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly resetFields?: ResetFields;
  /** An object of the type without any field set by a client; derived from the schema where absent. */
  readonly empty?: JsonObject;
  /** Versions that the object can be converted to; entries of others are dropped. Absent: all are kept. */
  readonly knownVersions?: readonly string[];
}

export interface ApplyRequest extends Tracked {
  /** The stored object, absent when apply creates it. */
  readonly live?: JsonObject;
  readonly applied: JsonObject;
  readonly force: boolean;
}

export interface Applied {
  /** The merged object with its managed fields, not yet defaulted. */
  readonly object: JsonObject;
  /** False when neither the object nor its managed fields (times apart) differ from `live`. */
  readonly changed: boolean;
}

export interface ApplyConflict {
  /** `conflict with "m1"`, as the cause's message prints it. */
  readonly message: string;
  /** `.spec.containers[name="c1"].image` */
  readonly field: string;
}

export type ApplyProblem =
  /** 409 Conflict: `message` and one FieldManagerConflict cause each. */
  | { readonly kind: "conflicts"; readonly message: string; readonly conflicts: readonly ApplyConflict[] }
  /** 500 without a reason: the configuration does not fit the schema. */
  | { readonly kind: "schema"; readonly message: string };

/** Fields without a manager. */
const untracked = setOf(
  [
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields"].map(
      (name) => ["metadata", name],
    ),
    ["metadata", "resourceVersion"],
  ].map((path) => path.map(fieldElement)),
);

interface Conflict {
  readonly manager: Manager;
  readonly path: readonly string[];
}

/** Server-side apply: merges the configuration, removes what this manager no longer wants, tracks who owns what. */
export function* applyServerSide(request: ApplyRequest): Steps<Result<Applied, ApplyProblem>> {
  const { applied, schema } = request;
  const faults = yield* checkTyped(applied, schema);
  if (faults.length > 0) {
    const what = typedObjectText(applied, request.apiVersion, faults, "typed patch object");
    return failed({ kind: "schema", message: `failed to create ${what}` });
  }
  yield;
  const first = yield* applyOnce(request, request.force);
  yield;
  if (first.ok) return done(yield* finish(request, first.value));
  const conflicts = yield* withoutAllowed(first.problem, request);
  if (conflicts.length > 0) return failed(yield* conflictProblem(conflicts));
  const forced = yield* applyOnce(request, true);
  yield;
  return forced.ok ? done(yield* finish(request, forced.value)) : failed(yield* conflictProblem(forced.problem));
}

function* conflictProblem(conflicts: readonly Conflict[]): Steps<ApplyProblem> {
  const strides = new Strides();
  const described: ApplyConflict[] = [];
  const byManager = new Map<string, { readonly manager: Manager; readonly lines: string[] }>();
  for (const { manager, path } of conflicts) {
    if (strides.isDue()) yield;
    const field = formatPath(path);
    const id = managerId(manager);
    const group = byManager.get(id) ?? { manager, lines: [] };
    byManager.set(id, group);
    group.lines.push(`- ${field}`);
    described.push({ message: `conflict with ${describeManager(manager)}`, field });
  }
  const [only] = described;
  if (described.length === 1 && only !== undefined) {
    return {
      kind: "conflicts",
      message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`,
      conflicts: described,
    };
  }
  yield;
  const lines = [...byManager]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => [`conflicts with ${describeManager(group.manager)}:`, ...group.lines]);
  const message = `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
  return { kind: "conflicts", message, conflicts: described };
}

interface Outcome {
  readonly object: JsonObject;
  readonly managers: Managers;
  readonly sameObject: boolean;
  readonly self: string;
}

function* finish(request: ApplyRequest, outcome: Outcome): Steps<Applied> {
  const { live } = request;
  const object = syncLastApplied(request.applied, request.manager, outcome.object);
  const managers = new Map(outcome.managers);
  const self = managers.get(outcome.self);
  // An apply that changes only who owns what keeps the entry's time, or gives it none.
  if (self !== undefined && !outcome.sameObject) managers.set(outcome.self, { ...self, time: request.now });
  if (live !== undefined && outcome.sameObject && object === outcome.object) {
    const held = member(metadataOf(live), "managedFields") ?? [];
    const entries = yield* encodeManagersInSteps(managers);
    yield;
    if (yield* sameApartFromTimes(held, entries as unknown as JsonValue)) return { object: live, changed: false };
    yield;
  }
  return { object: yield* withManagers(object, managers), changed: true };
}

function* applyOnce(request: ApplyRequest, force: boolean): Steps<Result<Outcome, readonly Conflict[]>> {
  const { schema } = request;
  const live = withoutManagers(request.live ?? {});
  const reset = resetSet(request.resetFields);
  const config = withoutReset(withoutManagers(request.applied), request.resetFields);
  let managers = yield* startingManagers(request, live);
  yield;
  // What is created holds all that was sent, whichever endpoint it was sent to.
  const merged = yield* mergeTyped(
    live,
    request.live === undefined ? withoutManagers(request.applied) : config,
    schema,
  );
  yield;
  const self = writerOf(request, "Apply");
  const id = managerId(self);
  const last = managers.get(id);
  const fields = differenceBelow(yield* fieldsInSteps(config, schema), reset);
  managers = new Map(managers).set(id, { ...self, ...(last?.time === undefined ? {} : { time: last.time }), fields });
  yield;
  const pruned = yield* pruneUnwanted(isJsonObject(merged) ? merged : {}, last?.fields ?? emptySet, managers, schema);
  const before = request.live === undefined ? (request.empty ?? skeletonOf(schema)) : live;
  yield;
  const comparison = comparedFor(request, yield* compareTyped(before, pruned, schema));
  yield;
  const settled = yield* settle(managers, id, comparison, force);
  if (!settled.ok) return settled;
  yield;
  const visible = yield* dropEmptied(merged, pruned, schema);
  const object = visible !== undefined && isJsonObject(visible) ? visible : {};
  yield;
  return done({
    object,
    managers: dropEmpty(stripUntracked(settled.value, id)),
    sameObject: request.live !== undefined && (yield* deepEqualInSteps(live, object)),
    self: id,
  });
}

/** The manager of a request, without its fields and their time. */
function writerOf(
  { manager, apiVersion, subresource = "" }: Pick<Tracked, "manager" | "apiVersion" | "subresource">,
  operation: Manager["operation"],
): Omit<Manager, "fields" | "time"> {
  return { name: manager, operation, apiVersion, subresource };
}

/** The managers before this apply; the fields of an object without managedFields belong to `before-first-apply`. */
function* startingManagers(request: ApplyRequest, live: JsonObject): Steps<Managers> {
  const decoded = yield* decodeManagersInSteps(
    request.live === undefined ? undefined : member(metadataOf(request.live), "managedFields"),
  );
  const managers = knownOnly(decoded ?? new Map(), request.knownVersions);
  if (request.live === undefined || managers.size > 0) return managers;
  const { schema, now } = request;
  const all = yield* compareTyped(request.empty ?? skeletonOf(schema), live, schema);
  const set = yield* unionInSteps(all.added, all.modified, new Strides());
  yield;
  const fields = difference(differenceBelow(set, resetSet(request.resetFields)), untracked);
  const first: Manager = {
    ...writerOf({ ...request, manager: "before-first-apply" }, "Update"),
    time: now,
    fields,
  };
  return isEmptySet(fields) ? managers : new Map([[managerId(first), first]]);
}

function knownOnly(managers: Managers, known: readonly string[] | undefined): Managers {
  if (known === undefined) return managers;
  return new Map([...managers].filter(([, manager]) => known.includes(manager.apiVersion)));
}

/** Removes fields that this manager applied last time and does not now, unless another manager owns them. */
function* pruneUnwanted(
  merged: JsonObject,
  last: FieldSet,
  managers: Managers,
  schema: MergeSchema,
): Steps<JsonObject> {
  if (isEmptySet(last)) return merged;
  const strides = new Strides();
  const named = (set: FieldSet): Steps<FieldSet> => withNamedFields(set, schema, strides);
  const without = (set: FieldSet): Steps<JsonValue> => removeFields(merged, schema, set, strides);
  const namedFieldsOf = function* (value: JsonValue): Steps<FieldSet> {
    return yield* named(yield* fieldsInSteps(value, schema));
  };
  const lastNamed = yield* named(last);
  yield;
  const pruned = (yield* without(lastNamed)) ?? {};
  yield;
  if (pruned === merged) return merged;
  let owned = emptySet;
  for (const manager of managers.values()) owned = yield* unionInSteps(owned, manager.fields, strides);
  const mergedSet = yield* namedFieldsOf(merged);
  yield;
  const left = yield* unionInSteps(yield* namedFieldsOf(pruned), yield* named(owned), strides);
  yield;
  const kept = (yield* without(yield* differenceInSteps(mergedSet, left, strides))) ?? {};
  yield;
  const gone = yield* differenceInSteps(mergedSet, yield* namedFieldsOf(kept), strides);
  const result = yield* without(yield* intersectionInSteps(gone, lastNamed, strides));
  return isJsonObject(result) ? result : {};
}

/** Takes changed fields from the other managers; without force the changed ones are conflicts. */
function* settle(
  managers: Managers,
  self: string,
  compared: (apiVersion: string) => Comparison,
  force: boolean,
): Steps<Result<Managers, readonly Conflict[]>> {
  const conflicts: Conflict[] = [];
  const settled = new Map<string, Manager>();
  // One may own all fields, and thousands one each.
  const perStep = Math.ceil(managers.size / 16);
  const strides = new Strides();
  let index = 0;
  for (const [id, manager] of managers) {
    if (id === self) {
      settled.set(id, manager);
      continue;
    }
    const comparison = compared(manager.apiVersion);
    if (index++ % perStep === 0) yield;
    const changed = yield* unionInSteps(comparison.modified, comparison.added, strides);
    const clash = yield* intersectionInSteps(manager.fields, changed, strides);
    if (!force)
      for (const path of yield* pathsOf(clash, strides)) {
        conflicts.push({ manager, path });
        if (strides.isDue()) yield;
      }
    const kept = yield* differenceInSteps(manager.fields, clash, strides);
    settled.set(id, { ...manager, fields: yield* differenceInSteps(kept, comparison.removed, strides) });
  }
  return conflicts.length > 0 ? failed(conflicts) : done(settled);
}

/**
 * What a manager sees changed. Fields that the endpoint resets are left out: for managers of every version at a
 * subresource, at an object's own path only for those of the request's version. The others lose there what they own of
 * those fields, as in kube-apiserver, though nothing of them is stored.
 */
function comparedFor(
  { apiVersion, subresource = "", resetFields }: Pick<Tracked, "apiVersion" | "subresource" | "resetFields">,
  whole: Comparison,
): (apiVersion: string) => Comparison {
  const reset = resetSet(resetFields);
  if (isEmptySet(reset)) return () => whole;
  const filtered: Comparison = {
    added: differenceBelow(whole.added, reset),
    modified: differenceBelow(whole.modified, reset),
    removed: differenceBelow(whole.removed, reset),
  };
  return (other) => (subresource !== "" || other === apiVersion ? filtered : whole);
}

function stripUntracked(managers: Managers, id: string): Managers {
  const held = managers.get(id);
  if (held === undefined) return managers;
  return new Map(managers).set(id, { ...held, fields: difference(held.fields, untracked) });
}

function resetSet(reset: ResetFields | undefined): FieldSet {
  return reset === undefined ? emptySet : setOf(reset.map((path) => path.map(fieldElement)));
}

/** Members that say which object it is survive a reset of all metadata. */
const identity = new Set(["name", "namespace"]);

function withoutReset(object: JsonObject, reset: ResetFields | undefined): JsonObject {
  let result = object;
  for (const path of reset ?? []) result = withoutPath(result, path);
  return result;
}

function withoutPath(object: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  const held = key === undefined ? undefined : member(object, key);
  if (key === undefined || held === undefined) return object;
  if (rest.length > 0) return isJsonObject(held) ? withMember(object, key, withoutPath(held, rest)) : object;
  if (key !== "metadata" || !isJsonObject(held)) return withMember(object, key, undefined);
  return withMember(object, key, Object.fromEntries(Object.entries(held).filter(([name]) => identity.has(name))));
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

function* withoutAllowed(conflicts: readonly Conflict[], request: ApplyRequest): Steps<readonly Conflict[]> {
  const own = request.live === undefined ? undefined : yield* lastAppliedFields(request.live, request);
  if (own === undefined) return conflicts;
  const strides = new Strides();
  const left: Conflict[] = [];
  for (const conflict of conflicts) {
    if (!hasPath(own, conflict.path)) left.push(conflict);
    if (strides.isDue()) yield;
  }
  return left;
}

export interface UpdateRequest extends Tracked {
  /** The stored object, absent on create. */
  readonly old?: JsonObject;
  /** What will be stored; its `metadata.managedFields` are what the client sent. */
  readonly next: JsonObject;
  readonly operation?: "Update";
}

/** The managed fields after a create, PUT or patch. An empty list means: store none. */
export function* updateManagedFields(request: UpdateRequest): Steps<readonly ManagedFieldsEntry[]> {
  const { old, next, schema, apiVersion } = request;
  const sent = yield* sentManagers(request);
  // Once reset, an existing object is not tracked again before it is applied.
  if (sent.size === 0 && old !== undefined) return [];
  const managers = knownOnly(sent, request.knownVersions);
  yield;
  const before = old === undefined ? (request.empty ?? skeletonOf(schema)) : withoutManagers(old);
  const compared = comparedFor(request, yield* compareTyped(before, withoutManagers(next), schema));
  yield;
  const comparison = compared(apiVersion);
  const settled = yield* settle(managers, "", compared, true);
  yield;
  const result = new Map(settled.ok ? settled.value : managers);
  const self = writerOf(request, "Update");
  const id = managerId(self);
  const strides = new Strides();
  const changed = yield* unionInSteps(comparison.modified, comparison.added, strides);
  const won = difference(changed, untracked);
  const held = result.get(id);
  if (!isEmptySet(won)) {
    const fields = held === undefined ? won : yield* unionInSteps(held.fields, won, strides);
    result.set(id, { ...self, time: request.now, fields });
  }
  yield;
  const capped = capUpdaters(dropEmpty(result));
  yield;
  return yield* encodeManagersInSteps(capped);
}

/** What the client sent where it may and did, else what is stored; a reset counts as nothing. */
function* sentManagers(request: UpdateRequest): Steps<Managers> {
  const { old, next, subresource } = request;
  const held = old === undefined ? undefined : member(metadataOf(old), "managedFields");
  const stored: Managers = (yield* decodeManagersInSteps(held)) ?? new Map();
  yield;
  if (subresource !== undefined && subresource !== "") return stored;
  const sent = member(metadataOf(next), "managedFields");
  if (
    Array.isArray(sent) &&
    sent.every((entry) => isJsonObject(entry) && Object.keys(entry).length === 0) &&
    sent.length < 2
  ) {
    return new Map();
  }
  const decoded = yield* decodeManagersInSteps(sent);
  return decoded === undefined || decoded.size === 0 ? stored : decoded;
}

/** Equal objects whose managed fields differ at most in their times: such a write is not stored. */
export function* equalApartFromTimes(a: JsonObject, b: JsonObject): Steps<boolean> {
  if (a === b) return true;
  if (!(yield* deepEqualInSteps(withoutManagers(a), withoutManagers(b)))) return false;
  return yield* sameApartFromTimes(
    member(metadataOf(a), "managedFields") ?? [],
    member(metadataOf(b), "managedFields") ?? [],
  );
}

/** Entry by entry: one that changes its place, because its time is another one, is a difference. */
function* sameApartFromTimes(a: JsonValue, b: JsonValue): Steps<boolean> {
  const timeless = (entries: JsonValue): readonly JsonValue[] =>
    Array.isArray(entries)
      ? entries.map((entry: JsonValue) => (isJsonObject(entry) ? withMember(entry, "time", undefined) : entry))
      : [];
  return yield* deepEqualInSteps(timeless(a), timeless(b));
}
