import type { JsonValue } from "../json.ts";
import { invariant } from "../invariant.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Drops what the schema does not declare; `pruned` are the paths as the warning `unknown field "spec.x"` prints them. */
export function prune(
  _value: JsonValue,
  _schema: StructuralSchema,
  _options: { readonly isResourceRoot?: boolean } = {},
): { readonly value: JsonValue; readonly pruned: readonly string[] } {
  invariant(false, "prune is being written");
}
