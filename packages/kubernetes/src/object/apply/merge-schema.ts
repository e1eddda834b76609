import { digitsOf, type JsonValue } from "../../json.ts";

/** How a value of one type merges under server-side apply and strategic merge patch. */
export type MergeSchema = ScalarMerge | MapMerge | ListMerge | UntypedMerge;

export interface ScalarMerge {
  readonly kind: "scalar";
  /** `any` where every scalar fits (int-or-string, quantities). */
  readonly type: "string" | "numeric" | "boolean" | "any";
}

/** An object: declared fields, and perhaps any other members. */
export interface MapMerge {
  readonly kind: "map";
  /** Go's name of the struct; absent for maps and custom resources. */
  readonly name?: string;
  /** Merged, owned and compared as one value. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeField>;
  /** The type of members that are not declared; absent where there must be none. A function because types refer to themselves. */
  readonly values?: () => MergeSchema;
}

export interface MergeField {
  readonly schema: () => MergeSchema;
  /** Stands for a missing key field of an item in a `map` list. */
  readonly default?: JsonValue;
  /** The server's model always holds this field, even in an empty object: a create does not add it. */
  readonly always?: boolean;
  /** Strategic merge patch: how a patch to this field merges. */
  readonly patch?: PatchStrategy;
}

export interface PatchStrategy {
  /** A list merges, by `key` where there is one, as a set of scalars else; without `merge` it is replaced. */
  readonly merge: boolean;
  readonly key?: string;
  /** An object is replaced, not merged. */
  readonly replace?: boolean;
}

export interface ListMerge {
  readonly kind: "list";
  readonly mode: "atomic" | "set" | "map";
  /** Key fields of a `map` list; empty otherwise. */
  readonly keys: readonly string[];
  readonly items: () => MergeSchema;
}

/** No type known: objects merge member by member, lists are atomic. */
export interface UntypedMerge {
  readonly kind: "untyped";
}

export const untyped: UntypedMerge = { kind: "untyped" };

const untypedMap: MapMerge = { kind: "map", atomic: false, fields: new Map(), values: () => untyped };
const untypedList: ListMerge = { kind: "list", mode: "atomic", keys: [], items: () => untyped };
const anyScalar: ScalarMerge = { kind: "scalar", type: "any" };

/** The schema with which `value` is handled: an untyped one takes the shape of the value; nulls count as objects there. */
export function shapeFor(schema: MergeSchema, value: JsonValue): MapMerge | ListMerge | ScalarMerge {
  if (schema.kind !== "untyped") return schema;
  if (Array.isArray(value)) return untypedList;
  return typeof value === "object" && digitsOf(value) === undefined ? untypedMap : anyScalar;
}

/** The schema of one member; undefined where none may stand. */
export function memberSchema(schema: MapMerge, key: string): MergeSchema | undefined {
  return schema.fields.get(key)?.schema() ?? schema.values?.();
}
