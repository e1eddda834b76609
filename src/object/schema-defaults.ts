import type { JsonValue } from "../json.ts";
import { invariant } from "../invariant.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Fills missing members (and nulls where null is not allowed) with their defaults; returns `value` itself when nothing changes. */
export function applyDefaults(_value: JsonValue, _schema: StructuralSchema): JsonValue {
  invariant(false, "applyDefaults is being written");
}

/** Drops null members that are neither nullable nor defaulted, as the server does on the way in. */
export function dropNulls(_value: JsonValue, _schema: StructuralSchema): JsonValue {
  invariant(false, "dropNulls is being written");
}
