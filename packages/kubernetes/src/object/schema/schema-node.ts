import type { Pattern } from "../../cel/pattern.ts";
import type { JsonObject, JsonValue } from "../../json.ts";

export type SchemaType = "" | "object" | "array" | "string" | "integer" | "number" | "boolean";

/** One node of a compiled structural schema; compiled once per CRD version and immutable. */
export interface StructuralSchema {
  /** Empty when the schema has no type (int-or-string, preserve-unknown-fields). */
  readonly type: SchemaType;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  /** `x-kubernetes-embedded-resource` */
  readonly embedded: boolean;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  readonly additional?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly listType: "atomic" | "set" | "map";
  readonly listMapKeys: readonly string[];
  readonly mapType: "granular" | "atomic";
  readonly format: string;
  readonly default?: JsonValue;
  readonly checks: ValueChecks;
  readonly rules: readonly RuleSource[];
  /** Whether there is a default in this subtree. */
  readonly hasDefaults: boolean;
  readonly hasRules: boolean;
  /** Whether there is a `set` or `map` list in this subtree. */
  readonly hasUniqueLists: boolean;
  readonly hasEmbedded: boolean;
  /** As written in the CRD. */
  readonly source: JsonObject;
}

/** Constraints of a value beyond its type. */
export interface ValueChecks {
  readonly required: readonly string[];
  readonly enum?: readonly JsonValue[];
  readonly pattern?: Pattern;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf: readonly StructuralSchema[];
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
}

/** One entry of `x-kubernetes-validations`. */
export interface RuleSource {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}
