import type { JsonObject, JsonValue } from "../json.ts";

/** How a value of one type merges under server-side apply and strategic merge patch. */
export type MergeSchema = ScalarMerge | StructMerge | MapMerge | ListMerge | UntypedMerge;

export interface ScalarMerge {
  readonly kind: "scalar";
  /** Undefined where any scalar fits (int-or-string, quantities, raw JSON leaves). */
  readonly type?: "string" | "integer" | "number" | "boolean";
  readonly default?: JsonValue;
}

export interface StructMerge {
  readonly kind: "struct";
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeField>;
  /** Set where undeclared members are kept (preserve-unknown-fields): they merge as untyped. */
  readonly open: boolean;
}

export interface MergeField {
  /** A function where the type refers to itself. */
  readonly schema: () => MergeSchema;
  /** The server's model always holds this field, even in an empty object: it never counts as newly added. */
  readonly always?: boolean;
  /** Strategic merge patch: how a patch to this field merges. */
  readonly patch?: PatchStrategy;
}

export interface PatchStrategy {
  /** `merge` for lists that merge by `key` (or as sets when it is absent). */
  readonly list: "merge" | "replace";
  readonly key?: string;
  /** `$retainKeys` is understood here. */
  readonly retainKeys?: boolean;
}

export interface MapMerge {
  readonly kind: "map";
  readonly atomic: boolean;
  readonly values: () => MergeSchema;
}

export interface ListMerge {
  readonly kind: "list";
  readonly mode: "atomic" | "set" | "map";
  /** Key fields of a `map` list; empty otherwise. */
  readonly keys: readonly string[];
  readonly items: () => MergeSchema;
}

/** No type known: maps are granular, lists atomic. */
export interface UntypedMerge {
  readonly kind: "untyped";
}

export const untyped: UntypedMerge = { kind: "untyped" };

/** An object without managed fields, as merge code reads it. */
export type MergeObject = JsonObject;
