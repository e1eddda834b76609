import type { GroupVersionKind } from "../apis/resource-type.ts";
import { invariant } from "../invariant.ts";
import type { MergeSchema } from "./merge-schema.ts";

/** The merge schema of a built-in kind; undefined for kinds this server has no model of. */
export function mergeSchemaOf(_kind: GroupVersionKind): MergeSchema | undefined {
  invariant(false, "mergeSchemaOf is being written");
}
