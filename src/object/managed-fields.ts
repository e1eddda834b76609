import type { ManagedFieldsEntry } from "../apis/object.ts";
import type { JsonObject } from "../json.ts";
import { invariant } from "../invariant.ts";
import type { Result } from "../result.ts";
import type { MergeSchema } from "./merge-schema.ts";

/** Fields (paths of member names, `["status"]`) that the endpoint neither takes nor tracks. */
export type ResetFields = readonly (readonly string[])[];

export interface ApplyRequest {
  /** The stored object, absent when apply creates it. */
  readonly live?: JsonObject;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly schema: MergeSchema;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly resetFields?: ResetFields;
  /** Versions still served; entries of others are dropped. Absent: all are kept. */
  readonly servedVersions?: readonly string[];
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

/** Server-side apply: merges the configuration, removes what this manager no longer wants, tracks ownership. */
export function applyServerSide(_request: ApplyRequest): Result<Applied, ApplyProblem> {
  invariant(false, "applyServerSide is being written");
}

export interface UpdateRequest {
  /** The stored object, absent on create. */
  readonly old?: JsonObject;
  /** What will be stored; its `metadata.managedFields` are what the client sent. */
  readonly next: JsonObject;
  readonly manager: string;
  readonly operation: "Update";
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly schema: MergeSchema;
  readonly now: string;
  readonly resetFields?: ResetFields;
  readonly servedVersions?: readonly string[];
}

/** The managed fields after a create, PUT or patch. An empty list means: store none. */
export function updateManagedFields(_request: UpdateRequest): readonly ManagedFieldsEntry[] {
  invariant(false, "updateManagedFields is being written");
}

/** Equal objects whose managed fields differ at most in their times: such a write is not stored. */
export function equalApartFromTimes(_a: JsonObject, _b: JsonObject): boolean {
  invariant(false, "equalApartFromTimes is being written");
}
