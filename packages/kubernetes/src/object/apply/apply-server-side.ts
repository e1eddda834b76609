import { Strides, type Steps } from "../../steps.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { checkTyped, typedObjectText } from "./check-typed.ts";
import {
  difference,
  differenceBelow,
  differenceInSteps,
  emptySet,
  type FieldSet,
  formatPath,
  hasPath,
  intersectionInSteps,
  isEmptySet,
  unionInSteps,
} from "./field-set.ts";
import { lastAppliedFields, syncLastApplied } from "../patches/last-applied.ts";
import {
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
import { compareTyped } from "./compare-typed.ts";
import { mergeTyped } from "./merge-typed.ts";
import { dropEmptied, removeFields } from "./remove-typed.ts";
import { fieldsInSteps, skeletonOf, withNamedFields } from "./typed-fields.ts";

import {
  type Conflict,
  comparedFor,
  knownOnly,
  metadataOf,
  settle,
  type Tracked,
  untracked,
  writerOf,
} from "./settle-owners.ts";
import { resetSet, withoutReset } from "./reset-fields.ts";
import { sameApartFromTimes } from "./managed-fields.ts";

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

function stripUntracked(managers: Managers, id: string): Managers {
  const held = managers.get(id);
  if (held === undefined) return managers;
  return new Map(managers).set(id, { ...held, fields: difference(held.fields, untracked) });
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
