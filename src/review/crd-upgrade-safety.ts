import { InvariantError } from "../invariant.ts";
import type { JsonObject } from "../json.ts";

/** What an upgrade would break in one CRD. */
export interface CrdUpgradeRefusal {
  readonly crd: string;
  /** Upstream's lines, without their prefix, sorted. */
  readonly messages: readonly string[];
}

/** Compares each CRD with the one on the cluster (absent: nothing to break). Upstream's default configuration. */
export function checkCrdUpgrade(old: JsonObject | undefined, next: JsonObject): CrdUpgradeRefusal | undefined {
  throw new InvariantError(`not written yet: ${JSON.stringify([old, next])}`);
}

/** Upstream's whole text: per CRD the prefix and its messages, joined by newlines. */
export function formatCrdUpgradeRefusals(refusals: readonly CrdUpgradeRefusal[]): string {
  return refusals.map(({ crd, messages }) => `validating upgrade for CRD "${crd}": ${messages.join("\n")}`).join("\n");
}
