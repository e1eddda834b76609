import { Strides, type Steps } from "../../steps.ts";
import type { ManagedFieldsEntry } from "../../apis/object.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { difference, isEmptySet, unionInSteps } from "./field-set.ts";
import { withMember } from "../patches/json-edit.ts";
import {
  capUpdaters,
  decodeManagersInSteps,
  dropEmpty,
  encodeManagersInSteps,
  managerId,
  type Managers,
  withoutManagers,
} from "./managers.ts";
import { deepEqualInSteps } from "../semantic-equal.ts";
import { compareTyped } from "./compare-typed.ts";
import { skeletonOf } from "./typed-fields.ts";

import { comparedFor, knownOnly, metadataOf, settle, type Tracked, untracked, writerOf } from "./settle-owners.ts";

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
export function* sameApartFromTimes(a: JsonValue, b: JsonValue): Steps<boolean> {
  const timeless = (entries: JsonValue): readonly JsonValue[] =>
    Array.isArray(entries)
      ? entries.map((entry: JsonValue) => (isJsonObject(entry) ? withMember(entry, "time", undefined) : entry))
      : [];
  return yield* deepEqualInSteps(timeless(a), timeless(b));
}
