import { Strides, type Steps } from "../../steps.ts";
import { isJsonObject, type JsonObject, member } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import {
  differenceBelow,
  differenceInSteps,
  fieldElement,
  intersectionInSteps,
  isEmptySet,
  pathsOf,
  setOf,
  unionInSteps,
} from "./field-set.ts";
import { type Manager, type Managers } from "./managers.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { type Comparison } from "./compare-typed.ts";

import { resetSet, type ResetFields } from "./reset-fields.ts";

export interface Tracked {
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

export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly string[];
}

/** Fields without a manager. */
export const untracked = setOf(
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

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

/** The manager of a request, without its fields and their time. */
export function writerOf(
  { manager, apiVersion, subresource = "" }: Pick<Tracked, "manager" | "apiVersion" | "subresource">,
  operation: Manager["operation"],
): Omit<Manager, "fields" | "time"> {
  return { name: manager, operation, apiVersion, subresource };
}

export function knownOnly(managers: Managers, known: readonly string[] | undefined): Managers {
  if (known === undefined) return managers;
  return new Map([...managers].filter(([, manager]) => known.includes(manager.apiVersion)));
}

/** Takes changed fields from the other managers; without force the changed ones are conflicts. */
export function* settle(
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
export function comparedFor(
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
