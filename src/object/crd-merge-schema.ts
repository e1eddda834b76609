import { invariant } from "../invariant.ts";
import type { MergeSchema } from "./merge-schema.ts";
import type { StructuralSchema } from "./schema-node.ts";

/** The merge schema of a custom resource: list and map types of its structural schema, ObjectMeta's own for `metadata`. */
export function mergeSchemaOfStructural(_schema: StructuralSchema): MergeSchema {
  invariant(false, "mergeSchemaOfStructural is being written");
}
