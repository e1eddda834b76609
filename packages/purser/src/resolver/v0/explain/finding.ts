import type { CauseCode, Remedy } from "../../../explanation/explanation.ts";
import type { JsonObject } from "@purser/kubernetes/json";

/** The part of an explanation that differs from cause to cause. */
export interface Finding {
  readonly code: CauseCode;
  readonly summary: string;
  readonly facts: JsonObject;
  readonly remedies: readonly Remedy[];
}
