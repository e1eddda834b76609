import type { JsonObject } from "../json.ts";
import { invariant } from "../invariant.ts";
import type { Result } from "../result.ts";
import type { MergeSchema } from "./merge-schema.ts";

/** The server answers these with a 500 that carries only the message. */
export interface StrategicPatchProblem {
  readonly message: string;
}

/** Applies a strategic merge patch to an object of a built-in kind. Nothing is mutated. */
export function applyStrategicMergePatch(
  _document: JsonObject,
  _patch: JsonObject,
  _schema: MergeSchema,
): Result<JsonObject, StrategicPatchProblem> {
  invariant(false, "applyStrategicMergePatch is being written");
}
